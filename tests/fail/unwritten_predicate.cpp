// EXPECT: written_before_read<.*"go".*every_tile.*in_step<0>
// SPDX-License-Identifier: Apache-2.0
// Proof 4: a predicate that nothing has written.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct stencil {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(stencil, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

constexpr ts::tensor<"go", bool, ts::shape<1>, ts::on_tile<0>> go;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
#ifdef TESSERA_MUST_FAIL
      ts::inputs(u),
#else
      ts::inputs(u, go),
#endif
      ts::repeat_while(go, ts::execute<stencil>(u, v)));
});

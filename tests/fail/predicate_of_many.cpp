// EXPECT: predicate_is_uniform<.*"go".*elements_needed<1>.*elements_given<4>
// SPDX-License-Identifier: Apache-2.0
// Proof 6: one flag a tile decides about a loop of all tiles.
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

#ifdef TESSERA_MUST_FAIL
constexpr ts::tensor<"go", bool, ts::shape<4>, ts::by_rows> go;
#else
constexpr ts::tensor<"go", bool, ts::shape<1>, ts::on_tile<0>> go;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u, go), ts::repeat_while(go, ts::execute<stencil>(u, v)));
});

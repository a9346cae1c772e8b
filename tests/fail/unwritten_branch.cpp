// EXPECT: written_before_read<.*"v".*tile_number<0>.*in_step<\d+>
// SPDX-License-Identifier: Apache-2.0
// Proof 4: only one side of a branch writes what is read afterwards.
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

#ifdef TESSERA_MUST_FAIL
constexpr auto choice = ts::if_(go, ts::execute<stencil>(u, v));
#else
constexpr auto choice = ts::if_(go, ts::execute<stencil>(u, v), ts::copy(u, v));
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u, go), choice, ts::execute<stencil>(v, u));
});

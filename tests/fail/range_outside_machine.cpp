// EXPECT: range_inside_machine<.*"stencil".*on_tiles_range<2, 4>.*tiles_of_machine<4>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: tile 4 of a machine of 4.
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
constexpr int last = 4;
#else
constexpr int last = 3;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::on<2, last>(ts::execute<stencil>(u, v)));
});

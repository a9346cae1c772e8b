// EXPECT: block_inside_grid<.*"g".*grid_coordinates<2>.*blocks_of_grid<2>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: the third row of a grid of two.
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

constexpr ts::tensor<"g", float, ts::shape<64, 16>, ts::by_blocks<2, 2>> g;

#ifdef TESSERA_MUST_FAIL
constexpr int row = 2;
#else
constexpr int row = 1;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(g), ts::outputs(v), ts::execute<stencil>(ts::block<row, 0>(g), v));
});

// EXPECT: mappings_correspond<.*"u".*grid_of_tensor<4, 1>.*"g".*grid_beside<2, 2>
// SPDX-License-Identifier: Apache-2.0
// Proof 5: the neighbourhood of rows beside a block of a grid; a copy says that elements move.
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
constexpr ts::tensor<"h", float, ts::shape<64, 16>, ts::by_blocks<2, 2>> h;

#ifdef TESSERA_MUST_FAIL
constexpr auto around = ts::halo<1>(u);
#else
constexpr auto around = ts::halo<1>(h);
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(g), ts::copy(u, h), ts::execute<stencil>(around, g));
});

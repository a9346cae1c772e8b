// EXPECT: mappings_correspond<.*"stencil".*"u".*grid_of_tensor<4, 1>.*"v".*grid_beside<1, 4>
// SPDX-License-Identifier: Apache-2.0
// Proof 5: a tile's rows of u and its columns of v do not belong together.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct stencil {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(stencil, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;

#ifdef TESSERA_MUST_FAIL
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_cols> v;
#else
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<stencil>(u, v));
});

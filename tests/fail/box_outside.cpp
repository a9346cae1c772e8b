// EXPECT: access_inside_tensor<.*"u".*tensor_extents<64, 16>.*tile_number<3>.*rows_range<49, 65>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: on the last tile a box leaves the tensor.
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
constexpr int moved = 1;
#else
constexpr int moved = 0;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(u), ts::outputs(v),
      ts::execute<stencil>(ts::at(u, [](ts::tile t) {
        return ts::box{.rows = {16 * t.index + moved, 16 * t.index + 16 + moved}};
      }), v));
});

// EXPECT: access_inside_tensor<.*"u".*tensor_extents<8>.*tile_number<0>.*rows_range<0, 8>.*cols_range<0, 2>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: a box names columns of a vector.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct twice {
  ts::input<int> u;
  ts::output<int> v;
  TESSERA_FIELDS(twice, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(ts::at(u, [](ts::tile t) {
#ifdef TESSERA_MUST_FAIL
    return ts::box{.cols = {2 * t.index, 2 * t.index + 2}};
#else
    return ts::box{.rows = {2 * t.index, 2 * t.index + 2}};
#endif
  }), v));
});

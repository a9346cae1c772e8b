// EXPECT: operands_fit<.*operator_named<.*"matmul".*first_shape<4, 6>.*second_shape<5, 6>.*operands_named<.*"x".*"w"
// SPDX-License-Identifier: Apache-2.0
// A product whose inner extents differ.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6});
    auto w = g.input<float>("w", {5, 6});
#ifdef TESSERA_MUST_FAIL
    auto y = ts::matmul(g, x, w);
#else
    auto y = ts::matmul(g, x, w, {.transpose_b = true});
#endif
    g.output("y", y);
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

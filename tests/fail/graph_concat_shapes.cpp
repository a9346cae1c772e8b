// EXPECT: operands_fit<.*operator_named<.*"concat".*first_shape<4, 6>.*second_shape<5, 6>
// SPDX-License-Identifier: Apache-2.0
// Tensors that differ in another dimension than the one they are joined along.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6});
    auto w = g.input<float>("w", {5, 6});
#ifdef TESSERA_MUST_FAIL
    auto y = ts::concat(g, {x, w}, 1);
#else
    auto y = ts::concat(g, {x, w}, 0);
#endif
    g.output("y", y);
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

// EXPECT: operands_fit<.*operator_named<.*"matmul".*first_shape<4>.*second_shape<5, 6>
// SPDX-License-Identifier: Apache-2.0
// A bias as long as the batch instead of the layer.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6});
    auto w = g.input<float>("w", {5, 6});
#ifdef TESSERA_MUST_FAIL
    auto bias = g.input<float>("bias", {4});
#else
    auto bias = g.input<float>("bias", {5});
#endif
    g.output("y", ts::linear(g, x, w, bias));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

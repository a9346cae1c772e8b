// EXPECT: operands_fit<.*operator_named<.*"conv2d".*first_shape<1, 2, 9, 3>.*second_shape<8, 3, 5, 5>
// SPDX-License-Identifier: Apache-2.0
// A filter that is taller than the padded image.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {1, 2, 9, 3});
    auto filter = g.input<float>("filter", {8, 3, 5, 5});
#ifdef TESSERA_MUST_FAIL
    g.output("y", ts::conv2d(g, x, filter, {.padding = 1}));
#else
    g.output("y", ts::conv2d(g, x, filter, {.padding = 2}));
#endif
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

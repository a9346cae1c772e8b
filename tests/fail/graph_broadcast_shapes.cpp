// EXPECT: operands_fit<.*operator_named<.*"add".*first_shape<4, 6>.*second_shape<4>
// SPDX-License-Identifier: Apache-2.0
// A vector of rows, added as if it were a column: broadcasting goes by the last dimension.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6});
#ifdef TESSERA_MUST_FAIL
    auto v = g.input<float>("v", {4});
#else
    auto v = g.input<float>("v", {4, 1});
#endif
    g.output("y", ts::add(g, x, v));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

// EXPECT: graph_is_small_enough<.*given_name<.*"x".*first_shape<65536, 65536>
// SPDX-License-Identifier: Apache-2.0
// A tensor with more elements than can be counted.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
#ifdef TESSERA_MUST_FAIL
    auto x = g.input<float>("x", {65536, 65536});
#else
    auto x = g.input<float>("x", {65536, 2});
#endif
    g.output("y", ts::relu(g, x));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

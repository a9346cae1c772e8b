// EXPECT: graph_has_output<.*wrong_model
// SPDX-License-Identifier: Apache-2.0
// A graph that computes something and gives nothing.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6});
    auto y = ts::relu(g, x);
#ifdef TESSERA_MUST_FAIL
    static_cast<void>(y);
#else
    g.output("y", y);
#endif
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

// EXPECT: names_differ<.*given_name<.*"scale"
// SPDX-License-Identifier: Apache-2.0
// Two inputs of one name.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("scale", {4, 6});
#ifdef TESSERA_MUST_FAIL
    auto s = g.input<float>("scale", {6});
#else
    auto s = g.input<float>("offset", {6});
#endif
    g.output("y", ts::mul(g, x, s));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

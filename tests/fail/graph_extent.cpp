// EXPECT: extents_are_positive<.*given_name<.*"x".*first_shape<0, 6>
// SPDX-License-Identifier: Apache-2.0
// An input without rows.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
#ifdef TESSERA_MUST_FAIL
    auto x = g.input<float>("x", {0, 6});
#else
    auto x = g.input<float>("x", {1, 6});
#endif
    g.output("y", ts::relu(g, x));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

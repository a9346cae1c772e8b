// EXPECT: rank_is_supported<.*given_name<.*"x".*rank_of_tensor<5>
// SPDX-License-Identifier: Apache-2.0
// An input with five dimensions.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
#ifdef TESSERA_MUST_FAIL
    auto x = g.input<float>("x", {2, 3, 4, 5, 6});
#else
    auto x = g.input<float>("x", {2, 3, 4, 30});
#endif
    g.output("y", ts::relu(g, x));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

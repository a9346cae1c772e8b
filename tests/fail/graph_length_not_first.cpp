// EXPECT: length_counts_rows<.*given_name<.*"x".*first_shape<4, 16>
// SPDX-License-Identifier: Apache-2.0
// A run-time length that is not dimension 0.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto n = g.run_time_length("n", 16);
#ifdef TESSERA_MUST_FAIL
    auto x = g.input<float>("x", {4, n});
#else
    auto x = g.input<float>("x", {n, 4});
#endif
    g.output("y", ts::relu(g, x));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

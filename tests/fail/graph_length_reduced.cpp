// EXPECT: length_counts_rows<.*operator_named<.*"reduce_mean".*first_shape<16, 4>
// SPDX-License-Identifier: Apache-2.0
// A mean over all rows of a tensor of which only some count.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto n = g.run_time_length("n", 16);
    auto x = g.input<float>("x", {n, 4});
#ifdef TESSERA_MUST_FAIL
    auto y = ts::reduce_mean(g, x, {0});
#else
    auto y = ts::reduce_mean(g, x, {1});
#endif
    g.output("y", y);
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

// EXPECT: operands_fit<.*operator_named<.*"reduce_sum".*first_shape<4, 6>
// SPDX-License-Identifier: Apache-2.0
// A sum over a dimension that is not there.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6});
#ifdef TESSERA_MUST_FAIL
    auto y = ts::reduce_sum(g, x, {2});
#else
    auto y = ts::reduce_sum(g, x, {1});
#endif
    g.output("y", y);
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

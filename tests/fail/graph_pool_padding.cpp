// EXPECT: operands_fit<.*operator_named<.*"max_pool".*first_shape<1, 9, 9, 6>
// SPDX-License-Identifier: Apache-2.0
// More padding than half the kernel: there would be windows with nothing under them.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {1, 9, 9, 6});
#ifdef TESSERA_MUST_FAIL
    g.output("y", ts::max_pool(g, x, {.kernel = 3, .stride = 2, .padding = 2}));
#else
    g.output("y", ts::max_pool(g, x, {.kernel = 3, .stride = 2, .padding = 1}));
#endif
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

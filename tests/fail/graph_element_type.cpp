// EXPECT: operand_type_fits<.*operator_named<.*"layer_norm".*first_shape<4, 6>
// SPDX-License-Identifier: Apache-2.0
// A layer norm of whole numbers.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto w = g.input<float>("w", {6});
    auto b = g.input<float>("b", {6});
#ifdef TESSERA_MUST_FAIL
    auto x = g.input<std::int32_t>("x", {4, 6});
#else
    auto x = g.input<float>("x", {4, 6});
#endif
    g.output("y", ts::layer_norm(g, x, w, b, 1e-5));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

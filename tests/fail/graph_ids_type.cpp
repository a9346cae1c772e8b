// EXPECT: operand_type_fits<.*operator_named<.*"embedding".*first_shape<9>.*operands_named<.*"ids"
// SPDX-License-Identifier: Apache-2.0
// Ids that are no whole numbers.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto table = g.input<float>("table", {20, 6});
#ifdef TESSERA_MUST_FAIL
    auto ids = g.input<float>("ids", {9});
#else
    auto ids = g.input<std::int64_t>("ids", {9});
#endif
    g.output("y", ts::embedding(g, table, ids));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

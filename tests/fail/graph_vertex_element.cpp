// EXPECT: field_takes_operand<.*operator_named<.*"pick".*field_named<.*"column".*"int32".*first_shape<4>.*"int64"
// SPDX-License-Identifier: Apache-2.0
// Numbers of int64 for a field of int32 of a user's vertex.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct pick {
  ts::input<float, 2> x;
  ts::input<std::int32_t> column;
  ts::output<float> y;
  TESSERA_FIELDS(pick, x, column, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i) y(i) = x(i, column(i));
  }
};

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6});
#ifdef TESSERA_MUST_FAIL
    auto column = g.input<std::int64_t>("column", {4});
#else
    auto column = g.input<std::int32_t>("column", {4});
#endif
    g.output("y", g.apply<pick>({x, column}, {4}));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

// EXPECT: operands_have_fields<.*operator_named<.*"blend".*fields_declared<3>.*operands_given<1>
// SPDX-License-Identifier: Apache-2.0
// A vertex of the user's with an input that gets no operand.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct blend {
  ts::input<float, 2> a, b;
  ts::output<float, 2> y;
  TESSERA_FIELDS(blend, a, b, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = (a(i, j) + b(i, j)) / 2;
  }
};

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6});
#ifdef TESSERA_MUST_FAIL
    auto y = g.apply<blend>({x}, {4, 6});
#else
    auto y = g.apply<blend>({x, x}, {4, 6});
#endif
    g.output("y", y);
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

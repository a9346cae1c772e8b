// EXPECT: operands_have_fields<.*operator_named<.*"accumulate".*fields_declared<2>.*operands_given<1>
// SPDX-License-Identifier: Apache-2.0
// A vertex of the user's that changes its tensor, which a graph has no way to say.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct accumulate {
  ts::input<float, 2> x;
#ifdef TESSERA_MUST_FAIL
  ts::inout<float, 2> y;
#else
  ts::output<float, 2> y;
#endif
  TESSERA_FIELDS(accumulate, x, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = x(i, j);
  }
};

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6});
    g.output("y", g.apply<accumulate>({x}, {4, 6}));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

// EXPECT: operands_fit<.*operator_named<.*"scale".*first_shape<6>.*second_shape<4, 6>
// SPDX-License-Identifier: Apache-2.0
// A user's vertex that is to see the same rows of its vector as of its result, instead of all.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct scale {
  ts::input<float, 2> x;
  ts::input<float> factor;
  ts::output<float, 2> y;
  TESSERA_FIELDS(scale, x, factor, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = factor(j) * x(i, j);
  }
};

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6}), factor = g.input<float>("factor", {6});
#ifdef TESSERA_MUST_FAIL
    g.output("y", g.apply<scale>({x, factor}, {4, 6}));
#else
    g.output("y", g.apply<scale>({x, ts::whole(factor)}, {4, 6}));
#endif
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

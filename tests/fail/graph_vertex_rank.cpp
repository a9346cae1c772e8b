// EXPECT: field_takes_operand<.*operator_named<.*"scale".*field_named<.*"factor".*rank_of_field<1>.*"float32".*first_shape<6, 1>
// SPDX-License-Identifier: Apache-2.0
// A vector's field of a user's vertex is given a matrix.
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
    auto x = g.input<float>("x", {4, 6});
#ifdef TESSERA_MUST_FAIL
    auto factor = g.parameter("factor", {6, 1});
#else
    auto factor = g.parameter("factor", {6});
#endif
    g.output("y", g.apply<scale>({x, ts::whole(factor)}, {4, 6}));
  }
};

struct ones {
  void read_float32(std::string_view, std::span<std::int64_t const>, std::span<float> to) const {
    for (float& v : to) v = 1;
  }
};

int main() {
  ts::model<wrong_model> m{ones{}};
  m.run();
}

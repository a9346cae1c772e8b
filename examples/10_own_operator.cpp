// SPDX-License-Identifier: Apache-2.0
// A vertex of your own as an operator of a graph: PReLU (He et al., "Delving deep into rectifiers", 2015) between two
// linear layers. It is checked, planned, priced and run like the bundled ones.
#include <tessera/graph.hpp>
#include <tessera/nn.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

namespace ts = tessera;

struct prelu {
  ts::input<float, 2> x;
  ts::input<float> slope;         // an input for each operand, in their order …
  ts::output<float, 2> y;         // … and the output behind them
  TESSERA_FIELDS(prelu, x, slope, y);

  static constexpr ts::work cost(ts::extents x, ts::extents, ts::extents) { return {2 * x.volume(), 8 * x.volume()}; }
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = x(i, j) > 0 ? x(i, j) : slope(j) * x(i, j);
  }
};

struct network {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 16});
    auto h = ts::nn::linear(g, "fc1", x, 8);
    auto slope = g.parameter("act.weight", {8});
    auto a = g.apply<prelu>({h, ts::whole(slope)}, g.shape(h));   // of h the rows that are written, of slope everything
    g.output("y", ts::nn::linear(g, "fc2", a, 3));
  }
};

/// Anything that has read_float32 is a source of weights; here, whole numbers and halves, so that results are exact.
struct made_up {
  void read_float32(std::string_view name, std::span<std::int64_t const>, std::span<float> values) const {
    int number = static_cast<int>(name.size());
    for (float& value : values) value = static_cast<float>(++number * 5 % 7 - 3) / 2;
  }
};

int main() {
  ts::model<network> m{made_up{}};
  std::vector<float> x(4 * 16);
  for (int i = 0; i < 4 * 16; ++i) x[i] = static_cast<float>(i % 3);
  auto [y] = m.run(ts::in<"x">(x));
  for (int row = 0; row < 4; ++row) std::printf("%8.3f %8.3f %8.3f\n", y[3 * row], y[3 * row + 1], y[3 * row + 2]);
}

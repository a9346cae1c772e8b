// EXPECT: operands_fit<.*operator_named<.*"conv2d".*first_shape<1, 9, 9, 6>.*second_shape<8, 6, 3, 3>.*"image".*"conv1.weight"
// SPDX-License-Identifier: Apache-2.0
// A filter in groups that sees the channels of all of them.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("image", {1, 9, 9, 6});
#ifdef TESSERA_MUST_FAIL
    auto filter = g.parameter("conv1.weight", {8, 6, 3, 3});
#else
    auto filter = g.parameter("conv1.weight", {8, 3, 3, 3});
#endif
    g.output("y", ts::conv2d(g, x, filter, {.padding = 1, .groups = 2}));
  }
};
struct source {
  void read_float32(std::string_view, std::span<std::int64_t const>, std::span<float>) const {}
};

int main() {
  ts::model<wrong_model> m{source{}};
  m.run();
}

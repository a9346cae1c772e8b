// SPDX-License-Identifier: Apache-2.0
// Batch norms behind convolutions become part of their parameters.
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ts = tessera;

namespace {

// conv, norm, relu, conv with a bias, norm, sum. With Folded false the norms' numbers are read once more, so that all
// operators stay.
template <bool Folded>
struct block {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {1, 9, 10, 8});
    auto const norm = [&](ts::text const& name, ts::node y) {
      int const channels = g.shape(y).cols();
      ts::node const weight = g.parameter(ts::name(name, ".weight"), {channels});
      ts::node const result = ts::batch_norm(g, y, weight, g.parameter(ts::name(name, ".bias"), {channels}),
                                             g.parameter(ts::name(name, ".running_mean"), {channels}),
                                             g.parameter(ts::name(name, ".running_var"), {channels}), 1e-3);
      if (!Folded) g.output(ts::name(name, " weight"), ts::relu(g, weight));
      return result;
    };
    auto const a = ts::relu(g, norm("bn1", ts::conv2d(g, x, g.parameter("conv1.weight", {16, 8, 3, 3}), {.padding = 1})));
    auto const b = norm("bn2", ts::conv2d(g, a, g.parameter("conv2.weight", {8, 4, 3, 3}),
                                          {.padding = 1, .groups = 4, .bias = g.parameter("conv2.bias", {8})}));
    g.output("y", ts::relu(g, ts::add(g, b, x)));
  }
};

struct another : block<true> {};

struct numbers {
  float variance = 0.5f;
  void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> values) const {
    std::int64_t volume = 1;
    for (std::int64_t extent : shape) volume *= extent;
    if (volume != static_cast<std::int64_t>(values.size())) throw std::logic_error("another size");
    int seed = 0;
    for (char c : name) seed = seed * 7 % 1000 + c;
    auto const drawn = reference::numbers(values.size(), static_cast<std::uint32_t>(seed));
    std::copy(drawn.begin(), drawn.end(), values.begin());
    if (name.ends_with("running_var"))
      for (float& v : values) v = v * v + variance;
  }
};

}  // namespace

TEST_CASE("a norm behind a convolution costs nothing, and the result is the same") {
  using folded = ts::graph_of<block<true>>;
  CHECK(folded::value.ops.size() == 2);          // the convolutions do everything
  CHECK(folded::value.folded_norms.size() == 2);
  CHECK(folded::value.parameters.size() == 11);  // all names, as files have them
  CHECK(ts::graph_of<block<false>>::value.folded_norms.empty());
  auto const x = reference::numbers(9 * 10 * 8, 1);
  ts::model<block<true>> small{numbers{}};
  ts::model<block<false>> large{numbers{}};
  auto const [y] = small.run(ts::in<"x">(x));
  large.input<"x">();
  std::copy(x.begin(), x.end(), large.input<"x">().begin());
  large.run();
  auto const other = large.output<"y">();
  CHECK(close(y, std::vector<double>(other.begin(), other.end())));
  ts::model<another> again{small};               // shares what was made at load
  auto const [z] = again.run(ts::in<"x">(x));
  CHECK(z == y);
}

TEST_CASE("a variance below zero is refused by name") {
  try {
    ts::model<block<true>> m{numbers{.variance = -2}};
    FAIL("accepted");
  } catch (ts::input_error const& e) {
    CHECK(std::string(e.what()).find("bn1.running_var holds a variance below 0 at index 0") != std::string::npos);
  }
}

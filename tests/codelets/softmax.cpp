// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace ts = tessera;

namespace {

constexpr int outer = 3, middle = 7, inner = 5;

struct probabilities {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {outer, middle, inner});
    auto const mask = g.input<std::int64_t>("mask", {outer, inner});
    auto const v = g.input<float>("v", {33}), column = g.input<float>("column", {6, 1});
    g.output("0", ts::softmax(g, x, {.axis = 0}));
    g.output("1", ts::softmax(g, x, {.axis = 1}));
    g.output("2", ts::softmax(g, x));
    g.output("masked", ts::softmax(g, x, {.mask = mask}));
    g.output("vector", ts::softmax(g, v));
    g.output("column", ts::softmax(g, column, {.axis = 0}));
    g.output("ones", ts::softmax(g, column));
  }
};

// Softmax of the elements first, first + step, … of x, where `keep` says so.
void along(std::vector<float> const& x, int first, int step, int count, std::vector<double>& y,
           std::int64_t const* keep = nullptr) {
  std::vector<double> line;
  for (int i = 0; i < count; ++i)
    line.push_back(keep != nullptr && keep[i] == 0 ? -std::numeric_limits<double>::infinity()
                                                   : double{x[static_cast<std::size_t>(first + i * step)]});
  auto const result = reference::softmax(line);
  for (int i = 0; i < count; ++i) y[static_cast<std::size_t>(first + i * step)] = result[static_cast<std::size_t>(i)];
}

}  // namespace

TEST_CASE("softmax along every dimension, masked, and of a vector") {
  auto x = reference::numbers(outer * middle * inner, 1);
  for (float& value : x) value *= 8.0f;
  auto const v = reference::numbers(33, 2), column = reference::numbers(6, 3);
  std::vector<std::int64_t> mask = {1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};  // the last: nothing takes part
  std::vector<double> y0(x.size()), y1(x.size()), y2(x.size()), masked(x.size()), whole(33), stood(6);
  for (int m = 0; m < middle; ++m)
    for (int i = 0; i < inner; ++i) along(x, m * inner + i, middle * inner, outer, y0);
  for (int o = 0; o < outer; ++o) {
    for (int i = 0; i < inner; ++i) along(x, o * middle * inner + i, inner, middle, y1);
    for (int m = 0; m < middle; ++m) {
      along(x, (o * middle + m) * inner, 1, inner, y2);
      if (o < 2) along(x, (o * middle + m) * inner, 1, inner, masked, mask.data() + o * inner);
    }
  }
  along(v, 0, 1, 33, whole);
  along(column, 0, 1, 6, stood);
  for (int threads : {1, 2}) {
    ts::model<probabilities> m{ts::engine_options{.threads = threads}};
    auto const [a, b, c, d, e, f, ones] =
        m.run(ts::in<"x">(x), ts::in<"mask">(mask), ts::in<"v">(v), ts::in<"column">(column));
    CHECK(close(a, y0));
    CHECK(close(b, y1));
    CHECK(close(c, y2));
    CHECK(close(d, masked));
    CHECK(close(e, whole));
    CHECK(close(f, stood));
    CHECK(close(ones, std::vector<double>(6, 1.0)));
  }
}

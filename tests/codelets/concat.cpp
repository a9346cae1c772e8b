// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace ts = tessera;

namespace {

struct joins {
  static constexpr void build(ts::graph& g) {
    auto const a = g.input<float>("a", {3, 4, 5}), b = g.input<float>("b", {3, 40, 5}), v = g.input<float>("v", {70});
    g.output("middle", ts::concat(g, {a, b, a}, 1));
    g.output("first", ts::concat(g, {a, a}, 0));
    g.output("last", ts::concat(g, {a, a, a, a, a, a, a, a}, -1));
    g.output("vectors", ts::concat(g, {v, v}, 0));
    g.output("one", ts::concat(g, {v}, 0));
  }
};

}  // namespace

TEST_CASE("tensors one after the other, along every dimension") {
  auto const a = reference::numbers(60, 1), b = reference::numbers(600, 2), v = reference::numbers(70, 3);
  std::vector<double> middle, first, last, vectors;
  for (std::size_t i = 0; i < 3; ++i) {
    middle.insert(middle.end(), a.begin() + static_cast<std::ptrdiff_t>(i * 20),
                  a.begin() + static_cast<std::ptrdiff_t>(i * 20 + 20));
    middle.insert(middle.end(), b.begin() + static_cast<std::ptrdiff_t>(i * 200),
                  b.begin() + static_cast<std::ptrdiff_t>(i * 200 + 200));
    middle.insert(middle.end(), a.begin() + static_cast<std::ptrdiff_t>(i * 20),
                  a.begin() + static_cast<std::ptrdiff_t>(i * 20 + 20));
  }
  for (int twice = 0; twice < 2; ++twice) {
    first.insert(first.end(), a.begin(), a.end());
    vectors.insert(vectors.end(), v.begin(), v.end());
  }
  for (std::size_t row = 0; row < 12; ++row)
    for (int part = 0; part < 8; ++part)
      for (std::size_t c = 0; c < 5; ++c) last.push_back(double{a[row * 5 + c]});
  for (int threads : {1, 2}) {
    ts::model<joins> m{ts::engine_options{.threads = threads}};
    auto const [p, q, r, s, one] = m.run(ts::in<"a">(a), ts::in<"b">(b), ts::in<"v">(v));
    CHECK(close(p, middle, 0));
    CHECK(close(q, first, 0));
    CHECK(close(r, last, 0));
    CHECK(close(s, vectors, 0));
    CHECK(one == v);
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

// More heads than tiles, and a query that sees no key.
constexpr int batch = 5, heads = 14, queries = 3, keys = 9, depth = 20;

struct padded {
  static constexpr void build(ts::graph& g) {
    auto const q = g.input<float>("q", {batch, heads, queries, depth});
    auto const k = g.input<float>("k", {batch, heads, keys, depth}),
               v = g.input<float>("v", {batch, heads, keys, depth});
    auto const mask = g.input<std::int64_t>("mask", {batch, keys});
    g.output("all", ts::attention(g, q, k, v));
    g.output("masked", ts::attention(g, q, k, v, mask));
  }
};

constexpr int rows = 70, width = 3 * 8;
struct packed {
  static constexpr void build(ts::graph& g) {
    auto const tokens = g.run_time_length("tokens", rows);
    auto const q = g.input<float>("q", {tokens, width}), k = g.input<float>("k", {tokens, width}),
               v = g.input<float>("v", {tokens, width});
    auto const bounds = g.input<std::int32_t>("bounds", {tokens, 2});
    g.output("y", ts::packed_attention(g, q, k, v, bounds, 3));
  }
};

std::vector<float> part(std::vector<float> const& x, std::size_t first, std::size_t count) {
  return {x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

}  // namespace

TEST_CASE("heads of a padded batch, with and without a mask") {
  auto const q = reference::numbers(batch * heads * queries * depth, 1),
             k = reference::numbers(batch * heads * keys * depth, 2),
             v = reference::numbers(batch * heads * keys * depth, 3);
  std::vector<std::int64_t> mask(batch * keys, 1);
  for (int j = 0; j < keys; ++j) {
    mask[static_cast<std::size_t>(keys + j)] = j < 4;
    mask[static_cast<std::size_t>(2 * keys + j)] = 0;
    mask[static_cast<std::size_t>(3 * keys + j)] = j == 8;
    mask[static_cast<std::size_t>(4 * keys + j)] = j % 2;
  }
  std::vector<double> all, masked;
  double const scale = 1.0 / std::sqrt(double{depth});
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t h = 0; h < heads; ++h) {
      std::size_t const head = b * heads + h;
      auto const queries_of = part(q, head * queries * depth, queries * depth);
      std::vector<float> kept_keys, kept_values;
      for (std::size_t j = 0; j < keys; ++j)
        if (mask[b * keys + j] != 0)
          for (std::size_t d = 0; d < depth; ++d) {
            kept_keys.push_back(k[(head * keys + j) * depth + d]);
            kept_values.push_back(v[(head * keys + j) * depth + d]);
          }
      for (double y : reference::attention(queries_of, part(k, head * keys * depth, keys * depth),
                                           part(v, head * keys * depth, keys * depth), queries, keys, depth, scale))
        all.push_back(y);
      for (double y :
           reference::attention(queries_of, kept_keys, kept_values, queries, kept_keys.size() / depth, depth, scale))
        masked.push_back(y);
    }
  for (int threads : {1, 2}) {
    ts::model<padded> m{ts::engine_options{.threads = threads}};
    auto const [a, b] = m.run(ts::in<"q">(q), ts::in<"k">(k), ts::in<"v">(v), ts::in<"mask">(mask));
    CHECK(close(a, all));
    CHECK(close(b, masked));
  }
}

TEST_CASE("sequences of a packed batch") {
  auto const q = reference::numbers(rows * width, 1), k = reference::numbers(rows * width, 2),
             v = reference::numbers(rows * width, 3);
  struct {
    int first, last;
  } const sequences[] = {{0, 1}, {1, 34}, {34, 36}, {36, 70}};
  std::vector<std::int32_t> bounds;
  std::vector<double> want(rows * width);
  for (auto const& s : sequences) {
    auto const size = static_cast<std::size_t>(s.last - s.first);
    for (std::size_t i = 0; i < size; ++i) bounds.insert(bounds.end(), {s.first, s.last});
    for (std::size_t h = 0; h < 3; ++h) {
      std::vector<float> head[3];
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t d = 0; d < 8; ++d) {
          std::size_t const at = (static_cast<std::size_t>(s.first) + i) * width + h * 8 + d;
          head[0].push_back(q[at]);
          head[1].push_back(k[at]);
          head[2].push_back(v[at]);
        }
      auto const y = reference::attention(head[0], head[1], head[2], size, size, 8, 1.0 / std::sqrt(8.0));
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t d = 0; d < 8; ++d)
          want[(static_cast<std::size_t>(s.first) + i) * width + h * 8 + d] = y[i * 8 + d];
    }
  }
  ts::model<packed> m{ts::engine_options{.threads = 2}};
  auto const [all] = m.run(ts::in<"q">(q), ts::in<"k">(k), ts::in<"v">(v), ts::in<"bounds">(bounds));
  CHECK(close(all, want));

  // Rows beyond the length do not matter: the first two sequences alone, with nonsense behind them.
  for (std::size_t i = 34; i < rows; ++i) m.input<"bounds">()[2 * i] = -7;
  m.set_length<"tokens">(34);
  m.run();
  auto const y = m.output<"y">();
  CHECK(close(y.first(34 * width), std::vector<double>(want.begin(), want.begin() + 34 * width)));

  // Bounds outside, also beyond the length.
  m.input<"bounds">()[2 * 33 + 1] = 35;
  std::string message;
  try {
    m.run();
  } catch (ts::run_error const& e) {
    message = e.what();
  }
  CHECK(message.find("row 33") != std::string::npos);
  m.set_length<"tokens">(0);
  m.run();  // nothing to do, nothing to complain about
  m.set_length<"tokens">(rows);
  auto const [again] = m.run(ts::in<"q">(q), ts::in<"k">(k), ts::in<"v">(v), ts::in<"bounds">(bounds));
  CHECK(again == all);
}

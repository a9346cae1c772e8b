// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

constexpr int words = 40, width = 21, tokens = 70;

struct lookups {
  static constexpr void build(ts::graph& g) {
    auto const table = g.input<float>("table", {words, width}), kinds = g.input<float>("kinds", {2, width});
    auto const wide = g.input<std::int64_t>("wide", {7, 10});
    auto const ids = g.input<std::int32_t>("ids", {tokens}), types = g.input<std::int32_t>("types", {tokens});
    auto const weight = g.input<float>("weight", {width}), bias = g.input<float>("bias", {width});
    g.output("by 64", ts::embedding(g, table, wide));
    g.output("by 32", ts::embedding(g, table, ids));
    g.output("normalised", ts::embedding_norm(g, {table, kinds, table}, {ids, types, ids}, weight, bias, 1e-12));
  }
};

}  // namespace

TEST_CASE("rows by ids") {
  auto const table = reference::numbers(words * width, 1), kinds = reference::numbers(2 * width, 2),
             weight = reference::numbers(width, 3), bias = reference::numbers(width, 4);
  std::vector<std::int64_t> wide;
  std::vector<std::int32_t> ids, types;
  std::vector<double> rows, normalised;
  for (int t = 0; t < tokens; ++t) {
    int const id = t * 17 % words, type = t % 3 == 0;
    wide.push_back(id);
    ids.push_back(id);
    types.push_back(type);
    std::vector<float> sum;
    for (int c = 0; c < width; ++c) {
      float const value = table[static_cast<std::size_t>(id * width + c)];
      rows.push_back(double{value});
      sum.push_back((value + kinds[static_cast<std::size_t>(type * width + c)]) + value);
    }
    for (double v : reference::layer_norm(sum, weight, bias, 1e-12)) normalised.push_back(v);
  }
  for (int threads : {1, 2}) {
    ts::model<lookups> m{ts::engine_options{.threads = threads}};
    auto run = [&] {
      return m.run(ts::in<"table">(table), ts::in<"kinds">(kinds), ts::in<"wide">(wide), ts::in<"ids">(ids),
                   ts::in<"types">(types), ts::in<"weight">(weight), ts::in<"bias">(bias));
    };
    auto const [a, b, c] = run();
    CHECK(close(a, rows, 0));
    CHECK(close(b, rows, 0));
    CHECK(close(c, normalised));

    // An id that the table has not ends the run with an error that names it; the model can be used again.
    auto refused = [&] {
      try {
        m.run();
      } catch (ts::run_error const& e) {
        return std::string(e.what());
      }
      return std::string();
    };
    for (std::int64_t const wrong : {std::int64_t{words}, std::int64_t{-1}, std::int64_t{1} << 40, INT64_MIN}) {
      m.input<"wide">()[69] = wrong;
      CHECK(refused().find(std::to_string(wrong)) != std::string::npos);
    }
    m.input<"wide">()[69] = 0;
    m.input<"wide">()[3] = 999;
    m.input<"wide">()[68] = 888;
    CHECK(refused().find("999 at position 3") != std::string::npos);  // the lowest tile's error, always
    m.input<"wide">()[3] = m.input<"wide">()[68] = 0;
    m.input<"types">()[5] = 2;
    CHECK(refused().find("token type 2 at position 5") != std::string::npos);
    auto const [again, twice, thrice] = run();
    CHECK(again == a);
    CHECK(twice == b);
    CHECK(thrice == c);
  }
}

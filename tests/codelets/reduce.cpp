// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

constexpr int extent[4] = {2, 3, 4, 5};

struct reductions {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {2, 3, 4, 5});
    g.output("sum", ts::reduce_sum(g, x, {1, 3}));
    g.output("mean", ts::reduce_mean(g, x, {0}));
    g.output("max", ts::reduce_max(g, x, {-1, 0, 2}));
    g.output("variance", ts::reduce_variance(g, x, {2}));
    g.output("norm", ts::l2_norm(g, x));
    g.output("mean of all", ts::reduce_mean(g, x));
  }
};

struct sequences {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {30, 19});
    auto const bounds = g.input<std::int32_t>("bounds", {4, 2});
    g.output("means", ts::sequence_mean(g, x, bounds));
    g.output("firsts", ts::select_rows(g, x, bounds));
  }
};

// The elements that each result is made of, in the order of the results: `gone` holds a bit for each dimension reduced.
std::vector<std::vector<double>> groups(std::vector<float> const& x, int gone) {
  std::vector<std::vector<double>> result;
  for (int i = 0; i < static_cast<int>(x.size()); ++i) {
    int at[4], rest = i, number = 0;
    for (int d = 3; d >= 0; --d) at[d] = rest % extent[d], rest /= extent[d];
    for (int d = 0; d < 4; ++d)
      if ((gone >> d & 1) == 0) number = number * extent[d] + at[d];
    if (static_cast<int>(result.size()) <= number) result.resize(static_cast<std::size_t>(number) + 1);
    result[static_cast<std::size_t>(number)].push_back(double{x[static_cast<std::size_t>(i)]});
  }
  return result;
}

}  // namespace

TEST_CASE("reductions over some dimensions and over all") {
  auto const x = reference::numbers(2 * 3 * 4 * 5, 1);
  auto each = [&](int gone, auto function) {
    std::vector<double> y;
    for (auto const& group : groups(x, gone)) y.push_back(function(group));
    return y;
  };
  auto const sum = [](std::vector<double> const& v) {
    double s = 0;
    for (double value : v) s += value;
    return s;
  };
  auto const mean = [&](std::vector<double> const& v) { return sum(v) / static_cast<double>(v.size()); };
  ts::model<reductions> m{ts::engine_options{.threads = 2}};
  auto const [a, b, c, d, e, f] = m.run(ts::in<"x">(x));
  CHECK(close(a, each(0b1010, sum)));
  CHECK(close(b, each(0b0001, mean)));
  CHECK(close(c, each(0b1101, [](auto const& v) { return *std::max_element(v.begin(), v.end()); })));
  CHECK(close(d, each(0b0100, [&](auto const& v) {
                double squares = 0;
                for (double value : v) squares += (value - mean(v)) * (value - mean(v));
                return squares / static_cast<double>(v.size());
              })));
  CHECK(close(e, each(0b1111, [](auto const& v) {
                double squares = 0;
                for (double value : v) squares += value * value;
                return std::sqrt(squares);
              })));
  CHECK(close(f, each(0b1111, mean)));
}

TEST_CASE("the largest of something that is no number is none") {
  auto x = reference::numbers(2 * 3 * 4 * 5, 1);
  x[0] = std::numeric_limits<float>::quiet_NaN();
  ts::model<reductions> m;
  auto const largest = std::get<2>(m.run(ts::in<"x">(x)));
  CHECK(std::isnan(largest[0]));
  CHECK(!std::isnan(largest[1]));
}

TEST_CASE("means and first rows of sequences") {
  auto const x = reference::numbers(30 * 19, 1);
  std::vector<std::int32_t> bounds = {0, 1, 1, 30, 29, 30, 7, 20};
  std::vector<double> means, firsts;
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 19; ++c) {
      double total = 0;
      for (int r = bounds[static_cast<std::size_t>(2 * i)]; r < bounds[static_cast<std::size_t>(2 * i + 1)]; ++r)
        total += double{x[static_cast<std::size_t>(r * 19 + c)]};
      means.push_back(total / (bounds[static_cast<std::size_t>(2 * i + 1)] - bounds[static_cast<std::size_t>(2 * i)]));
      firsts.push_back(double{x[static_cast<std::size_t>(bounds[static_cast<std::size_t>(2 * i)] * 19 + c)]});
    }
  ts::model<sequences> m;
  auto const [a, b] = m.run(ts::in<"x">(x), ts::in<"bounds">(bounds));
  CHECK(close(a, means));
  CHECK(close(b, firsts, 0));

  // Bounds that are no rows of x end the run; the model can be used again.
  std::int32_t const wrong[][2] = {{0, 31}, {-1, 3}, {5, 5}, {6, 5}, {30, 31}, {INT32_MIN, INT32_MAX}};
  for (auto const& w : wrong) {
    m.input<"bounds">()[2] = w[0];
    m.input<"bounds">()[3] = w[1];
    std::string message;
    try {
      m.run();
    } catch (ts::run_error const& e) {
      message = e.what();
    }
    CHECK(message.find("sequence 1 has rows " + std::to_string(w[0]) + " to " + std::to_string(w[1])) !=
          std::string::npos);
  }
  CHECK(std::get<0>(m.run(ts::in<"x">(x), ts::in<"bounds">(bounds))) == a);
}

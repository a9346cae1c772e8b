// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ts = tessera;

namespace {

constexpr int count = 201;

struct functions {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {count});
    g.output("relu", ts::relu(g, x));
    g.output("gelu_erf", ts::gelu(g, x));
    g.output("gelu_tanh", ts::gelu_tanh(g, x));
    g.output("tanh", ts::tanh(g, x));
    g.output("sigmoid", ts::sigmoid(g, x));
    g.output("exp_clipped", ts::exp_clipped(g, x));
  }
};

struct pairs {
  static constexpr void build(ts::graph& g) {
    auto const a = g.input<float>("a", {2, 1, 3, 17}), b = g.input<float>("b", {40, 1, 17});
    auto const v = g.input<float>("v", {70}), one = g.input<float>("one", {});
    g.output("sum", ts::add(g, a, b));
    g.output("difference", ts::sub(g, a, b));
    g.output("product", ts::mul(g, a, b));
    g.output("quotient", ts::div(g, a, b));
    g.output("a vector and one element", ts::sub(g, v, one));
    g.output("repeated", ts::expand(g, b, {2, 40, 3, 17}));
  }
};

}  // namespace

TEST_CASE("functions of one element") {
  auto x = reference::numbers(count, 1);
  for (float& value : x) value *= 30.0f;
  x[0] = 0.0f, x[1] = 1e-6f, x[2] = -1e-6f, x[3] = 5.0f, x[4] = -20.0f, x[5] = 1e30f, x[6] = -1e30f;
  std::vector<double> relu, erf, tanh_gelu, tanh, sigmoid, exp;
  for (float value : x) {
    double const v{value};
    relu.push_back(std::max(v, 0.0));
    erf.push_back(reference::gelu_erf(v));
    tanh_gelu.push_back(reference::gelu_tanh(v));
    tanh.push_back(std::tanh(v));
    sigmoid.push_back(reference::sigmoid(v));
    exp.push_back(std::exp(std::clamp(v, -20.0, 5.0)));
  }
  ts::model<functions> m{ts::engine_options{.threads = 2}};
  auto const [a, b, c, d, e, f] = m.run(ts::in<"x">(x));
  // Element by element, so that the large ones do not hide the others.
  auto each = [&](std::vector<float> const& got, std::vector<double> const& want, double cancelled = 0) {
    for (std::size_t i = 0; i < want.size(); ++i) {
      INFO("x ", x[i]);
      CHECK(std::abs(double{got[i]} - want[i]) <=
            1e-6 * std::abs(want[i]) + cancelled * std::abs(double{x[i]}) + 1e-37);
    }
  };
  each(a, relu);
  each(b, erf, 1.3e-7);  // 1 + erf(x / √2) cancels in the left tail, as in float anywhere
  each(c, tanh_gelu, 2e-7);
  each(d, tanh);
  each(e, sigmoid);
  each(f, exp);
}

TEST_CASE("what is no number stays none") {
  std::vector<float> x(count, 1.0f);
  for (std::size_t i = 0; i < x.size(); i += 7) x[i] = std::numeric_limits<float>::quiet_NaN();
  ts::model<functions> m;
  auto const [a, b, c, d, e, f] = m.run(ts::in<"x">(x));
  for (auto const* y : {&a, &b, &c, &d, &e, &f})
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::isnan((*y)[i]) == (i % 7 == 0));
}

TEST_CASE("two elements, with broadcasting") {
  auto const a = reference::numbers(2 * 3 * 17, 1), v = reference::numbers(70, 3);
  auto b = reference::numbers(40 * 17, 2);
  for (float& value : b) value += value < 0 ? -0.1f : 0.1f;
  std::vector<float> const one = {0.375f};
  std::vector<double> sum, difference, product, quotient, repeated, less;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 40; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 17; ++l) {
          double const x{a[(i * 3 + k) * 17 + l]}, y{b[j * 17 + l]};
          sum.push_back(x + y);
          difference.push_back(x - y);
          product.push_back(x * y);
          quotient.push_back(x / y);
          repeated.push_back(y);
        }
  for (float value : v) less.push_back(double{value} - 0.375);
  for (int threads : {1, 2}) {
    ts::model<pairs> m{ts::engine_options{.threads = threads}};
    auto const [p, q, r, s, t, u] = m.run(ts::in<"a">(a), ts::in<"b">(b), ts::in<"v">(v), ts::in<"one">(one));
    CHECK(close(p, sum));
    CHECK(close(q, difference));
    CHECK(close(r, product));
    CHECK(close(s, quotient));
    CHECK(close(t, less));
    CHECK(close(u, repeated, 0));
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "../reference/loops.hpp"
#include <tessera/codelets/detail/attention_kernel.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace kernels = tessera::codelets::detail;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Largest difference from the definition. Heads stand side by side in rows of `stride`, as a projection writes them.
// Keys from `visible` on are masked; the reference does not see them at all.
double difference(int queries, int keys, int depth, float scale, int visible) {
  int const stride = depth + 7;
  auto const spread = [&](std::vector<float> const& dense, int rows) {
    std::vector<float> x(at(rows) * at(stride), std::numeric_limits<float>::quiet_NaN());
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < depth; ++i) x[at(r * stride + i)] = dense[at(r * depth + i)];
    return x;
  };
  auto const q = reference::numbers(at(queries * depth), 1), k = reference::numbers(at(keys * depth), 2),
             v = reference::numbers(at(keys * depth), 3);
  auto const q_rows = spread(q, queries), k_rows = spread(k, keys), v_rows = spread(v, keys);
  std::vector<float> mask(at(keys), 0.0f), out(at(queries) * at(stride), 9.0f);
  for (int j = visible; j < keys; ++j) mask[at(j)] = -std::numeric_limits<float>::infinity();
  std::vector<float> scratch(static_cast<std::size_t>(kernels::attention_scratch(keys, depth)),
                             std::numeric_limits<float>::quiet_NaN());
  kernels::attention_head({.queries = queries,
                           .keys = keys,
                           .depth = depth,
                           .q = q_rows.data(),
                           .q_stride = stride,
                           .k = k_rows.data(),
                           .k_stride = stride,
                           .v = v_rows.data(),
                           .v_stride = stride,
                           .out = out.data(),
                           .out_stride = stride,
                           .scale = scale,
                           .mask = visible < keys ? mask.data() : nullptr},
                          scratch.data());
  auto const want = reference::attention(q, k, v, at(queries), at(visible), at(depth), double{scale});
  double worst = 0.0;
  for (int r = 0; r < queries; ++r) {
    for (int i = 0; i < depth; ++i) {
      double const error = std::abs(double{out[at(r * stride + i)]} - want[at(r * depth + i)]);
      worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
    }
    for (int i = depth; i < stride; ++i) CHECK(out[at(r * stride + i)] == 9.0f);
  }
  return worst;
}

// The same of one query (1, 0) and keys (score, 0): scores that nothing has rounded.
double difference(std::vector<float> const& scores, float scale, std::vector<float> const& mask = {}) {
  int const keys = static_cast<int>(scores.size());
  std::vector<float> const q{1.0f, 0.0f}, v = reference::numbers(at(2 * keys), 3);
  std::vector<float> k, out(2, 9.0f), scratch(static_cast<std::size_t>(kernels::attention_scratch(keys, 2)), 9.0f);
  double largest = -std::numeric_limits<double>::infinity(), sum = 0.0, want[2] = {};
  auto const exponent = [&](int j) {
    return double{scale} * double{scores[at(j)]} + (mask.empty() ? 0.0 : double{mask[at(j)]});
  };
  for (int j = 0; j < keys; ++j) {
    k.insert(k.end(), {scores[at(j)], 0.0f});
    largest = std::max(largest, exponent(j));
  }
  for (int j = 0; j < keys; ++j) {
    double const weight = std::exp(exponent(j) - largest);
    sum += weight;
    for (int i = 0; i < 2; ++i) want[i] += weight * double{v[at(2 * j + i)]};
  }
  kernels::attention_head({.queries = 1,
                           .keys = keys,
                           .depth = 2,
                           .q = q.data(),
                           .q_stride = 2,
                           .k = k.data(),
                           .k_stride = 2,
                           .v = v.data(),
                           .v_stride = 2,
                           .out = out.data(),
                           .out_stride = 2,
                           .scale = scale,
                           .mask = mask.empty() ? nullptr : mask.data()},
                          scratch.data());
  double worst = 0.0;
  for (int i = 0; i < 2; ++i) {
    double const error = std::abs(double{out[at(i)]} - want[i] / sum);
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  return worst;
}

}  // namespace

TEST_CASE("attention agrees with its definition") {
  for (int depth : {1, 8, 20, 32, 64})
    for (int keys : {1, 2, 5, 17, 128, 255, 256, 257, 600}) {
      INFO("depth ", depth, " keys ", keys);
      CHECK(difference(9, keys, depth, 0.25f, keys) < 2e-6);
      CHECK(difference(9, keys, depth, 4.0f, keys) < 2e-5);  // sharp: the maximum moves from block to block
    }
  for (int queries = 1; queries <= 31; ++queries) CHECK(difference(queries, 40, 32, 0.25f, 40) < 2e-6);
}

TEST_CASE("attention leaves masked keys out") {
  for (int visible : {1, 7, 255, 256, 257, 511}) CHECK(difference(5, 600, 32, 0.5f, visible) < 2e-6);
  CHECK(difference(5, 600, 32, 0.5f, 0) == 0.0);  // a query that sees nothing gets zeros
  CHECK(difference(3, 0, 16, 0.5f, 0) == 0.0);
}

TEST_CASE("scores may be of any size") {
  for (float peak : {1.0f, 1e3f, 1e6f, 8e9f, 1e10f, 8e10f, 1e30f, -1.0f, -1e6f, -1e10f, -8e10f})
    for (float scale : {0.125f, 0.17677669f, 1.0f})
      for (int keys : {3, 40, 256, 600}) {
        INFO("peak ", peak, " scale ", scale, " keys ", keys);
        std::vector<float> const none, zeros(at(keys), 0.0f);
        // all keys are equal; then three in different places; then one
        std::vector<float> scores(at(keys), peak);
        CHECK(difference(scores, scale, none) < 2e-6);
        CHECK(difference(scores, scale, zeros) < 2e-6);
        float const lower = peak - std::abs(peak) / 2;
        for (int j = 0; j < keys; ++j)
          if (j != 0 && j != keys / 2 && j != keys - 1) scores[at(j)] = lower;
        CHECK(difference(scores, scale, none) < 2e-6);
        CHECK(difference(scores, scale, zeros) < 2e-6);
        scores[0] = scores[at(keys - 1)] = lower;
        CHECK(difference(scores, scale, none) < 2e-6);
        CHECK(difference(scores, scale, zeros) < 2e-6);
      }
}

TEST_CASE("a small difference of large scores counts") {
  // Neighbours of 2^20 and of -2^20 as floats: a part of a power of 2 apart, of which nothing may be lost.
  for (float sign : {1.0f, -1.0f}) {
    std::vector<float> scores(600);
    for (int j = 0; j < 600; ++j) scores[at(j)] = sign * (0x1p20f + 0.125f * static_cast<float>(j * 7 % 90));
    CHECK(difference(scores, 0.3f) < 2e-6);
    CHECK(difference(scores, 0.01f) < 2e-6);
  }
}

TEST_CASE("a mask adds, and a scale may be of any sign") {
  constexpr float out = -std::numeric_limits<float>::infinity();
  for (int keys : {5, 300, 600}) {
    auto scores = reference::numbers(at(keys), 4);
    for (float& s : scores) s *= 8.0f;
    std::vector<float> mask(at(keys));
    for (int j = 0; j < keys; ++j) mask[at(j)] = j % 3 == 0 ? -1.5f : j % 7 == 1 ? out : j % 2 == 0 ? 2.25f : 0.0f;
    for (float scale : {0.5f, 0.0f, -0.0f, -0.5f, -4.0f}) {
      INFO("keys ", keys, " scale ", scale);
      CHECK(difference(scores, scale) < 4e-6);
      CHECK(difference(scores, scale, mask) < 4e-6);
    }
  }
}

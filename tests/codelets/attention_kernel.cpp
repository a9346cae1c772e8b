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

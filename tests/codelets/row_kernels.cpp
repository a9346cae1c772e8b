// SPDX-License-Identifier: Apache-2.0
#include "../reference/loops.hpp"
#include <tessera/codelets/detail/row_kernels.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace kernels = tessera::codelets::detail;

namespace {

int const sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 384, 1000};

double largest_difference(std::vector<float> const& got, std::vector<double> const& want) {
  double worst = 0.0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    double const error = std::abs(double{got[i]} - want[i]);
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  return worst;
}

}  // namespace

TEST_CASE("layer norm") {
  for (int n : sizes) {
    INFO("n ", n);
    auto const size = static_cast<std::size_t>(n);
    auto x = reference::numbers(size, 1);
    auto const weight = reference::numbers(size, 2), bias = reference::numbers(size, 3);
    std::vector<float> out(size + 1, 9.0f);
    kernels::layer_norm_row(x.data(), weight.data(), bias.data(), out.data(), n, 1e-5f);
    CHECK(largest_difference(out, reference::layer_norm(x, weight, bias, 1e-5f)) < 2e-6);
    CHECK(out[size] == 9.0f);
    kernels::layer_norm_row(x.data(), nullptr, nullptr, out.data(), n, 1e-5f);
    std::vector<float> const ones(size, 1.0f), zeros(size, 0.0f);
    CHECK(largest_difference(out, reference::layer_norm(x, ones, zeros, 1e-5f)) < 2e-6);
    // a mean far from zero: deviations keep their bits
    for (float& value : x) value = 1000.0f + value;
    kernels::layer_norm_row(x.data(), weight.data(), bias.data(), x.data(), n, 1e-5f);
    auto shifted = reference::numbers(size, 1);
    for (float& value : shifted) value = 1000.0f + value;
    CHECK(largest_difference(x, reference::layer_norm(shifted, weight, bias, 1e-5f)) < 1e-3);
  }
}

TEST_CASE("softmax, with and without a mask") {
  constexpr float out_of_it = -std::numeric_limits<float>::infinity();
  for (int n : sizes) {
    INFO("n ", n);
    auto const size = static_cast<std::size_t>(n);
    auto const x = reference::numbers(size, 1);
    std::vector<float> mask(size, 0.0f), out(size + 1, 9.0f);
    std::vector<double> scaled(size), masked(size);
    for (std::size_t i = 0; i < size; ++i) {
      mask[i] = i % 3 == 1 ? out_of_it : 0.0f;
      scaled[i] = 20.0 * double{x[i]};
      masked[i] = scaled[i] + double{mask[i]};
    }
    kernels::softmax_row(x.data(), nullptr, out.data(), n, 20.0f);
    CHECK(largest_difference(out, reference::softmax(scaled)) < 3e-6);
    kernels::softmax_row(x.data(), mask.data(), out.data(), n, 20.0f);
    CHECK(largest_difference(out, reference::softmax(masked)) < 3e-6);
    CHECK(out[size] == 9.0f);
    for (float& value : mask) value = out_of_it;
    kernels::softmax_row(x.data(), mask.data(), out.data(), n);
    for (std::size_t i = 0; i < size; ++i) CHECK(out[i] == 0.0f);
  }
  // large scores neither overflow nor vanish
  std::vector<float> const large = {1000.0f, 1000.0f, -1000.0f};
  std::vector<float> out(3);
  kernels::softmax_row(large.data(), nullptr, out.data(), 3);
  CHECK(out[0] == 0.5f);
  CHECK(out[2] == 0.0f);
}

TEST_CASE("L2 normalisation") {
  for (int n : sizes) {
    INFO("n ", n);
    auto const size = static_cast<std::size_t>(n);
    auto const x = reference::numbers(size, 5);
    std::vector<float> out(size);
    kernels::l2_normalize_row(x.data(), out.data(), n, 1e-12f);
    CHECK(largest_difference(out, reference::l2_normalize(x, 1e-12)) < 5e-7);
    std::vector<float> zeros(size, 0.0f);
    kernels::l2_normalize_row(zeros.data(), zeros.data(), n, 1e-12f);
    for (float value : zeros) CHECK(value == 0.0f);
  }
}

TEST_CASE("the mean of rows") {
  for (int rows : {0, 1, 2, 3, 17})
    for (int n : {1, 5, 16, 31, 384}) {
      std::ptrdiff_t const stride = n + 3;
      auto const x = reference::numbers(static_cast<std::size_t>((rows + 1) * stride), 6);
      std::vector<float> out(static_cast<std::size_t>(n));
      kernels::mean_of_rows(x.data(), stride, rows, out.data(), n);
      for (int i = 0; i < n; ++i) {
        double mean = 0.0;
        for (int r = 0; r < rows; ++r) mean += double{x[static_cast<std::size_t>(r * stride + i)]} / rows;
        CHECK(std::abs(double{out[static_cast<std::size_t>(i)]} - mean) < 3e-7);
      }
    }
}

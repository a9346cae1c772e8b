// SPDX-License-Identifier: Apache-2.0
// The oracles: plain scalar loops in double, written from the definitions and for nothing but being obviously right.
//
//   reference::matmul(a, b, m, k, n)  ->  c[i * n + j] = sum over p of a[i * k + p] * b[p * n + j]
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

namespace reference {

using index = std::size_t;

/// C = A B: (m, k) × (k, n) -> (m, n).
inline std::vector<double> matmul(std::vector<float> const& a, std::vector<float> const& b, index m, index k, index n) {
  std::vector<double> c(m * n, 0.0);
  for (index i = 0; i < m; ++i)
    for (index j = 0; j < n; ++j)
      for (index p = 0; p < k; ++p) c[i * n + j] += double{a[i * k + p]} * double{b[p * n + j]};
  return c;
}

/// (rows, columns) -> (columns, rows).
inline std::vector<float> transpose(std::vector<float> const& x, index rows, index columns) {
  std::vector<float> y(x.size());
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < columns; ++j) y[j * rows + i] = x[i * columns + j];
  return y;
}

/// e^x_i / Σ e^x_j of one row.
inline std::vector<double> softmax(std::vector<double> const& x) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0.0;
  for (double value : x) largest = value > largest ? value : largest;
  std::vector<double> y(x.size());
  for (index i = 0; i < x.size(); ++i) sum += y[i] = std::exp(x[i] - largest);
  for (double& value : y) value /= sum;
  return y;
}

/// (x_i - mean) / √(variance + epsilon) · weight_i + bias_i of one row; the variance is the mean squared deviation.
inline std::vector<double> layer_norm(std::vector<float> const& x, std::vector<float> const& weight,
                                      std::vector<float> const& bias, double epsilon) {
  double mean = 0.0, variance = 0.0;
  for (float value : x) mean += double{value};
  mean /= static_cast<double>(x.size());
  for (float value : x) variance += (double{value} - mean) * (double{value} - mean);
  variance /= static_cast<double>(x.size());
  std::vector<double> y(x.size());
  for (index i = 0; i < x.size(); ++i)
    y[i] = (double{x[i]} - mean) / std::sqrt(variance + epsilon) * double{weight[i]} + double{bias[i]};
  return y;
}

/// x / max(‖x‖, epsilon).
inline std::vector<double> l2_normalize(std::vector<float> const& x, double epsilon) {
  double square = 0.0;
  for (float value : x) square += double{value} * double{value};
  double const norm = std::sqrt(square) > epsilon ? std::sqrt(square) : epsilon;
  std::vector<double> y(x.size());
  for (index i = 0; i < x.size(); ++i) y[i] = double{x[i]} / norm;
  return y;
}

inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
/// x Φ(x), by erfc so that the left tail does not cancel.
inline double gelu_erf(double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }
/// x/2 (1 + tanh u) = x / (1 + e^-2u) with u = √(2/π) (x + 0.044715 x³).
inline double gelu_tanh(double x) {
  double const u = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return x / (1.0 + std::exp(-2.0 * u));
}

/// softmax(q kᵀ scale) v of one head: q (queries, d), k and v (keys, d) -> (queries, d).
inline std::vector<double> attention(std::vector<float> const& q, std::vector<float> const& k,
                                     std::vector<float> const& v, index queries, index keys, index d, double scale) {
  std::vector<double> out(queries * d, 0.0);
  for (index i = 0; i < queries; ++i) {
    std::vector<double> score(keys, 0.0);
    for (index j = 0; j < keys; ++j) {
      for (index p = 0; p < d; ++p) score[j] += double{q[i * d + p]} * double{k[j * d + p]};
      score[j] *= scale;
    }
    auto const weight = softmax(score);
    for (index j = 0; j < keys; ++j)
      for (index p = 0; p < d; ++p) out[i * d + p] += weight[j] * double{v[j * d + p]};
  }
  return out;
}

/// The distance between neighbouring floats at `exact`: what an error is measured in.
inline double ulp(double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::ldexp(1.0, exact == 0.0 || exponent - 24 < -149 ? -149 : exponent - 24);
}

/// Numbers of a fixed sequence in [-1, 1): a linear congruence, the same everywhere.
inline std::vector<float> numbers(index count, std::uint32_t seed = 1) {
  std::vector<float> x(count);
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (float& value : x) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<std::int32_t>(state) >> 8) * 0x1p-23f;
  }
  return x;
}

}  // namespace reference

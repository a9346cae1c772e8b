// SPDX-License-Identifier: Apache-2.0
// Which functions element-wise and reducing vertices have: enumerators, without any vector code.
#pragma once

#include <cstdint>

namespace tessera {

/// A function of one element.
enum class activation : std::uint8_t {
  none,
  relu,       ///< max(x, 0)
  gelu_erf,   ///< x Φ(x) (Hendrycks and Gimpel, "Gaussian error linear units", 2016)
  gelu_tanh,  ///< its approximation with tanh
  tanh,
  sigmoid,     ///< 1 / (1 + e^-x)
  exp_clipped  ///< e^clamp(x, -20, 5)
};

/// What becomes of two elements.
enum class binary_kind : std::uint8_t { add, sub, mul, div };
/// What becomes of many.
enum class reduce_kind : std::uint8_t { sum, mean, max, variance, l2_norm };

/// What messages call them: the functions that graphs are written with.
constexpr char const* name_of(activation function) {
  constexpr char const* names[] = {"none", "relu", "gelu", "gelu_tanh", "tanh", "sigmoid", "exp_clipped"};
  return names[static_cast<int>(function)];
}
constexpr char const* name_of(binary_kind kind) {
  constexpr char const* names[] = {"add", "sub", "mul", "div"};
  return names[static_cast<int>(kind)];
}
constexpr char const* name_of(reduce_kind kind) {
  constexpr char const* names[] = {"reduce_sum", "reduce_mean", "reduce_max", "reduce_variance", "l2_norm"};
  return names[static_cast<int>(kind)];
}

}  // namespace tessera

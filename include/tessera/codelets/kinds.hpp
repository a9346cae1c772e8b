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
  exp_clipped,  ///< e^clamp(x, -20, 5)
  silu,         ///< x sigmoid(x) (Ramachandran, Zoph, Le, "Searching for activation functions", 2017)
  hardswish     ///< x min(max(x + 3, 0), 6) / 6 (Howard et al., "Searching for MobileNetV3", 2019)
};

/// What becomes of two elements.
enum class binary_kind : std::uint8_t { add, sub, mul, div };
/// What becomes of many.
enum class reduce_kind : std::uint8_t { sum, mean, max, variance, l2_norm };

/// When a product adds a tensor of its result's shape: never, after its function or before it.
enum class addend : std::uint8_t { none, last, before_function };

/// What becomes of the elements that a window of a pool shows.
enum class pool_kind : std::uint8_t { max, average };

/// What messages call them: the functions that graphs are written with.
constexpr char const* name_of(activation function) {
  constexpr char const* names[] = {"none", "relu", "gelu", "gelu_tanh", "tanh", "sigmoid", "exp_clipped",
                                   "silu", "hardswish"};
  return names[static_cast<int>(function)];
}
constexpr char const* name_of(binary_kind kind) {
  constexpr char const* names[] = {"add", "sub", "mul", "div"};
  return names[static_cast<int>(kind)];
}
constexpr char const* name_of(pool_kind kind) { return kind == pool_kind::max ? "max_pool" : "average_pool"; }
constexpr char const* name_of(reduce_kind kind) {
  constexpr char const* names[] = {"reduce_sum", "reduce_mean", "reduce_max", "reduce_variance", "l2_norm"};
  return names[static_cast<int>(kind)];
}

}  // namespace tessera

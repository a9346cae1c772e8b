// SPDX-License-Identifier: Apache-2.0
// The linear layer: y = x · weightᵀ + bias, with parameters `name.weight` (N, K) and `name.bias` (N).
#pragma once

#include <tessera/graph/operators.hpp>

namespace tessera::nn {

/// What a linear layer does besides.
struct linear_options {
  activation function = activation::none;   ///< applied to the result …
  node residual = {};                       ///< … before this tensor of its shape is added
  bool bias = true;
  element weights = element::float32;       ///< bfloat16: half the memory, rounded to 8 bits of precision
};

/// x (…, K) -> (…, width).
constexpr node linear(graph& g, text const& prefix, node x, int width, linear_options const& options = {}) {
  node const weight = g.parameter(name(prefix, ".weight"), {width, g.shape(x).cols()}, options.weights);
  node const bias = options.bias ? g.parameter(name(prefix, ".bias"), {width}) : node{};
  return tessera::linear(g, x, weight, bias, options.function, options.residual);
}

}  // namespace tessera::nn

// SPDX-License-Identifier: Apache-2.0
// Layer norm with parameters `name.weight` and `name.bias` of the last dimension's extent.
#pragma once

#include <tessera/graph/operators.hpp>

namespace tessera::nn {

/// x (…, C) -> (…, C).
constexpr node layer_norm(graph& g, text const& prefix, node x, double eps = 1e-5) {
  int const width = g.shape(x).cols();
  node const weight = g.parameter(name(prefix, ".weight"), {width});
  node const bias = g.parameter(name(prefix, ".bias"), {width});
  return tessera::layer_norm(g, x, weight, bias, eps);
}

}  // namespace tessera::nn

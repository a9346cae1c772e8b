// SPDX-License-Identifier: Apache-2.0
// Convolutions with named parameters, and the batch norm behind them.
//
//   auto y = ts::nn::convolution(g, "layer1.0.conv1", x, 64, 3, {.padding = 1});
//   y = ts::relu(g, ts::nn::batch_norm(g, "layer1.0.bn1", y));
#pragma once

#include <tessera/graph/images.hpp>

namespace tessera::nn {

/// What a convolution layer does; see conv2d_options.
struct convolution_options {
  extent2 stride = 1;
  padding2 padding = 0;
  extent2 dilation = 1;
  int groups = 1;
  bool bias = false;
};

/// x (N, H, W, C) -> (N, H', W', filters). Parameters: prefix + ".weight" (filters, C / groups, kernel), and with bias
/// prefix + ".bias".
constexpr node convolution(graph& g, text const& prefix, node x, int filters, extent2 kernel,
                           convolution_options const& o = {}) {
  int const channels = g.shape(x).cols();
  int const groups = o.groups > 0 && channels % o.groups == 0 ? o.groups : 1;   // conv2d refuses the others
  node const filter = g.parameter(name(prefix, ".weight"), {filters, channels / groups, kernel.y, kernel.x});
  return conv2d(g, x, filter,
                {.stride = o.stride,
                 .padding = o.padding,
                 .dilation = o.dilation,
                 .groups = o.groups,
                 .bias = o.bias ? g.parameter(name(prefix, ".bias"), {filters}) : node{}});
}

/// x (…, C) -> (…, C) with the statistics of training. Parameters: prefix + ".weight", ".bias", ".running_mean" and
/// ".running_var". Behind a convolution it costs nothing: it becomes part of the filters when they are loaded.
constexpr node batch_norm(graph& g, text const& prefix, node x, double eps = 1e-5) {
  int const channels = g.shape(x).cols();
  node const weight = g.parameter(name(prefix, ".weight"), {channels});
  node const bias = g.parameter(name(prefix, ".bias"), {channels});
  node const mean = g.parameter(name(prefix, ".running_mean"), {channels});
  node const variance = g.parameter(name(prefix, ".running_var"), {channels});
  return tessera::batch_norm(g, x, weight, bias, mean, variance, eps);
}

}  // namespace tessera::nn

// SPDX-License-Identifier: Apache-2.0
// Operators on images. An image tensor is (N, H, W, C): the channels of a pixel stand together. Files and other libraries
// have (N, C, H, W); channels_last() and channels_first() go from one to the other.
//
//   auto y = ts::conv2d(g, x, filter, {.stride = 2, .padding = 1, .function = ts::activation::relu});
//   auto z = ts::max_pool(g, y, {.kernel = 3, .stride = 2, .padding = 1});
#pragma once

#include <tessera/graph/operators.hpp>

namespace tessera {

/// A number down the image and one along its lines; one number is both.
struct extent2 {
  int y = 1, x = 1;
  constexpr extent2(int both) : y(both), x(both) {}   // NOLINT: one number is both
  constexpr extent2(int down, int along) : y(down), x(along) {}
};
/// Zeros around an image.
struct padding2 {
  int top = 0, left = 0, bottom = 0, right = 0;
  constexpr padding2(int all = 0) : top(all), left(all), bottom(all), right(all) {}   // NOLINT: one number is all four
  constexpr padding2(int y, int x) : top(y), left(x), bottom(y), right(x) {}
  constexpr padding2(int top_, int left_, int bottom_, int right_)
      : top(top_), left(left_), bottom(bottom_), right(right_) {}
};

/// What a convolution does, and what it does besides to each block of the result while that is in the cache.
struct conv2d_options {
  extent2 stride = 1;
  padding2 padding = 0;
  extent2 dilation = 1;                    ///< pixels from one tap of a filter to the next
  int groups = 1;                          ///< filters see the channels of their own group only
  node bias = {};                          ///< (O)
  activation function = activation::none;  ///< applied after the bias …
  node residual = {};                      ///< … and before this tensor of the result's shape is added
};
/// What a pool does.
struct pool_options {
  extent2 kernel = 2;
  extent2 stride = 0;         ///< 0: the kernel
  padding2 padding = 0;       ///< at most half the kernel
  bool ceil = false;          ///< a window that is only partly on the padded image counts as well
  bool count_padding = true;  ///< means are over the whole window, padding included
};

namespace detail {

/// Two numbers below 2^15 in one attribute.
constexpr int packed_pair(int a, int b) { return a | b << 16; }
constexpr int first_of(int pair) { return pair & 0xffff; }
constexpr int second_of(int pair) { return pair >> 16; }

/// Attribute 2 of a pool: a pool_kind, or this.
inline constexpr int adaptive_pool = 2;

/// Windows along one side of an image; 0 if there is none.
constexpr int windows_along(int extent, int before, int after, int reach, int stride, bool ceil = false) {
  int const room = extent + before + after - reach;
  if (room < 0) return 0;
  int const count = (ceil ? room + stride - 1 : room) / stride + 1;
  return ceil && (count - 1) * stride >= extent + before ? count - 1 : count;   // none begins behind the image
}
constexpr bool in_range(extent2 e) { return e.y >= 1 && e.x >= 1 && e.y < 32768 && e.x < 32768; }
constexpr bool in_range(padding2 p) {
  for (int n : {p.top, p.left, p.bottom, p.right})
    if (n < 0 || n >= 32768) return false;
  return true;
}
constexpr bool is_image(graph const& g, node x) { return is_float(g, x) && g.shape(x).rank == 4 && !is_ragged(g, x, 0); }

}  // namespace detail

/// x (N, H, W, C), filter (O, C / groups, kernel height, kernel width) as files have it, an input or a parameter ->
/// (N, H', W', O) with H' = ⌊(H + padding - dilation (kernel - 1) - 1) / stride⌋ + 1, and so W'. A correlation, as
/// everywhere in this field: y(p, o) = Σ x(p · stride + tap · dilation - padding, c) filter(o, c, tap).
/// Attributes: stride, dilation, function, groups, padding above and to the left; whether it is a product of pixels.
constexpr node conv2d(graph& g, node x, node filter, conv2d_options const& o = {}) {
  for (node const operand : {x, filter, o.bias, o.residual})
    if (operand.exists() && !detail::is_float(g, operand)) return detail::wrong_type(g, op_kind::convolution, operand);
  dims const &in = g.shape(x), &f = g.shape(filter);
  bool const stored = g.nodes[filter.id].input || g.nodes[filter.id].parameter;
  if (!detail::is_image(g, x) || f.rank != 4 || !stored || !detail::in_range(o.stride) ||
      !detail::in_range(o.dilation) || !detail::in_range(o.padding) || o.groups < 1 || in[3] != f[1] * o.groups ||
      f[0] % o.groups != 0)
    return detail::wrong_shapes(g, op_kind::convolution, x, filter);
  extent2 const reach{(f[2] - 1) * o.dilation.y + 1, (f[3] - 1) * o.dilation.x + 1};
  int const height = detail::windows_along(in[1], o.padding.top, o.padding.bottom, reach.y, o.stride.y);
  int const width = detail::windows_along(in[2], o.padding.left, o.padding.right, reach.x, o.stride.x);
  if (height == 0 || width == 0) return detail::wrong_shapes(g, op_kind::convolution, x, filter);
  if (o.bias.exists() && !detail::is_vector(g, o.bias, f[0]))
    return detail::wrong_shapes(g, op_kind::convolution, filter, o.bias);
  dims const out{in.dim[0], height, width, f[0]};
  if (o.residual.exists() && !detail::same_shape(g.shape(o.residual), out))
    return detail::wrong_shapes(g, op_kind::convolution, x, o.residual);
  bool const pointwise = reach.y == 1 && reach.x == 1 && o.stride.y == 1 && o.stride.x == 1 && o.groups == 1 &&
                         o.padding.top + o.padding.left + o.padding.bottom + o.padding.right == 0;
  return g.add_op({.kind = op_kind::convolution,
                   .operands = 4,
                   .operand = {x.id, filter.id, o.bias.id, o.residual.id},
                   .attribute = {detail::packed_pair(o.stride.y, o.stride.x),
                                 detail::packed_pair(o.dilation.y, o.dilation.x), static_cast<int>(o.function), o.groups,
                                 detail::packed_pair(o.padding.top, o.padding.left), pointwise}},
                  out);
}

namespace detail {
/// Attributes: stride, kernel, kind, whether padding counts, padding above and to the left, below and to the right.
constexpr node pool(graph& g, pool_kind kind, node x, pool_options const& o) {
  char const* const function = name_of(kind);
  if (!is_float(g, x)) return wrong_type(g, op_kind::pool, x, function);
  extent2 const stride{o.stride.y == 0 ? o.kernel.y : o.stride.y, o.stride.x == 0 ? o.kernel.x : o.stride.x};
  padding2 const& p = o.padding;
  if (!is_image(g, x) || !in_range(o.kernel) || !in_range(stride) || !in_range(p) || 2 * p.top > o.kernel.y ||
      2 * p.bottom > o.kernel.y || 2 * p.left > o.kernel.x || 2 * p.right > o.kernel.x)
    return wrong_shapes(g, op_kind::pool, x, {}, function);
  dims const& in = g.shape(x);
  int const height = windows_along(in[1], p.top, p.bottom, o.kernel.y, stride.y, o.ceil);
  int const width = windows_along(in[2], p.left, p.right, o.kernel.x, stride.x, o.ceil);
  if (height == 0 || width == 0) return wrong_shapes(g, op_kind::pool, x, {}, function);
  return g.add_op(
      {.kind = op_kind::pool,
       .operands = 1,
       .operand = {x.id},
       .attribute = {packed_pair(stride.y, stride.x), packed_pair(o.kernel.y, o.kernel.x), static_cast<int>(kind),
                     kind == pool_kind::average && o.count_padding, packed_pair(p.top, p.left),
                     packed_pair(p.bottom, p.right)}},
      {in.dim[0], height, width, in[3]});
}
}  // namespace detail

/// The largest element under each window: x (N, H, W, C) -> (N, H', W', C). Padding never is the largest.
constexpr node max_pool(graph& g, node x, pool_options const& options = {}) {
  return detail::pool(g, pool_kind::max, x, options);
}
/// The mean of the elements under each window.
constexpr node average_pool(graph& g, node x, pool_options const& options = {}) {
  return detail::pool(g, pool_kind::average, x, options);
}
namespace detail {
/// @param keep_pixels  whether the result is images of that size, or (N, C): the same elements where they are one pixel
constexpr node means_of_shares(graph& g, node x, extent2 size, bool keep_pixels, char const* function) {
  if (!is_float(g, x)) return wrong_type(g, op_kind::pool, x, function);
  if (!is_image(g, x) || !in_range(size)) return wrong_shapes(g, op_kind::pool, x, {}, function);
  dims const& in = g.shape(x);
  return g.add_op({.kind = op_kind::pool,
                   .operands = 1,
                   .operand = {x.id},
                   .attribute = {packed_pair(1, 1), packed_pair(1, 1), adaptive_pool}},
                  keep_pixels ? dims{in.dim[0], size.y, size.x, in[3]} : dims{in.dim[0], in[3]});
}
}  // namespace detail

/// Means over equal shares of the image: x (N, H, W, C) -> (N, size, C); shares overlap by a pixel where the image is no
/// multiple.
constexpr node adaptive_average_pool(graph& g, node x, extent2 size) {
  return detail::means_of_shares(g, x, size, true, "adaptive_average_pool");
}
/// The mean of each channel: x (N, H, W, C) -> (N, C).
constexpr node global_average_pool(graph& g, node x) {
  return detail::means_of_shares(g, x, 1, false, "global_average_pool");
}

/// Batch normalisation with the statistics of training: (x - mean) / √(variance + eps) · weight + bias, channel by channel
/// (Ioffe, Szegedy, "Batch normalization", 2015). x (…, C), the others (C).
constexpr node batch_norm(graph& g, node x, node weight, node bias, node mean, node variance, double eps = 1e-5) {
  for (node const operand : {x, weight, bias, mean, variance})
    if (!detail::is_float(g, operand)) return detail::wrong_type(g, op_kind::batch_norm, operand);
  int const channels = g.shape(x).cols();
  for (node const vector : {weight, bias, mean, variance})
    if (g.shape(x).rank < 2 || !detail::is_vector(g, vector, channels))
      return detail::wrong_shapes(g, op_kind::batch_norm, x, vector);
  return g.add_op({.kind = op_kind::batch_norm,
                   .operands = 5,
                   .operand = {x.id, weight.id, bias.id, mean.id, variance.id},
                   .number = {eps}},
                  g.shape(x));
}

/// Group normalisation: batch_norm's formula with mean and biased variance of each image's groups of C / groups channels
/// (Wu, He, "Group normalization", 2018). x (N, H, W, C), weight and bias (C). Attribute: groups.
constexpr node group_norm(graph& g, node x, node weight, node bias, int groups, double eps = 1e-5) {
  for (node const operand : {x, weight, bias})
    if (!detail::is_float(g, operand)) return detail::wrong_type(g, op_kind::group_norm, operand);
  if (!detail::is_image(g, x) || groups < 1 || g.shape(x)[3] % groups != 0)
    return detail::wrong_shapes(g, op_kind::group_norm, x);
  for (node const vector : {weight, bias})
    if (!detail::is_vector(g, vector, g.shape(x)[3])) return detail::wrong_shapes(g, op_kind::group_norm, x, vector);
  return g.add_op({.kind = op_kind::group_norm,
                   .operands = 3,
                   .operand = {x.id, weight.id, bias.id},
                   .attribute = {groups},
                   .number = {eps}},
                  g.shape(x));
}

namespace detail {
/// Attribute: whether channels become planes.
constexpr node move_channels(graph& g, node x, bool to_planes) {
  char const* const function = to_planes ? "channels_first" : "channels_last";
  if (!is_float(g, x)) return wrong_type(g, op_kind::move_channels, x, function);
  if (!is_image(g, x)) return wrong_shapes(g, op_kind::move_channels, x, {}, function);
  dims const& s = g.shape(x);
  return g.add_op({.kind = op_kind::move_channels, .operands = 1, .operand = {x.id}, .attribute = {to_planes}},
                  to_planes ? dims{s.dim[0], s.dim[3], s.dim[1], s.dim[2]} : dims{s.dim[0], s.dim[2], s.dim[3], s.dim[1]});
}
}  // namespace detail

/// (N, C, H, W) -> (N, H, W, C).
constexpr node channels_last(graph& g, node x) { return detail::move_channels(g, x, false); }
/// (N, H, W, C) -> (N, C, H, W).
constexpr node channels_first(graph& g, node x) { return detail::move_channels(g, x, true); }

/// Squeeze and excitation (Hu, Shen, Sun, 2018): x · sigmoid(w2 f(w1 mean(x) + b1) + b2), a factor for each channel of each
/// image. x (N, H, W, C), w1 (R, C), b1 (R), w2 (C, R), b2 (C).
constexpr node squeeze_excite(graph& g, node x, node w1, node b1, node w2, node b2,
                              activation function = activation::silu) {
  node const squeezed = linear(g, adaptive_average_pool(g, x, 1), w1, b1, function);
  return mul(g, x, linear(g, squeezed, w2, b2, activation::sigmoid));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace ts = tessera;

namespace {

struct sizes {
  int images, height, width, channels, made, kernel_y, kernel_x, stride_y, stride_x, step_y, step_x, groups;
  int top, left, bottom, right;

  constexpr int out_height() const { return (height + top + bottom - (kernel_y - 1) * step_y - 1) / stride_y + 1; }
  constexpr int out_width() const { return (width + left + right - (kernel_x - 1) * step_x - 1) / stride_x + 1; }
  constexpr int pixels() const { return images * out_height() * out_width(); }
};

// From the definition.
std::vector<double> convolved(sizes const& s, std::vector<float> const& x, std::vector<float> const& filter) {
  std::vector<double> y;
  int const per_group = s.channels / s.groups;
  for (int n = 0; n < s.images; ++n)
    for (int i = 0; i < s.out_height(); ++i)
      for (int j = 0; j < s.out_width(); ++j)
        for (int o = 0; o < s.made; ++o) {
          double sum = 0;
          for (int c = 0; c < per_group; ++c)
            for (int a = 0; a < s.kernel_y; ++a)
              for (int b = 0; b < s.kernel_x; ++b) {
                int const line = i * s.stride_y - s.top + a * s.step_y, column = j * s.stride_x - s.left + b * s.step_x;
                if (line < 0 || line >= s.height || column < 0 || column >= s.width) continue;
                int const channel = o / (s.made / s.groups) * per_group + c;
                sum += double{x[static_cast<std::size_t>(((n * s.height + line) * s.width + column) * s.channels + channel)]} *
                       filter[static_cast<std::size_t>(((o * per_group + c) * s.kernel_y + a) * s.kernel_x + b)];
              }
          y.push_back(sum);
        }
  return y;
}

template <sizes S>
struct all_parts {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {S.images, S.height, S.width, S.channels});
    auto const filter = g.input<float>("filter", {S.made, S.channels / S.groups, S.kernel_y, S.kernel_x});
    auto const bias = g.input<float>("bias", {S.made});
    auto const residual = g.input<float>("residual", {S.images, S.out_height(), S.out_width(), S.made});
    ts::conv2d_options o{.stride = {S.stride_y, S.stride_x},
                         .padding = {S.top, S.left, S.bottom, S.right},
                         .dilation = {S.step_y, S.step_x},
                         .groups = S.groups};
    g.output("plain", ts::conv2d(g, x, filter, o));
    g.output("fused", ts::add(g, ts::relu(g, ts::add(g, ts::conv2d(g, x, filter, o), bias)), residual));
    o.bias = bias;
    g.output("sum first", ts::relu(g, ts::add(g, ts::conv2d(g, x, filter, o), residual)));
  }
};

template <sizes S>
void check() {
  auto const x = reference::numbers(static_cast<std::size_t>(S.images * S.height * S.width * S.channels), 1);
  auto const filter =
      reference::numbers(static_cast<std::size_t>(S.made * S.channels / S.groups * S.kernel_y * S.kernel_x), 2);
  auto const bias = reference::numbers(S.made, 3);
  auto const residual = reference::numbers(static_cast<std::size_t>(S.pixels() * S.made), 4);
  auto const wanted = convolved(S, x, filter);
  auto wanted_fused = wanted, wanted_sum = wanted;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    double const biased = wanted[i] + double{bias[i % bias.size()]};
    wanted_fused[i] = std::max(0.0, biased) + double{residual[i]};
    wanted_sum[i] = std::max(0.0, biased + double{residual[i]});
  }
  CHECK(ts::graph_of<all_parts<S>>::value.ops.size() == 3);   // everything is part of the convolution
  std::vector<float> first;
  for (int threads : {1, 3}) {
    ts::model<all_parts<S>> m{ts::engine_options{.threads = threads}};
    auto const [plain, fused, sum_first] =
        m.run(ts::in<"x">(x), ts::in<"filter">(filter), ts::in<"bias">(bias), ts::in<"residual">(residual));
    CHECK(close(sum_first, wanted_sum));
    CHECK(close(plain, wanted));
    CHECK(close(fused, wanted_fused));
    if (threads == 1) first = plain;
    CHECK(plain == first);
  }
}

}  // namespace

TEST_CASE("convolutions, blocks of pixels that end within lines and images") {
  check<sizes{3, 13, 11, 5, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}>();
  check<sizes{1, 24, 17, 64, 96, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1}>();      // deeper than a slice is not
  check<sizes{2, 9, 10, 130, 33, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}>();      // two slices of the depth, one of them odd
  check<sizes{1, 31, 29, 3, 16, 7, 7, 2, 2, 1, 1, 1, 3, 3, 3, 3}>();
  check<sizes{2, 12, 9, 8, 24, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0}>();        // a product
  check<sizes{2, 12, 9, 8, 24, 1, 1, 2, 2, 1, 1, 1, 0, 0, 0, 0}>();
  check<sizes{1, 12, 13, 4, 10, 3, 5, 2, 1, 3, 2, 1, 3, 4, 2, 3}>();       // nothing alike in both directions
  check<sizes{1, 14, 15, 6, 8, 3, 3, 2, 2, 1, 1, 1, 0, 0, 1, 1}>();        // padding at one side only, as TensorFlow has it
}

TEST_CASE("convolutions in groups, down to single channels") {
  check<sizes{2, 17, 19, 32, 32, 3, 3, 1, 1, 1, 1, 32, 1, 1, 1, 1}>();     // depthwise
  check<sizes{1, 33, 21, 24, 24, 5, 5, 2, 2, 1, 1, 24, 2, 2, 2, 2}>();
  check<sizes{1, 9, 30, 12, 36, 3, 3, 1, 1, 1, 1, 12, 1, 1, 1, 1}>();      // three filters a channel
  check<sizes{1, 16, 16, 128, 128, 3, 3, 1, 1, 1, 1, 32, 1, 1, 1, 1}>();   // as in ResNeXt
  check<sizes{2, 11, 7, 20, 30, 3, 3, 2, 1, 1, 2, 5, 1, 2, 1, 2}>();
  check<sizes{1, 10, 10, 96, 96, 3, 3, 1, 1, 2, 2, 2, 2, 2, 2, 2}>();
}

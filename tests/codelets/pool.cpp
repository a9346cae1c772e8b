// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace ts = tessera;

namespace {

constexpr int images = 2, height = 23, width = 17, channels = 37;

struct pools {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {images, height, width, channels});
    g.output("largest", ts::max_pool(g, x, {.kernel = 3, .stride = 2, .padding = 1}));
    g.output("largest, to the end", ts::max_pool(g, x, {.kernel = {3, 2}, .stride = {2, 3}, .ceil = true}));
    g.output("means", ts::average_pool(g, x, {.kernel = 3, .stride = 2, .padding = 1}));
    g.output("means of what is there", ts::average_pool(g, x, {.kernel = 3, .padding = 1, .ceil = true, .count_padding = false}));
    g.output("shares", ts::adaptive_average_pool(g, x, {5, 4}));
    g.output("all", ts::global_average_pool(g, x));
  }
};

struct geometry {
  int kernel_y, kernel_x, stride_y, stride_x, padding, out_height, out_width;
  bool count_padding;
};

template <bool Largest>
std::vector<double> pooled(std::vector<float> const& x, geometry const& p) {
  std::vector<double> y;
  for (int n = 0; n < images; ++n)
    for (int i = 0; i < p.out_height; ++i)
      for (int j = 0; j < p.out_width; ++j)
        for (int c = 0; c < channels; ++c) {
          double largest = -std::numeric_limits<double>::infinity(), sum = 0;
          int count = 0;
          for (int a = 0; a < p.kernel_y; ++a)
            for (int b = 0; b < p.kernel_x; ++b) {
              int const line = i * p.stride_y - p.padding + a, column = j * p.stride_x - p.padding + b;
              bool const padded = line < height + p.padding && column < width + p.padding;
              bool const there = line >= 0 && line < height && column >= 0 && column < width;
              count += p.count_padding ? padded : there;
              if (!there) continue;
              double const value = x[static_cast<std::size_t>(((n * height + line) * width + column) * channels + c)];
              largest = std::max(largest, value);
              sum += value;
            }
          y.push_back(Largest ? largest : sum / count);
        }
  return y;
}

std::vector<double> shares(std::vector<float> const& x, int rows, int cols) {
  std::vector<double> y;
  for (int n = 0; n < images; ++n)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j)
        for (int c = 0; c < channels; ++c) {
          double sum = 0;
          int count = 0;
          for (int line = 0; line < height; ++line)
            for (int column = 0; column < width; ++column) {
              // Any overlap with [i, i + 1) of `rows` equal parts.
              if (line * rows >= (i + 1) * height || (line + 1) * rows <= i * height) continue;
              if (column * cols >= (j + 1) * width || (column + 1) * cols <= j * width) continue;
              sum += double{x[static_cast<std::size_t>(((n * height + line) * width + column) * channels + c)]};
              ++count;
            }
          y.push_back(sum / count);
        }
  return y;
}

}  // namespace

TEST_CASE("pools of images") {
  auto const x = reference::numbers(images * height * width * channels, 1);
  for (int threads : {1, 3}) {
    ts::model<pools> m{ts::engine_options{.threads = threads}};
    auto const [largest, to_the_end, means, of_what_is_there, parts, all] = m.run(ts::in<"x">(x));
    CHECK(close(largest, pooled<true>(x, {3, 3, 2, 2, 1, 12, 9, true})));
    CHECK(close(to_the_end, pooled<true>(x, {3, 2, 2, 3, 0, 11, 6, true})));
    CHECK(close(means, pooled<false>(x, {3, 3, 2, 2, 1, 12, 9, true})));
    CHECK(close(of_what_is_there, pooled<false>(x, {3, 3, 3, 3, 1, 8, 6, false})));
    CHECK(close(parts, shares(x, 5, 4)));
    CHECK(close(all, shares(x, 1, 1)));
  }
}

TEST_CASE("where a pool has its windows") {
  using ts::detail::windows_along;
  CHECK(windows_along(11, 0, 0, 3, 2, true) == 5);
  CHECK(windows_along(11, 1, 1, 3, 2, true) == 6);
  CHECK(windows_along(5, 1, 1, 2, 3, true) == 2);    // a third would begin behind the image
  CHECK(windows_along(5, 0, 0, 2, 2, true) == 3);
  CHECK(windows_along(5, 0, 0, 2, 2) == 2);
  CHECK(windows_along(2, 0, 0, 3, 1) == 0);
}

// SPDX-License-Identifier: Apache-2.0
// Pools of images: the largest element, or the mean, under windows. Images are matrices as in image_windows.hpp.
#pragma once

#include <tessera/codelets/image_windows.hpp>
#include <tessera/codelets/kinds.hpp>
#include <tessera/program/vertex.hpp>
#include <tessera/simd/tail.hpp>

#include <algorithm>
#include <limits>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// y(pixel) = the largest x, or the mean of x, under the window, of which only what lies on the image counts. Means are
/// over those elements, or with `all_taps` over the whole window as far as it lies on the padded image.
template <pool_kind Kind>
struct pool {
  input<float, 2> x;
  output<float, 2> y;
  image_windows windows;
  int padded_height = 0, padded_width = 0;   ///< where padding ends below and to the right; 0: only the image counts
  TESSERA_FIELDS(pool, x, y, windows, padded_height, padded_width);

  static constexpr work cost(extents x, extents y) { return {1.0 * x.volume(), 4.0 * (x.volume() + y.volume())}; }
  void configure(double const* number) {
    windows = image_windows::from(number);
    padded_height = static_cast<int>(number[image_numbers]);
    padded_width = static_cast<int>(number[image_numbers + 1]);
  }
  void compute() const {
    image_windows const& w = windows;
    for (int r = 0; r < y.rows(); ++r) {
      int const pixel = y.first_row() + r, line = pixel / w.width;
      int const y0 = line % w.height * w.stride_y - w.top, x0 = pixel % w.width * w.stride_x - w.left;
      int const y1 = y0 + w.kernel_y, x1 = x0 + w.kernel_x;
      box const shown{std::max(y0, 0), std::min(y1, w.in_height), std::max(x0, 0), std::min(x1, w.in_width)};
      int const counted = padded_height == 0 ? shown.count()
                                             : (std::min(y1, padded_height) - y0) * (std::min(x1, padded_width) - x0);
      one(line / w.height, shown, 1.0f / static_cast<float>(std::max(1, counted)), r);
    }
  }

 private:
  struct box {
    int top, bottom, left, right;
    int count() const { return std::max(0, bottom - top) * std::max(0, right - left); }
  };
  void one(int image, box const& shown, float share, int r) const {
    auto const in = unchecked(x);
    float* const out = unchecked(y).row(r);
    std::ptrdiff_t const image_row = std::ptrdiff_t{image} * windows.in_height * windows.in_width - x.first_row();
    simd::for_each_batch<float>(y.cols(), [&](int c, auto count) {
      simd::batch<float> value(Kind == pool_kind::max ? -std::numeric_limits<float>::infinity() : 0.0f);
      for (int line = shown.top; line < shown.bottom; ++line) {
        float const* element = in.data + (image_row + std::ptrdiff_t{line} * windows.in_width + shown.left) * in.stride + c;
        for (int column = shown.left; column < shown.right; ++column, element += in.stride) {
          if constexpr (Kind == pool_kind::max) value = simd::max(value, simd::load(element, count));
          else value = value + simd::load(element, count);
        }
      }
      if constexpr (Kind == pool_kind::average) value = value * simd::batch<float>(share);
      simd::store(out + c, value, count);
    });
  }
};

/// y(pixel) = the mean of x over a share of the image: of H lines, line i of h takes those from ⌊i H / h⌋ to
/// ⌈(i + 1) H / h⌉, and so along a line (torch.nn.AdaptiveAvgPool2d).
struct adaptive_average_pool {
  input<float, 2> x;
  output<float, 2> y;
  image_windows windows;   ///< sizes of images
  TESSERA_FIELDS(adaptive_average_pool, x, y, windows);

  static constexpr work cost(extents x, extents y) { return {1.0 * x.volume(), 4.0 * (x.volume() + y.volume())}; }
  void configure(double const* number) { windows = image_windows::from(number); }
  void compute() const {
    image_windows const& w = windows;
    auto const in = unchecked(x);
    for (int r = 0; r < y.rows(); ++r) {
      int const pixel = y.first_row() + r, line = pixel / w.width, image = line / w.height;
      int const i = line % w.height, j = pixel % w.width;
      int const top = i * w.in_height / w.height, bottom = ((i + 1) * w.in_height + w.height - 1) / w.height;
      int const left = j * w.in_width / w.width, right = ((j + 1) * w.in_width + w.width - 1) / w.width;
      simd::batch<float> const count_of(static_cast<float>((bottom - top) * (right - left)));
      simd::for_each_batch<float>(y.cols(), [&](int c, auto count) {
        simd::batch<float> sum(0.0f);
        for (int a = top; a < bottom; ++a) {
          simd::batch<float> of_line(0.0f);   // in two steps: sums over an image are long
          std::ptrdiff_t const row = (std::ptrdiff_t{image} * w.in_height + a) * w.in_width - x.first_row() + left;
          float const* element = in.data + row * in.stride + c;
          for (int b = left; b < right; ++b, element += in.stride) of_line = of_line + simd::load(element, count);
          sum = sum + of_line;
        }
        simd::store(unchecked(y).row(r) + c, simd::div(sum, count_of), count);
      });
    }
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

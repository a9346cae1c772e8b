// SPDX-License-Identifier: Apache-2.0
// Convolutions of images. An image is a matrix with a row for each pixel, line after line, and a column for each channel;
// several follow one another. A vertex makes some pixels of the result, any run of them, in some of its channels.
//
//   y(pixel, o) = function(Σ x(pixel under tap, c) · filter(o, c, tap) + bias(o)) + residual(pixel, o)
#pragma once

#include <tessera/codelets/activation.hpp>
#include <tessera/codelets/detail/gemm_kernel.hpp>
#include <tessera/codelets/gemm.hpp>
#include <tessera/codelets/image_windows.hpp>
#include <tessera/program/vertex.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

namespace detail {

/// The left operand of a convolution as a product: row p has, tap after tap, the channels of the pixel under that tap of
/// result pixel p, zero beyond the image (Chellapilla, Puri, Simard, "High performance convolutional neural networks for
/// document processing", 2006). Rows are made when the product wants them.
struct pixels_under_taps {
  image_windows w;
  unchecked_view<float const> x;
  int first_row;     ///< of x, in the whole tensor
  int channels;
  int first_pixel;   ///< of the result, in the whole tensor

  void operator()(int row, int rows, int k, int depth, float* to, int stride) const {
    for (int r = 0; r < rows; ++r) {
      int const pixel = first_pixel + row + r;
      int const line = pixel / w.width;
      make_row(line / w.height, line % w.height * w.stride_y - w.top, pixel % w.width * w.stride_x - w.left, k, k + depth,
               to + std::ptrdiff_t{r} * stride - k);
    }
  }

 private:
  /// Elements [from, to) of the row whose window begins at (y, x0) of an image.
  void make_row(int image, int y, int x0, int from, int to, float* row) const {
    // Taps that are next to one another in a line show elements that follow one another.
    int const together = w.step_x == 1 ? w.kernel_x : 1;
    int const run = together * channels;
    for (int at = from / run * run; at < to; at += run) {
      int const tap = at / channels;
      int const line = y + tap / w.kernel_x * w.step_y, first = x0 + tap % w.kernel_x * w.step_x;
      int const begin = std::max(at, from), end = std::min(at + run, to);
      int filled = begin;   // of the run so far
      if (line >= 0 && line < w.in_height) {
        int const inside = std::clamp(at - first * channels, begin, end);
        int const outside = std::clamp(at + (w.in_width - first) * channels, inside, end);
        std::ptrdiff_t const in_row = (std::ptrdiff_t{image} * w.in_height + line) * w.in_width - first_row + first;
        std::fill(row + begin, row + inside, 0.0f);
        copy(in_row, inside - at, outside - inside, row + inside);
        filled = outside;
      }
      std::fill(row + filled, row + end, 0.0f);
    }
  }
  /// `count` elements from element `offset` behind the beginning of row `in_row` on.
  void copy(std::ptrdiff_t in_row, int offset, int count, float* to) const {
    if (x.stride == channels) {
      if (count > 0)
        std::memcpy(to, x.data + in_row * channels + offset, static_cast<std::size_t>(count) * sizeof(float));
      return;
    }
    while (count > 0) {   // rows with gaps
      int const skip = offset % channels, part = std::min(count, channels - skip);
      std::memcpy(to, x.row(static_cast<int>(in_row) + offset / channels) + skip,
                  static_cast<std::size_t>(part) * sizeof(float));
      to += part, offset += part, count -= part;
    }
  }
};

}  // namespace detail

/// A convolution as a product: every pixel meets all filters. x has all channels of the lines that the windows meet,
/// filters are (O, C · taps) and come in row panels, their columns ordered by taps.
template <activation Function, bool Bias, addend Residual>
struct convolution {
  input<float, 2> x;
  input<float, 2, row_panels<panel_width>> filter;
  input<float, 2> bias;      ///< (O, 1), one column
  input<float, 2> residual;  ///< (pixels, O)
  output<float, 2> y;
  image_windows windows;
  TESSERA_FIELDS(convolution, x, filter, bias, residual, y, windows);

  static constexpr work cost(extents x, extents filter, extents, extents, extents y) {
    return {2.0 * y.volume() * filter.cols(), 4.0 * (x.volume() + filter.volume() + y.volume())};
  }
  void configure(double const* number) { windows = image_windows::from(number); }
  void compute() const {
    auto const out = unchecked(y);
    detail::pixels_under_taps const left{windows, unchecked(x), x.first_row(), x.cols(), y.first_row()};
    detail::gemm_operands const operands{.rows = y.rows(),
                                         .columns = y.cols(),
                                         .depth = x.cols() * windows.taps(),
                                         .a = nullptr,
                                         .a_stride = 0,
                                         .b = unchecked(filter).data,
                                         .c = out.data,
                                         .c_stride = out.stride,
                                         .ahead = next_memory};
    detail::gemm_block<float>(operands, detail::finish_of_product<Function, Bias, Residual>(bias, residual), left);
  }
};

/// Floats of workspace that grouped_convolution wants: the lines that a window reaches over, `depth` copies of `channels`
/// for each pixel.
constexpr std::int64_t grouped_workspace(int reach_y, int reach_x, int stride_x, int width, int depth, int channels) {
  return std::int64_t{reach_y} * ((width - 1) * stride_x + reach_x) * depth * channels;
}

/// A convolution in groups of channels, down to one channel each (depthwise): filter o sees the channels of its own
/// group only. Filters are (O, C/groups · taps) and come by columns, ordered by taps. Vectors run over the result's
/// channels; each line that is read is spread first, so that element i of the group stands in the place of each of the
/// group's results, with zeros around the image. No element is permuted in the innermost loop.
template <activation Function, bool Bias, addend Residual>
struct grouped_convolution {
  input<float, 2> x;
  input<float, 2, col_major> filter;
  input<float, 2> bias;      ///< (O, 1), one column
  input<float, 2> residual;  ///< (pixels, O)
  output<float, 2> y;
  image_windows windows;
  int group_in = 1;          ///< channels of a group that are read …
  int group_out = 1;         ///< … and made
  workspace<float> lines;
  TESSERA_FIELDS(grouped_convolution, x, filter, bias, residual, y, windows, group_in, group_out, lines);

  static constexpr work cost(extents x, extents filter, extents, extents, extents y) {
    return {2.0 * y.volume() * filter.cols(), 4.0 * (x.volume() + filter.volume() + y.volume())};
  }
  void configure(double const* number) {
    windows = image_windows::from(number);
    group_in = static_cast<int>(number[image_numbers]);
    group_out = static_cast<int>(number[image_numbers + 1]);
  }
  void compute() const {
    image_windows const& w = windows;
    int const reach = (w.kernel_y - 1) * w.step_y + 1;
    int const first = y.first_row(), last = first + y.rows();
    int image = -1, spread_to = 0;   // lines of the image below this one have been spread, or are not wanted
    for (int pixel = first; pixel < last;) {
      int const line = pixel / w.width, from = pixel % w.width;
      int const to = std::min(w.width, from + last - pixel);
      int const above = line % w.height * w.stride_y - w.top;
      if (line / w.height != image) {
        image = line / w.height;
        spread_to = 0;
      }
      for (spread_to = std::max(spread_to, above); spread_to < std::min(above + reach, w.in_height); ++spread_to)
        spread(image * w.in_height + spread_to, slot(spread_to % reach));
      // Sums that fit the registers beside a filter's element and what it is multiplied with.
      constexpr int most = simd::lanes<float> == 16 ? 14 : 6;
      int at = from;
      for (; at + most <= to; at += most) block<most>(above, at, pixel + at - from);
      for (; at + 2 <= to; at += 2) block<2>(above, at, pixel + at - from);
      for (; at < to; ++at) block<1>(above, at, pixel + at - from);
      pixel += to - from;
    }
  }

 private:
  int channels() const { return y.cols(); }
  /// Floats of a spread pixel, and of a line of them.
  std::ptrdiff_t pixel_step() const { return std::ptrdiff_t{group_in} * channels(); }
  int spread_width() const { return (windows.width - 1) * windows.stride_x + (windows.kernel_x - 1) * windows.step_x + 1; }
  float* slot(int number) const { return lines.data() + number * spread_width() * pixel_step(); }

  /// Spreads a line of the tensor x, of all images, of which `to` has room for those pixels that windows show.
  void spread(int line, float* to) const {
    std::ptrdiff_t const row = std::ptrdiff_t{line} * windows.in_width - x.first_row();
    for (int i = 0; i < spread_width(); ++i, to += pixel_step()) {
      int const column = i - windows.left;
      if (column < 0 || column >= windows.in_width) std::fill(to, to + pixel_step(), 0.0f);
      else spread_pixel(unchecked(x).row(static_cast<int>(row) + column), to);
    }
  }
  void spread_pixel(float const* from, float* to) const {
    if (group_in == 1 && group_out == 1) {
      std::memcpy(to, from + y.first_col() - x.first_col(), static_cast<std::size_t>(channels()) * sizeof(float));
      return;
    }
    for (int o = 0; o < channels();) {   // group by group; the first and last may be cut
      int const channel = y.first_col() + o, group = channel / group_out;
      int const count = std::min((group + 1) * group_out - channel, channels() - o);
      float const* const elements = from + std::ptrdiff_t{group} * group_in - x.first_col();
      for (int i = 0; i < group_in; ++i) std::fill_n(to + std::ptrdiff_t{i} * channels() + o, count, elements[i]);
      o += count;
    }
  }

  /// Pixels [at, at + Pixels) of a line of the result, whose windows begin at line `above` of the image; `row` is the
  /// first pixel's in the whole result.
  template <int Pixels>
  void block(int above, int at, int row) const {
    image_windows const& w = windows;
    int const reach = (w.kernel_y - 1) * w.step_y + 1;
    std::ptrdiff_t const next_pixel = w.stride_x * pixel_step();
    float const* const filters = unchecked(filter).data;
    auto const out = unchecked(y);
    auto const rest = unchecked(residual);
    simd::for_each_batch<float>(channels(), [&](int o, auto count) {
      simd::batch<float> sum[Pixels];
      simd::batch<float> const start = Bias ? simd::load(unchecked(bias).data + o, count) : simd::batch<float>(0.0f);
#pragma GCC unroll 16
      for (int p = 0; p < Pixels; ++p) sum[p] = start;
      for (int ky = 0; ky < w.kernel_y; ++ky) {
        int const line = above + ky * w.step_y;
        if (line < 0 || line >= w.in_height) continue;
        float const* pixel = slot(line % reach) + std::ptrdiff_t{at} * next_pixel + o;
        float const* f = filters + std::ptrdiff_t{ky} * w.kernel_x * group_in * channels() + o;
        for (int kx = 0; kx < w.kernel_x; ++kx, pixel += w.step_x * pixel_step())
          for (int i = 0; i < group_in; ++i, f += channels()) {
            simd::batch<float> const weight = simd::load(f, count);
            float const* const elements = pixel + std::ptrdiff_t{i} * channels();
#pragma GCC unroll 16
            for (int p = 0; p < Pixels; ++p)
              sum[p] = simd::fma(simd::load(elements + p * next_pixel, count), weight, sum[p]);
          }
      }
#pragma GCC unroll 16
      for (int p = 0; p < Pixels; ++p) {
        int const r = row + p - y.first_row();
        // The sums began with the bias.
        simd::store(out.row(r) + o,
                    finished<Function, false, Residual>(
                        sum[p], [] { return simd::batch<float>(0.0f); }, [&] { return simd::load(rest.row(r) + o, count); }),
                    count);
      }
    });
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

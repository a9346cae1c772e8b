// SPDX-License-Identifier: Apache-2.0
// Normalisations of images: batch norm with the statistics it was trained with, and group norm. Images are matrices with
// a row for each pixel and a column for each channel.
#pragma once

#include <tessera/program/vertex.hpp>
#include <tessera/simd/math.hpp>
#include <tessera/simd/tail.hpp>

#include <algorithm>
#include <cmath>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// y = (x - mean) / √(variance + eps) · weight + bias, channel by channel (Ioffe, Szegedy, "Batch normalization", 2015,
/// algorithm 2). Vectors are (C, 1).
struct batch_norm {
  input<float, 2> x;
  input<float, 2> weight;
  input<float, 2> bias;
  input<float, 2> mean;
  input<float, 2> variance;
  output<float, 2> y;
  float eps = 1e-5f;
  TESSERA_FIELDS(batch_norm, x, weight, bias, mean, variance, y, eps);

  static constexpr work cost(extents x, extents, extents, extents, extents, extents) {
    return {3.0 * x.volume(), 8.0 * x.volume()};
  }
  void configure(double const* number) { eps = static_cast<float>(number[0]); }
  void compute() const {
    auto const in = unchecked(x);
    auto const out = unchecked(y);
    simd::for_each_batch<float>(y.cols(), [&](int c, auto count) {
      simd::batch<float> const center = simd::load(unchecked(mean).data + c, count);
      simd::batch<float> const shift = simd::load(unchecked(bias).data + c, count);
      simd::batch<float> const scale = simd::load(unchecked(weight).data + c, count) *
                                       simd::rsqrt(simd::load(unchecked(variance).data + c, count) + simd::batch<float>(eps));
      for (int r = 0; r < y.rows(); ++r)
        simd::store(out.row(r) + c, simd::fma(simd::load(in.row(r) + c, count) - center, scale, shift), count);
    });
  }
};

/// y = (x - mean) / √(variance + eps) · weight + bias with the statistics of each image's group of channels, the variance
/// biased (Wu, He, "Group normalization", 2018). The block is some whole images and some whole groups.
struct group_norm {
  input<float, 2> x;
  input<float, 2> weight;   ///< (C, 1)
  input<float, 2> bias;     ///< (C, 1)
  output<float, 2> y;
  int pixels = 1;           ///< of an image
  int group = 1;            ///< channels of a group
  float eps = 1e-5f;
  workspace<float> of_channels;   ///< two floats a channel: a sum, then the scale; the group's mean
  TESSERA_FIELDS(group_norm, x, weight, bias, y, pixels, group, eps, of_channels);

  static constexpr work cost(extents x, extents, extents, extents) { return {6.0 * x.volume(), 12.0 * x.volume()}; }
  void configure(double const* number) {
    pixels = static_cast<int>(number[0]);
    group = static_cast<int>(number[1]);
    eps = static_cast<float>(number[2]);
  }
  void compute() const {
    for (int first = 0; first < y.rows(); first += pixels) normalize(first);
  }

 private:
  /// sum[c] = Σ term(value, c) over the pixels from row `first` on. In pieces: sums over an image are long.
  template <class Term>
  void sum_channels(int first, float* sum, Term term) const {
    constexpr int piece = 64;
    auto const in = unchecked(x);
    simd::for_each_batch<float>(y.cols(), [&](int c, auto count) {
      simd::batch<float> all(0.0f);
      for (int p = 0; p < pixels; p += piece) {
        simd::batch<float> part(0.0f);
        for (int q = p; q < std::min(p + piece, pixels); ++q)
          part = part + term(simd::load(in.row(first + q) + c, count), c, count);
        all = all + part;
      }
      simd::store(sum + c, all, count);
    });
  }
  /// For every group, `make` of the mean of its channels' sums, given to each of them.
  template <class Make>
  void of_groups(float const* sum, float* result, Make make) const {
    for (int g = 0; g < y.cols(); g += group) {
      double all = 0;
      for (int c = g; c < g + group; ++c) all += sum[c];
      std::fill_n(result + g, group, make(static_cast<float>(all / (static_cast<double>(pixels) * group))));
    }
  }
  void normalize(int first) const {
    float* const sum = of_channels.data();
    float* const mean = sum + y.cols();
    sum_channels(first, sum, [](simd::batch<float> const& value, int, auto) { return value; });
    of_groups(sum, mean, [](float m) { return m; });
    sum_channels(first, sum, [&](simd::batch<float> const& value, int c, auto count) {
      simd::batch<float> const deviation = value - simd::load(mean + c, count);
      return deviation * deviation;
    });
    float* const scale = sum;   // a group's sums are read before its scales are written
    of_groups(sum, scale, [&](float variance) { return 1.0f / std::sqrt(variance + eps); });
    simd::for_each_batch<float>(y.cols(), [&](int c, auto count) {
      simd::batch<float> const center = simd::load(mean + c, count);
      simd::batch<float> const factor = simd::load(scale + c, count) * simd::load(unchecked(weight).data + c, count);
      simd::batch<float> const shift = simd::load(unchecked(bias).data + c, count);
      for (int p = first; p < first + pixels; ++p)
        simd::store(unchecked(y).row(p) + c, simd::fma(simd::load(unchecked(x).row(p) + c, count) - center, factor, shift),
                    count);
    });
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

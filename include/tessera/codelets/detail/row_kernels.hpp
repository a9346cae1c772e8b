// SPDX-License-Identifier: Apache-2.0
// Operations on one row of floats: layer norm, softmax, L2 normalisation, and the mean of several rows.
//
//   layer_norm_row(x + r * width, weight, bias, out + r * width, width, 1e-12f);
//
// `out` may be the row itself. Sums are taken in float, a lane each, and the lanes added in halves: for rows of up to
// some thousand elements the error is a few units in the last place of the largest term.
#pragma once

#include <tessera/simd/math.hpp>
#include <tessera/simd/tail.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets::detail {

/// Σ term(i, count) over a row: `term` yields a batch for `count` elements from i on, zero in the lanes beyond.
template <class Term>
TESSERA_INLINE float sum_row(int n, Term term) {
  constexpr int width = simd::lanes<float>;
  using simd::batch;
  // four chains, since an addition takes four cycles
  batch<float> sum[4] = {batch<float>(0.0f), batch<float>(0.0f), batch<float>(0.0f), batch<float>(0.0f)};
  int i = 0;
  for (; i + 4 * width <= n; i += 4 * width)
#pragma GCC unroll 4
    for (int chain = 0; chain < 4; ++chain) sum[chain] = sum[chain] + term(i + chain * width, simd::whole<float>{});
  simd::for_each_batch<float>(n - i, [&](int rest, auto count) { sum[0] = sum[0] + term(i + rest, count); });
  return simd::hsum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/// out = (x - mean) / √(variance + epsilon) · weight + bias. The variance is the mean squared deviation, from a second
/// pass over the row: no cancellation where the mean is large.
/// @param weight,bias  n elements each, or null for ones and zeros
inline void layer_norm_row(float const* x, float const* weight, float const* bias, float* out, int n, float epsilon) {
  using simd::batch;
  float const mean = sum_row(n, [&](int i, auto count) { return simd::load(x + i, count); }) / static_cast<float>(n);
  batch<float> const center(mean);
  float const squares = sum_row(n, [&](int i, auto count) {
    batch<float> const deviation = simd::keep(simd::load(x + i, count) - center, count, 0.0f);
    return deviation * deviation;
  });
  batch<float> const scale = simd::rsqrt(batch<float>(squares / static_cast<float>(n) + epsilon));
  simd::for_each_batch<float>(n, [&](int i, auto count) {
    batch<float> y = (simd::load(x + i, count) - center) * scale;
    if (weight != nullptr) y = y * simd::load(weight + i, count);
    if (bias != nullptr) y = y + simd::load(bias + i, count);
    simd::store(out + i, y, count);
  });
}

/// The largest element; minus infinity of none.
TESSERA_INLINE float max_row(float const* x, int n) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  constexpr int width = simd::lanes<float>;
  simd::batch<float> largest[4] = {simd::batch<float>(lowest), simd::batch<float>(lowest), simd::batch<float>(lowest),
                                   simd::batch<float>(lowest)};   // four chains, as in sum_row
  int i = 0;
  for (; i + 4 * width <= n; i += 4 * width)
#pragma GCC unroll 4
    for (int chain = 0; chain < 4; ++chain)
      largest[chain] = simd::max(largest[chain], simd::load(x + i + chain * width));
  simd::for_each_batch<float>(n - i, [&](int rest, auto count) {
    largest[0] = simd::max(largest[0], simd::keep(simd::load(x + i + rest, count), count, lowest));
  });
  return simd::hmax(simd::max(simd::max(largest[0], largest[1]), simd::max(largest[2], largest[3])));
}

/// out = e^(scale x + mask - m) / Σ, where m is the largest exponent: the probabilities of one row.
/// @param mask  n terms to add, minus infinity where an element does not take part, or null. A row in which nothing
///              takes part becomes all zero.
inline void softmax_row(float const* x, float const* mask, float* out, int n, float scale = 1.0f) {
  using simd::batch;
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  batch<float> const factor(scale);
  batch<float> largest_lanes(lowest);
  simd::for_each_batch<float>(n, [&](int i, auto count) {
    batch<float> y = simd::load(x + i, count) * factor;
    if (mask != nullptr) y = y + simd::load(mask + i, count);
    simd::store(out + i, y, count);
    largest_lanes = simd::max(largest_lanes, simd::keep(y, count, lowest));
  });
  float const largest = simd::hmax(largest_lanes);
  if (largest == lowest) {
    std::fill(out, out + n, 0.0f);
    return;
  }
  batch<float> const shift(largest);
  float const sum = sum_row(n, [&](int i, auto count) {
    batch<float> const y = simd::keep(simd::exp(simd::load(out + i, count) - shift), count, 0.0f);
    simd::store(out + i, y, count);
    return y;
  });
  batch<float> const share(1.0f / sum);
  simd::for_each_batch<float>(
      n, [&](int i, auto count) { simd::store(out + i, simd::load(out + i, count) * share, count); });
}

/// out = x / max(‖x‖, epsilon).
inline void l2_normalize_row(float const* x, float* out, int n, float epsilon) {
  using simd::batch;
  float const square = sum_row(n, [&](int i, auto count) {
    batch<float> const y = simd::load(x + i, count);
    return y * y;
  });
  batch<float> const norm = simd::max(simd::sqrt(batch<float>(square)), batch<float>(epsilon));
  simd::for_each_batch<float>(
      n, [&](int i, auto count) { simd::store(out + i, simd::div(simd::load(x + i, count), norm), count); });
}

/// out = the mean of `rows` rows of n elements, `stride` apart; zero of no row.
inline void mean_of_rows(float const* x, std::ptrdiff_t stride, int rows, float* out, int n) {
  using simd::batch;
  batch<float> const share(rows > 0 ? 1.0f / static_cast<float>(rows) : 0.0f);
  simd::for_each_batch<float>(n, [&](int i, auto count) {
    batch<float> even(0.0f), odd(0.0f);
    int r = 0;
    for (; r + 2 <= rows; r += 2) {
      even = even + simd::load(x + r * stride + i, count);
      odd = odd + simd::load(x + (r + 1) * stride + i, count);
    }
    if (r < rows) even = even + simd::load(x + r * stride + i, count);
    simd::store(out + i, (even + odd) * share, count);
  });
}

}  // namespace codelets::detail
TESSERA_ISA_END
}  // namespace tessera

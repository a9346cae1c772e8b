// SPDX-License-Identifier: Apache-2.0
// Attention: softmax(q kᵀ / √D) v as one vertex for a head and a block of rows; the matrix of scores never exists.
// (Vaswani et al., "Attention is all you need", 2017)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <tessera/base/error.hpp>
#include <tessera/codelets/detail/row_kernels.hpp>
#include <tessera/program/vertex.hpp>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {
namespace detail {

/// One query against `keys` keys, 64 at a time, with a running maximum and sum.
/// @param keep  int64 for each key, 0 where it does not take part, or null
inline void attend(float const* q, float const* k, std::ptrdiff_t k_stride, float const* v, std::ptrdiff_t v_stride,
                   std::int64_t const* keep, int keys, int depth, float scale, float* out) {
  constexpr int block = 64;
  float score[block];
  float largest = -std::numeric_limits<float>::infinity();
  float sum = 0;
  std::fill(out, out + depth, 0.0f);
  for (int first = 0; first < keys; first += block) {
    int const n = std::min(block, keys - first);
    float block_largest = largest;
    for (int j = 0; j < n; ++j) {
      float const* const key = k + (first + j) * k_stride;
      score[j] = keep != nullptr && keep[first + j] == 0
                     ? -std::numeric_limits<float>::infinity()
                     : scale * sum_row(depth, [&](int i, auto count) {
                         return simd::load(q + i, count) * simd::load(key + i, count);
                       });
      block_largest = std::max(block_largest, score[j]);
    }
    if (block_largest == -std::numeric_limits<float>::infinity()) continue;
    float const shrink = largest == block_largest ? 1.0f : std::exp(largest - block_largest);
    sum *= shrink;
    largest = block_largest;
    simd::for_each_batch<float>(n, [&](int j, auto count) {
      auto const e = simd::keep(simd::exp(simd::load(score + j, count) - simd::broadcast(largest)), count, 0.0f);
      simd::store(score + j, e, count);
      sum += simd::hsum(e);
    });
    simd::for_each_batch<float>(depth, [&](int i, auto count) {
      auto total = simd::load(out + i, count) * simd::broadcast(shrink);
      for (int j = 0; j < n; ++j)
        total = simd::fma(simd::broadcast(score[j]), simd::load(v + (first + j) * v_stride + i, count), total);
      simd::store(out + i, total, count);
    });
  }
  auto const share = simd::broadcast(sum > 0 ? 1.0f / sum : 0.0f);
  simd::for_each_batch<float>(depth, [&](int i, auto count) {
    simd::store(out + i, simd::load(out + i, count) * share, count);
  });
}

}  // namespace detail

/// One head of one batch element: q (S, D), k and v (K, D), y (S, D), all rows of the tensors that the tile has. mask
/// (B, K) of int64 is given completely: 0 for keys that do not take part; the tile's head is row_of_y / S, its batch
/// element that by `heads`.
template <bool Masked>
struct attention {
  input<float, 2> q;
  input<float, 2> k;
  input<float, 2> v;
  input<std::int64_t, 2> mask;
  output<float, 2> y;
  int heads = 1;
  TESSERA_FIELDS(attention, q, k, v, mask, y, heads);

  static constexpr work cost(extents q, extents k, extents, extents, extents) {
    return {4.0 * q.volume() * k.rows(), 4.0 * (2 * q.volume() + 2 * k.volume())};
  }
  void configure(double const* number) { heads = static_cast<int>(number[0]); }
  void compute() const {
    float const scale = 1.0f / std::sqrt(static_cast<float>(q.cols()));
    int const batch = y.first_row() / y.rows() / heads;
    for (int r = 0; r < y.rows(); ++r)
      detail::attend(unchecked(q).row(r), unchecked(k).data, unchecked(k).stride, unchecked(v).data, unchecked(v).stride,
                     Masked ? unchecked(mask).row(batch) : nullptr, k.rows(), q.cols(), scale, unchecked(y).row(r));
  }
};

/// Some heads of some rows of a packed batch: q and y (R, H·D), k and v (T, H·D); row r attends to rows bounds(r, 0) …
/// bounds(r, 1) - 1.
struct packed_attention {
  input<float, 2> q;
  input<float, 2> k;
  input<float, 2> v;
  input<std::int32_t, 2> bounds;
  output<float, 2> y;
  int heads = 1;   ///< in this block
  TESSERA_FIELDS(packed_attention, q, k, v, bounds, y, heads);

  static constexpr work cost(extents q, extents k, extents, extents, extents) {
    return {4.0 * q.volume() * k.rows(), 4.0 * (2 * q.volume() + 2 * k.volume())};
  }
  void configure(double const* number) { heads = static_cast<int>(number[0]); }
  void compute() const {
    int const depth = q.cols() / heads;
    float const scale = 1.0f / std::sqrt(static_cast<float>(depth));
    for (int r = 0; r < y.rows(); ++r) {
      int const first = bounds(r, 0), last = bounds(r, 1);
      if (first < 0 || last > k.rows() || last <= first)
        throw run_error("tessera: row " + std::to_string(y.tensor_row(r)) + " belongs to rows " + std::to_string(first) +
                            " to " + std::to_string(last) + ", which are not in [0, " + std::to_string(k.rows()) + ")",
                        "bounds");
      for (int h = 0; h < heads; ++h)
        detail::attend(unchecked(q).row(r) + h * depth, unchecked(k).row(first) + h * depth, unchecked(k).stride,
                       unchecked(v).row(first) + h * depth, unchecked(v).stride, nullptr, last - first, depth, scale,
                       unchecked(y).row(r) + h * depth);
    }
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

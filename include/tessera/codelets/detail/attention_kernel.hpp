// SPDX-License-Identifier: Apache-2.0
// Attention of one head on raw pointers: out = softmax(q kᵀ scale + mask) v, block of keys after block of keys with a
// running maximum and sum (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018), so that only
// `gemm_tile.rows` × `attention_key_block` scores exist at a time.
//
//   attention_head({.queries = s, .keys = s, .depth = 32, .q = q, .q_stride = h, .k = k, .k_stride = h, .v = v,
//                   .v_stride = h, .out = out, .out_stride = h, .scale = 0.1767767f}, scratch);
#pragma once

#include <tessera/codelets/detail/gemm_kernel.hpp>
#include <tessera/codelets/detail/pack.hpp>
#include <tessera/codelets/detail/row_kernels.hpp>
#include <tessera/simd/math.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets::detail {

/// Keys whose scores exist at a time.
inline constexpr int attention_key_block = 256;

/// One head. Strides are elements from row to row, at least `depth`.
struct attention_operands {
  int queries, keys, depth;
  float const* q;  // (queries, depth)
  std::ptrdiff_t q_stride;
  float const* k;  // (keys, depth)
  std::ptrdiff_t k_stride;
  float const* v;  // (keys, depth)
  std::ptrdiff_t v_stride;
  float* out;  // (queries, depth)
  std::ptrdiff_t out_stride;
  float scale;                  // usually 1 / √depth
  float const* mask = nullptr;  // keys terms to add to every query's scores, minus infinity to leave a key out
};

/// Floats of scratch that `attention_head` needs: k and v as panels, and a block of scores.
constexpr std::ptrdiff_t attention_scratch(int keys, int depth) {
  constexpr int block = attention_key_block;
  std::ptrdiff_t const whole = keys / block;
  std::ptrdiff_t const panels = whole * (gemm_packed_size(depth, block) + gemm_packed_size(block, depth)) +
                                gemm_packed_size(depth, keys % block) + gemm_packed_size(keys % block, depth);
  return panels + std::ptrdiff_t{gemm_tile.rows} * (block + 16);
}

/// out = softmax(q kᵀ scale + mask) v. A query that sees no key gets zeros.
/// @param scratch  attention_scratch(keys, depth) floats; their content does not matter
inline void attention_head(attention_operands const& x, float* scratch) {
  using simd::batch;
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  constexpr int block = attention_key_block;
  constexpr int score_stride = block + 16;
  // A score becomes an exponent of 2 once the maximum is off it, unless it must be known before: the largest exponent
  // is 0 however large scores are. A multiply-add that takes a scaled maximum off leaves what that was rounded by.
  constexpr float log2_e = 0x1.715476p0f;
  bool const scaled_before = x.mask != nullptr || x.scale <= 0.0f;
  float const factor = scaled_before ? 1.0f : x.scale * log2_e;
  float* const scores = scratch;
  float* const panels = scratch + std::ptrdiff_t{gemm_tile.rows} * score_stride;

  std::ptrdiff_t packed = 0;
  for (int key = 0; key < x.keys; key += block) {
    int const keys = std::min(block, x.keys - key);
    pack_transposed_panels(x.k + key * x.k_stride, x.k_stride, x.depth, keys, panels + packed, 0, gemm_panels(keys));
    packed += gemm_packed_size(x.depth, keys);
    pack_panels(x.v + key * x.v_stride, x.v_stride, keys, x.depth, panels + packed, 0, gemm_panels(x.depth));
    packed += gemm_packed_size(keys, x.depth);
  }

  int const blocks = (x.queries + gemm_tile.rows - 1) / gemm_tile.rows;
  for (int b = 0, query = 0; b < blocks; ++b) {
    int const rows = x.queries / blocks + (b < x.queries % blocks ? 1 : 0);
    float largest[gemm_tile.rows], sum[gemm_tile.rows];
    std::fill(largest, largest + rows, lowest);
    std::fill(sum, sum + rows, 0.0f);
    float* const out = x.out + query * x.out_stride;
    if (x.keys == 0)
      for (int r = 0; r < rows; ++r) std::fill(out + r * x.out_stride, out + r * x.out_stride + x.depth, 0.0f);

    packed = 0;
    for (int key = 0; key < x.keys; key += block) {
      int const keys = std::min(block, x.keys - key);
      float const* const k = panels + packed;                      // (keys / NR, depth, NR)
      float const* const v = k + gemm_packed_size(x.depth, keys);  // (depth / NR, keys, NR)
      packed += gemm_packed_size(x.depth, keys) + gemm_packed_size(keys, x.depth);
      gemm_block({.rows = rows,
                  .columns = keys,
                  .depth = x.depth,
                  .a = x.q + query * x.q_stride,
                  .a_stride = x.q_stride,
                  .b = k,
                  .c = scores,
                  .c_stride = score_stride});
      for (int r = 0; r < rows; ++r) {
        float* const row = scores + r * score_stride;
        if (scaled_before)
          simd::for_each_batch<float>(keys, [&](int i, auto count) {
            batch<float> score = simd::load(row + i, count) * batch<float>(x.scale * log2_e);
            if (x.mask != nullptr) score = score + simd::load(x.mask + key + i, count) * batch<float>(log2_e);
            simd::store(row + i, score, count);
          });
        float const before = largest[r];
        largest[r] = std::max(before, max_row(row, keys));
        batch<float> const top(largest[r] == lowest ? 0.0f : largest[r]);  // nothing seen yet: 2^(-∞ - 0) = 0
        float const added = sum_row(keys, [&](int i, auto count) {
          batch<float> const exponent = (simd::load(row + i, count) - top) * batch<float>(factor);
          batch<float> const weight = simd::keep(simd::exp2(exponent), count, 0.0f);
          simd::store(row + i, weight, count);
          return weight;
        });
        if (key > 0 && largest[r] > before) {  // what was summed so far had a smaller maximum
          batch<float> const shrink = simd::exp2((batch<float>(before) - top) * batch<float>(factor));
          sum[r] *= simd::hmax(shrink);
          simd::for_each_batch<float>(x.depth, [&](int i, auto count) {
            float* const to = out + r * x.out_stride + i;
            simd::store(to, simd::load(to, count) * shrink, count);
          });
        }
        sum[r] += added;
      }

      bool const last = key + block >= x.keys;
      float share[gemm_tile.rows];
      for (int r = 0; r < rows; ++r) share[r] = !last ? 1.0f : sum[r] > 0.0f ? 1.0f / sum[r] : 0.0f;
      gemm_block({.rows = rows,
                  .columns = x.depth,
                  .depth = keys,
                  .a = scores,
                  .a_stride = score_stride,
                  .b = v,
                  .c = out,
                  .c_stride = x.out_stride,
                  .accumulate = key > 0},
                 [&](batch<float> const& value, int row, int, auto) { return value * batch<float>(share[row]); });
    }
    query += rows;
  }
}

}  // namespace codelets::detail
TESSERA_ISA_END
}  // namespace tessera

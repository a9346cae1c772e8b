// SPDX-License-Identifier: Apache-2.0
// Transposes of small squares of floats in registers: the building block of packing.
//
//   simd::transpose_square(from, from_stride, to, to_stride);   // to[j * to_stride + i] = from[i * from_stride + j]
#pragma once

#include <tessera/simd/batch.hpp>

#include <cstddef>

namespace tessera {
TESSERA_ISA_BEGIN
namespace simd {

#if defined(__AVX__)
/// Rows and columns of the square: 8 with AVX2 and AVX-512 (shuffles of 512 bits gain nothing), 4 elsewhere.
inline constexpr int transpose_side = 8;

/// to[j * to_stride + i] = from[i * from_stride + j] for i, j in [0, transpose_side); strides in elements.
TESSERA_INLINE void transpose_square(float const* from, std::ptrdiff_t from_stride, float* to,
                                     std::ptrdiff_t to_stride) {
  // Row i and row i + 4 share a register, half of a row each: only these loads cross the 128-bit halves.
  __m256 left[4], right[4];
  for (int i = 0; i < 4; ++i) {
    float const* const upper = from + i * from_stride;
    float const* const lower = from + (i + 4) * from_stride;
    left[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(upper)), _mm_loadu_ps(lower), 1);
    right[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(upper + 4)), _mm_loadu_ps(lower + 4), 1);
  }
  auto const four_rows = [&](__m256 const(&r)[4], float* out) {
    __m256 const t0 = _mm256_unpacklo_ps(r[0], r[1]), t1 = _mm256_unpackhi_ps(r[0], r[1]);
    __m256 const t2 = _mm256_unpacklo_ps(r[2], r[3]), t3 = _mm256_unpackhi_ps(r[2], r[3]);
    _mm256_storeu_ps(out, _mm256_shuffle_ps(t0, t2, 0x44));
    _mm256_storeu_ps(out + to_stride, _mm256_shuffle_ps(t0, t2, 0xee));
    _mm256_storeu_ps(out + 2 * to_stride, _mm256_shuffle_ps(t1, t3, 0x44));
    _mm256_storeu_ps(out + 3 * to_stride, _mm256_shuffle_ps(t1, t3, 0xee));
  };
  four_rows(left, to);
  four_rows(right, to + 4 * to_stride);
}
#else
/// Rows and columns of the square: 8 with AVX2 and AVX-512 (shuffles of 512 bits gain nothing), 4 elsewhere.
inline constexpr int transpose_side = 4;

/// to[j * to_stride + i] = from[i * from_stride + j] for i, j in [0, transpose_side); strides in elements.
TESSERA_INLINE void transpose_square(float const* from, std::ptrdiff_t from_stride, float* to,
                                     std::ptrdiff_t to_stride) {
  using vector = detail::vector<float, 4>;
  vector r[4];
  for (int i = 0; i < 4; ++i) __builtin_memcpy(&r[i], from + i * from_stride, sizeof(vector));
  vector const t0 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
  vector const t1 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  vector const t2 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
  vector const t3 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  vector const out[4] = {__builtin_shufflevector(t0, t2, 0, 1, 4, 5), __builtin_shufflevector(t0, t2, 2, 3, 6, 7),
                         __builtin_shufflevector(t1, t3, 0, 1, 4, 5), __builtin_shufflevector(t1, t3, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i) __builtin_memcpy(to + i * to_stride, &out[i], sizeof(vector));
}
#endif

}  // namespace simd
TESSERA_ISA_END
}  // namespace tessera

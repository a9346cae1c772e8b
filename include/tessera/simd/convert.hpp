// SPDX-License-Identifier: Apache-2.0
// Arrays of the 16-bit formats to float and back; rounding to nearest, ties to even, as half(x) and bf16(x) do.
//
//   simd::to_float(weights.data(), floats.data(), n);        simd::from_float(floats.data(), halves.data(), n);
#pragma once

#include <tessera/simd/tail.hpp>
#include <tessera/tensor/element.hpp>

#include <bit>
#include <cstdint>
#include <cstring>

namespace tessera {
TESSERA_ISA_BEGIN
namespace simd {

/// to[i] = float(from[i]) for i in [0, n); exact.
inline void to_float(half const* from, float* to, int n) {
  int i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(to + i,
                     _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<__m256i const*>(from + i))));
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i))));
#elif defined(__aarch64__)
  for (; i + 4 <= n; i += 4)
    vst1q_f32(to + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(reinterpret_cast<std::uint16_t const*>(from + i)))));
#endif
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

/// to[i] = half(from[i]) for i in [0, n).
inline void from_float(float const* from, half* to, int n) {
  int i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(from + i), 0));
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
#elif defined(__aarch64__)
  for (; i + 4 <= n; i += 4)
    vst1_u16(reinterpret_cast<std::uint16_t*>(to + i), vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(from + i))));
#endif
  for (; i < n; ++i) to[i] = half(from[i]);
}

namespace detail {
using word_vector = vector<std::uint32_t, lanes<float>>;
using short_vector = vector<std::uint16_t, lanes<float>>;
}  // namespace detail

/// to[i] = float(from[i]) for i in [0, n); exact.
inline void to_float(bf16 const* from, float* to, int n) {
  int i = 0;
  for (; i + lanes<float> <= n; i += lanes<float>) {
    detail::short_vector upper;
    std::memcpy(&upper, from + i, sizeof upper);
    detail::word_vector const words = __builtin_convertvector(upper, detail::word_vector) << 16;
    std::memcpy(to + i, &words, sizeof words);
  }
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

/// The 2 * lanes elements from `from` on: those at even places, and the others; exact, two instructions.
TESSERA_INLINE void load_alternating(bf16 const* from, batch<float>& even, batch<float>& odd) {
  detail::word_vector words;
  std::memcpy(&words, from, sizeof words);
  even = std::bit_cast<batch<float>>(words << 16);
  odd = std::bit_cast<batch<float>>(words & 0xffff0000u);
}
/// Elements at even places and the others, put in order: the first half of them in `even`, the second in `odd`.
template <int Width = lanes<float>>
TESSERA_INLINE void interleave(batch<float>& even, batch<float>& odd) {
  using vector = detail::vector<float, Width>;
  auto const e = std::bit_cast<vector>(even), o = std::bit_cast<vector>(odd);
  vector first, second;
  if constexpr (Width == 16) {
    first = __builtin_shufflevector(e, o, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    second = __builtin_shufflevector(e, o, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  } else if constexpr (Width == 8) {
    first = __builtin_shufflevector(e, o, 0, 8, 1, 9, 2, 10, 3, 11);
    second = __builtin_shufflevector(e, o, 4, 12, 5, 13, 6, 14, 7, 15);
  } else {
    static_assert(Width == 4);
    first = __builtin_shufflevector(e, o, 0, 4, 1, 5);
    second = __builtin_shufflevector(e, o, 2, 6, 3, 7);
  }
  even = std::bit_cast<batch<float>>(first);
  odd = std::bit_cast<batch<float>>(second);
}

/// to[i] = bf16(from[i]) for i in [0, n).
inline void from_float(float const* from, bf16* to, int n) {
  int i = 0;
  // integer arithmetic, not the CPU's bf16 instructions: those flush denormals
  for (; i + lanes<float> <= n; i += lanes<float>) {
    detail::word_vector u;
    std::memcpy(&u, from + i, sizeof u);
    detail::word_vector const rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    detail::word_vector const quiet_nan = (u >> 16) | 0x40u;
    detail::word_vector const result = (u & 0x7fffffffu) > 0x7f800000u ? quiet_nan : rounded;
    detail::short_vector const upper = __builtin_convertvector(result, detail::short_vector);
    std::memcpy(static_cast<void*>(to + i), &upper, sizeof upper);
  }
  for (; i < n; ++i) to[i] = bf16(from[i]);
}

}  // namespace simd
TESSERA_ISA_END
}  // namespace tessera

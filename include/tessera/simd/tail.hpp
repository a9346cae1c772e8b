// SPDX-License-Identifier: Apache-2.0
// Loops over arrays whose length is no multiple of the register width, written once for whole and partial batches.
//
//   simd::for_each_batch<float>(n, [&](int i, auto count) { simd::store(y + i, -simd::load(x + i, count), count); });
//
// `count` is `whole<float>` (a constant: plain loads and stores) or, at the end, an int below `lanes<float>`: masked
// loads and stores with AVX2 and AVX-512, a small buffer elsewhere. Nothing outside [0, n) is read or written.
#pragma once

#include <tessera/simd/batch.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tessera {
TESSERA_ISA_BEGIN
namespace simd {

/// The count that stands for a full batch; converts to int.
template <class T>
using whole = std::integral_constant<int, lanes<T>>;

namespace detail {
#if defined(__AVX2__) && !defined(__AVX512VL__)
// Eight set words, eight clear ones: the window that begins at 8 - count has `count` set words.
alignas(64) inline constexpr std::int32_t mask_window[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

TESSERA_INLINE __m256i mask_of_words(int count) {
  return _mm256_loadu_si256(reinterpret_cast<__m256i const*>(mask_window + 8 - count));
}
TESSERA_INLINE __m256i mask_of_double_words(int count) { return mask_of_words(2 * count); }
#endif
}  // namespace detail

/// The first `count` elements from `from` on, 0 <= count <= lanes<T>; the other lanes are zero.
template <class T>
TESSERA_INLINE batch<T> load(T const* from, int count) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    auto const mask = static_cast<__mmask16>((1u << count) - 1u);
    return std::bit_cast<batch<T>>(_mm512_maskz_loadu_ps(mask, from));
  } else {
    auto const mask = static_cast<__mmask8>((1u << count) - 1u);
    return std::bit_cast<batch<T>>(_mm512_maskz_loadu_pd(mask, from));
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    auto const words = reinterpret_cast<int const*>(from);
    return std::bit_cast<batch<T>>(_mm256_maskload_epi32(words, detail::mask_of_words(count)));
  } else {
    auto const words = reinterpret_cast<long long const*>(from);
    return std::bit_cast<batch<T>>(_mm256_maskload_epi64(words, detail::mask_of_double_words(count)));
  }
#else
  T buffer[lanes<T>] = {};
  std::memcpy(buffer, from, static_cast<std::size_t>(count) * sizeof(T));
  return simd::load(buffer);
#endif
}

/// Writes the first `count` lanes of `value` to `to`, 0 <= count <= lanes<T>; nothing else is touched.
template <class T>
TESSERA_INLINE void store(T* to, std::type_identity_t<batch<T>> const& value, int count) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    auto const mask = static_cast<__mmask16>((1u << count) - 1u);
    _mm512_mask_storeu_ps(to, mask, std::bit_cast<__m512>(value));
  } else {
    auto const mask = static_cast<__mmask8>((1u << count) - 1u);
    _mm512_mask_storeu_pd(to, mask, std::bit_cast<__m512d>(value));
  }
#elif defined(__AVX2__)
  auto const words = std::bit_cast<__m256i>(value);
  if constexpr (sizeof(T) == 4) {
    _mm256_maskstore_epi32(reinterpret_cast<int*>(to), detail::mask_of_words(count), words);
  } else {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(to), detail::mask_of_double_words(count), words);
  }
#else
  T buffer[lanes<T>];
  simd::store(buffer, value);
  std::memcpy(to, buffer, static_cast<std::size_t>(count) * sizeof(T));
#endif
}

/// A full batch, spelled like a partial one.
template <class T>
TESSERA_INLINE batch<T> load(T const* from, whole<T>) {
  return simd::load(from);
}
/// A full batch, spelled like a partial one.
template <class T>
TESSERA_INLINE void store(T* to, std::type_identity_t<batch<T>> const& value, whole<T>) {
  simd::store(to, value);
}

/// `value` in the first `count` lanes, `other` in the rest: what a reduction needs whose neutral element is not zero.
template <class T>
TESSERA_INLINE batch<T> keep(xsimd::batch<T> const& value, int count, T other) {
  T lane[lanes<T>];
  for (int i = 0; i < lanes<T>; ++i) lane[i] = static_cast<T>(i);
  return select(simd::load(lane) < batch<T>(static_cast<T>(count)), value, batch<T>(other));
}
/// A full batch keeps every lane.
template <class T>
TESSERA_INLINE batch<T> keep(xsimd::batch<T> const& value, whole<T>, T) {
  return value;
}

/// Calls body(i, count) for i = 0, lanes<T>, … until all of [0, n) is covered; see the head of this file.
template <class T, class Body>
TESSERA_INLINE void for_each_batch(int n, Body body) {
  int i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>) body(i, whole<T>{});
  if (i < n) body(i, n - i);
}

}  // namespace simd
TESSERA_ISA_END
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// The vocabulary of vector code: a batch is one register of the widest instruction set that this translation unit may
// use. It is xsimd's batch; what xsimd 8.1 to 14 name or round differently is defined here once.
//
//   auto y = simd::fma(simd::load(x), simd::broadcast(2.0f), simd::broadcast(1.0f));   simd::store(out, y);
//
// Call these functions qualified, simd::store(…): argument-dependent lookup would also find xsimd's of the same name,
// and xsimd::store demands an aligned address.
#pragma once

#include <tessera/base/config.hpp>

#include <xsimd/xsimd.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tessera {
TESSERA_ISA_BEGIN
namespace simd {

/// One vector register of `T`: float, double or std::int32_t. Arithmetic, comparison and bit operators are xsimd's.
template <class T>
using batch = xsimd::batch<T>;

/// What a comparison of batches yields; `select` takes it.
template <class T>
using batch_mask = typename xsimd::batch<T>::batch_bool_type;

/// Elements in a batch: 16 floats with AVX-512, 8 with AVX2, 4 with SSE and NEON.
template <class T>
inline constexpr int lanes = static_cast<int>(xsimd::batch<T>::size);

/// Lanes of `a` where the mask is set, of `b` elsewhere; magnitude.
using xsimd::abs;
using xsimd::select;

/// All lanes equal to `value`.
template <class T>
TESSERA_INLINE batch<T> broadcast(T value) {
  return batch<T>(value);
}

/// The `lanes<T>` elements from `from` on; no alignment needed.
template <class T>
TESSERA_INLINE batch<T> load(T const* from) {
  return batch<T>::load_unaligned(from);
}

/// Writes all lanes of `value` to `to`; no alignment needed.
template <class T>
TESSERA_INLINE void store(T* to, std::type_identity_t<batch<T>> const& value) {
  value.store_unaligned(to);
}

/// The same bits as another element type of the same size:   bits_as<std::int32_t>(broadcast(1.0f)) -> 0x3f800000 …
template <class To, class From>
  requires(sizeof(To) == sizeof(From))
TESSERA_INLINE batch<To> bits_as(xsimd::batch<From> const& value) {
  return std::bit_cast<batch<To>>(value);
}

// fma(a, b, c) = a * b + c and fnma(a, b, c) = c - a * b, rounded once where the instruction set has it (AVX2 with FMA,
// AVX-512, NEON), otherwise after the product too.
// sqrt(a) and div(a, b) round correctly (xsimd 8.1 divides floats by Newton's method on NEON: 2 ulp).
// min(a, b) = a < b ? a : b and max(a, b) = a > b ? a : b: with a NaN on either side the result is b. A clamp that lets
// NaN through therefore has the value second:   min(high, max(low, x))

#define TESSERA_TERNARY(T, name, expression) \
  TESSERA_INLINE batch<T> name(batch<T> const& a, batch<T> const& b, batch<T> const& c) { return batch<T>(expression); }
#define TESSERA_UNARY(T, name, expression) \
  TESSERA_INLINE batch<T> name(batch<T> const& a) { return batch<T>(expression); }
#define TESSERA_BINARY(T, name, expression) \
  TESSERA_INLINE batch<T> name(batch<T> const& a, batch<T> const& b) { return batch<T>(expression); }

#if defined(__AVX512F__)
// (the masked forms become plain instructions; GCC 12 warns of an uninitialised register inside the unmasked ones)
TESSERA_TERNARY(float, fma, _mm512_fmadd_ps(a, b, c))
TESSERA_TERNARY(float, fnma, _mm512_fnmadd_ps(a, b, c))
TESSERA_BINARY(float, min, _mm512_maskz_min_ps(0xffff, a, b))
TESSERA_BINARY(float, max, _mm512_maskz_max_ps(0xffff, a, b))
TESSERA_UNARY(float, sqrt, _mm512_maskz_sqrt_ps(0xffff, a))
TESSERA_UNARY(double, sqrt, _mm512_maskz_sqrt_pd(0xff, a))
TESSERA_TERNARY(double, fma, _mm512_fmadd_pd(a, b, c))
TESSERA_TERNARY(double, fnma, _mm512_fnmadd_pd(a, b, c))
TESSERA_BINARY(double, min, _mm512_maskz_min_pd(0xff, a, b))
TESSERA_BINARY(double, max, _mm512_maskz_max_pd(0xff, a, b))
#elif defined(__AVX__)
#if defined(__FMA__)
TESSERA_TERNARY(float, fma, _mm256_fmadd_ps(a, b, c))
TESSERA_TERNARY(float, fnma, _mm256_fnmadd_ps(a, b, c))
TESSERA_TERNARY(double, fma, _mm256_fmadd_pd(a, b, c))
TESSERA_TERNARY(double, fnma, _mm256_fnmadd_pd(a, b, c))
#endif
TESSERA_UNARY(float, sqrt, _mm256_sqrt_ps(a))
TESSERA_UNARY(double, sqrt, _mm256_sqrt_pd(a))
TESSERA_BINARY(float, min, _mm256_min_ps(a, b))
TESSERA_BINARY(float, max, _mm256_max_ps(a, b))
TESSERA_BINARY(double, min, _mm256_min_pd(a, b))
TESSERA_BINARY(double, max, _mm256_max_pd(a, b))
#elif defined(__SSE2__)
TESSERA_UNARY(float, sqrt, _mm_sqrt_ps(a))
TESSERA_UNARY(double, sqrt, _mm_sqrt_pd(a))
TESSERA_BINARY(float, min, _mm_min_ps(a, b))
TESSERA_BINARY(float, max, _mm_max_ps(a, b))
TESSERA_BINARY(double, min, _mm_min_pd(a, b))
TESSERA_BINARY(double, max, _mm_max_pd(a, b))
#elif defined(__aarch64__)
TESSERA_UNARY(float, sqrt, vsqrtq_f32(a))
TESSERA_UNARY(double, sqrt, vsqrtq_f64(a))
TESSERA_TERNARY(float, fma, vfmaq_f32(c, a, b))
TESSERA_TERNARY(float, fnma, vfmsq_f32(c, a, b))
TESSERA_TERNARY(double, fma, vfmaq_f64(c, a, b))
TESSERA_TERNARY(double, fnma, vfmsq_f64(c, a, b))
TESSERA_BINARY(float, min, vbslq_f32(vcltq_f32(a, b), a, b))
TESSERA_BINARY(float, max, vbslq_f32(vcgtq_f32(a, b), a, b))
TESSERA_BINARY(double, min, vbslq_f64(vcltq_f64(a, b), a, b))
TESSERA_BINARY(double, max, vbslq_f64(vcgtq_f64(a, b), a, b))
#endif
#if !defined(__FMA__) && !defined(__AVX512F__) && !defined(__aarch64__)
TESSERA_TERNARY(float, fma, a* b + c)
TESSERA_TERNARY(float, fnma, c - a * b)
TESSERA_TERNARY(double, fma, a* b + c)
TESSERA_TERNARY(double, fnma, c - a * b)
#endif
// sum = fma(a, b, sum), in place: where many sums fill the registers, GCC moves them about if it may choose which of three
// operands a multiply-add overwrites. So on AVX-512 it may not. (clang keeps what assembly changes in memory.)
#if defined(__AVX512F__) && !defined(__clang__)
TESSERA_INLINE void add_product(batch<float>& sum, batch<float> const& a, batch<float> const& b) {
  __m512 in_place = sum;
  asm("{vfmadd231ps %2, %1, %0|vfmadd231ps %0, %1, %2}" : "+v"(in_place) : "v"(__m512(a)), "v"(__m512(b)));
  sum = batch<float>(in_place);
}
/// The same of one element, which AVX-512 reads from memory within the multiply-add.
TESSERA_INLINE void add_product(batch<float>& sum, float const& element, batch<float> const& b) {
  __m512 in_place = sum;
  asm("{vfmadd231ps %2%{1to16%}, %1, %0|vfmadd231ps %0, %1, %2%{1to16%}}"
      : "+v"(in_place)
      : "v"(__m512(b)), "m"(element));
  sum = batch<float>(in_place);
}
#else
TESSERA_INLINE void add_product(batch<float>& sum, batch<float> const& a, batch<float> const& b) { sum = fma(a, b, sum); }
TESSERA_INLINE void add_product(batch<float>& sum, float const& element, batch<float> const& b) {
  sum = fma(broadcast(element), b, sum);
}
#endif
#if defined(__aarch64__)
TESSERA_BINARY(float, div, vdivq_f32(a, b))
TESSERA_BINARY(double, div, vdivq_f64(a, b))
#else
TESSERA_BINARY(float, div, a / b)
TESSERA_BINARY(double, div, a / b)
#endif
TESSERA_BINARY(std::int32_t, min, xsimd::min(a, b))
TESSERA_BINARY(std::int32_t, max, xsimd::max(a, b))
#undef TESSERA_TERNARY
#undef TESSERA_BINARY
#undef TESSERA_UNARY

namespace detail {
// GCC 12 warns of uninitialised registers inside some of its own AVX-512 intrinsics, not of the vector extension.
template <class T, int Width>
using vector [[gnu::vector_size(Width * sizeof(T))]] = T;

// Halves are combined until one lane is left: the same order on every compiler, which a sum's last bit depends on.
template <int Width, class Vector, class Combine>
TESSERA_INLINE auto combine_lanes(Vector v, Combine combine) {
  if constexpr (Width == 2) {
    return combine(v[0], v[1]);
  } else if constexpr (Width == 4) {
    auto const upper = __builtin_shufflevector(v, v, 2, 3, 2, 3);
    Vector const pairs = combine(v, upper);
    return combine(pairs[0], pairs[1]);
  } else if constexpr (Width == 8) {
    auto const lower = __builtin_shufflevector(v, v, 0, 1, 2, 3);
    auto const upper = __builtin_shufflevector(v, v, 4, 5, 6, 7);
    return combine_lanes<4>(combine(lower, upper), combine);
  } else {
    static_assert(Width == 16);
    auto const lower = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
    auto const upper = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
    return combine_lanes<8>(combine(lower, upper), combine);
  }
}
}  // namespace detail

/// The sum of all lanes, halves added until one is left.
template <class T>
TESSERA_INLINE T hsum(xsimd::batch<T> const& value) {
  auto const v = std::bit_cast<detail::vector<T, lanes<T>>>(value);
  return detail::combine_lanes<lanes<T>>(v, [](auto const& a, auto const& b) { return a + b; });
}

/// The largest lane; unspecified if a lane is NaN.
template <class T>
TESSERA_INLINE T hmax(xsimd::batch<T> const& value) {
  auto const v = std::bit_cast<detail::vector<T, lanes<T>>>(value);
  return detail::combine_lanes<lanes<T>>(v, [](auto const& a, auto const& b) { return a > b ? a : b; });
}

/// Every lane shifted by `Bits`; to the right with the sign filled in.
template <int Bits>
TESSERA_INLINE batch<std::int32_t> shift_left(batch<std::int32_t> const& value) {
  using vector = detail::vector<std::int32_t, lanes<std::int32_t>>;
  return std::bit_cast<batch<std::int32_t>>(std::bit_cast<vector>(value) << Bits);
}
/// The shift to the right.
template <int Bits>
TESSERA_INLINE batch<std::int32_t> shift_right(batch<std::int32_t> const& value) {
  using vector = detail::vector<std::int32_t, lanes<std::int32_t>>;
  return std::bit_cast<batch<std::int32_t>>(std::bit_cast<vector>(value) >> Bits);
}

/// The magnitude of `value` with the sign of `sign`.
TESSERA_INLINE batch<float> copysign(batch<float> const& value, batch<float> const& sign) {
  batch<std::int32_t> const sign_bit(static_cast<std::int32_t>(0x80000000u));
  auto const magnitude = bits_as<std::int32_t>(value) & ~sign_bit;
  return bits_as<float>(magnitude | (bits_as<std::int32_t>(sign) & sign_bit));
}

/// Asks for the cache line at `address`; never faults.
TESSERA_INLINE void prefetch(void const* address) { __builtin_prefetch(address); }
/// The same, into the second-level cache only.
TESSERA_INLINE void prefetch_second_level(void const* address) { __builtin_prefetch(address, 0, 2); }

}  // namespace simd
TESSERA_ISA_END
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Elementary functions of float batches, with their error. Bounds hold for every float, denormals, infinities and NaN
// included, against the exact value; tests/simd/math.cpp sweeps them.
//
//   exp, exp2, tanh, erf, rsqrt, log    <= 2 ulp
//   sigmoid, gelu_tanh, gelu_erf        bounds at each function
//
//   simd::store(y, simd::exp(simd::load(x)));
//
// Coefficients are own minimax fits (relative error of the function as weight, rounded to float one after the other,
// the rest fitted again).
#pragma once

#include <tessera/simd/batch.hpp>

#include <cstdint>
#include <limits>

namespace tessera {
TESSERA_ISA_BEGIN
namespace simd {

namespace detail {
// The argument x = n ln 2 + r, |r| <= ln 2 / 2. `shifted` is 1.5 * 2^23 + n, whose low bits hold n as an integer.
struct exponent_split {
  batch<float> shifted, n, r;
};

TESSERA_INLINE exponent_split split_exponent(batch<float> const& x) {
  batch<float> const magic(0x1.8p23f);
  batch<float> const shifted = simd::fma(x, batch<float>(0x1.715476p0f), magic);
  batch<float> const n = shifted - magic;
  // ln 2 = 0x1.62e4p-1 + 0x1.7f7d1cp-20; the first part times n is exact for |n| < 2^9, also without a fused multiply
  batch<float> const high = simd::fnma(n, batch<float>(0x1.62e4p-1f), x);
  return {shifted, n, simd::fnma(n, batch<float>(0x1.7f7d1cp-20f), high)};
}

// exp(r) - 1 for |r| <= ln 2 / 2, relative error of the fit 2^-28.
TESSERA_INLINE batch<float> exp_minus_one(batch<float> const& r) {
  batch<float> q(0x1.6a3c5ap-10f);
  q = simd::fma(q, r, batch<float>(0x1.1239ccp-7f));
  q = simd::fma(q, r, batch<float>(0x1.5558c0p-5f));
  q = simd::fma(q, r, batch<float>(0x1.555492p-3f));
  q = simd::fma(q, r, batch<float>(0x1.fffffcp-2f));
  return simd::fma(r * r, q, r);
}

// 2^n for -126 <= n <= 127, from `exponent_split::shifted`: the magic number's own bits leave on the left.
TESSERA_INLINE batch<float> power_of_two(batch<float> const& shifted) {
  return bits_as<float>(shift_left<23>(bits_as<std::int32_t>(shifted)) + batch<std::int32_t>(0x3f800000));
}

// p 2^n for any n, which `shifted` holds as well.
TESSERA_INLINE batch<float> times_power_of_two(batch<float> const& p, [[maybe_unused]] batch<float> const& n,
                                               [[maybe_unused]] batch<float> const& shifted) {
#if defined(__AVX512F__)
  return batch<float>(_mm512_maskz_scalef_ps(0xffff, p, n));
#else
  // In two steps, since 2^n may be too large or too small for a float: only the second one rounds.
  batch<std::int32_t> const whole =
      shift_right<9>(shift_left<9>(bits_as<std::int32_t>(shifted)));  // sign-extends the low 23 bits
  batch<std::int32_t> const half = shift_right<1>(whole);
  batch<std::int32_t> const bias(127);
  auto const power = [&](batch<std::int32_t> const& e) { return bits_as<float>(shift_left<23>(e + bias)); };
  return p * power(half) * power(whole - half);
#endif
}
}  // namespace detail

/// e^x, <= 2 ulp; 0 below -103.98, infinity above 88.72, denormal results are rounded correctly in between.
TESSERA_INLINE batch<float> exp(batch<float> const& x) {
  batch<float> const clamped = simd::min(batch<float>(89.0f), simd::max(batch<float>(-104.5f), x));
  auto const split = detail::split_exponent(clamped);
  batch<float> const p = batch<float>(1.0f) + detail::exp_minus_one(split.r);
  return detail::times_power_of_two(p, split.n, split.shifted);
}

/// 2^x, <= 2 ulp; 0 below -150, infinity from 128 on, denormal results are rounded correctly in between.
TESSERA_INLINE batch<float> exp2(batch<float> const& x) {
  batch<float> const magic(0x1.8p23f);
  batch<float> const clamped = simd::min(batch<float>(129.0f), simd::max(batch<float>(-151.0f), x));
  batch<float> const shifted = clamped + magic;
  batch<float> const n = shifted - magic, r = clamped - n;
  // 2^r = 1 + r P(r) for |r| <= 1/2, relative error of the fit 2^-28.
  batch<float> p(0x1.416b52p-13f);
  p = simd::fma(p, r, batch<float>(0x1.5f082ep-10f));
  p = simd::fma(p, r, batch<float>(0x1.3b2de0p-7f));
  p = simd::fma(p, r, batch<float>(0x1.c6af7cp-5f));
  p = simd::fma(p, r, batch<float>(0x1.ebfbdcp-3f));
  p = simd::fma(p, r, batch<float>(0x1.62e430p-1f));
  return detail::times_power_of_two(simd::fma(p, r, batch<float>(1.0f)), n, shifted);
}

/// tanh x, <= 2 ulp: x + x³ P(x²) up to 0.55, 1 - 2 / (e^2|x| + 1) beyond.
TESSERA_INLINE batch<float> tanh(batch<float> const& x) {
  batch<float> const one(1.0f), two(2.0f);
  batch<float> const magnitude = simd::min(batch<float>(10.0f), simd::abs(x));
  batch<float> const square = magnitude * magnitude;

  batch<float> inner(-0x1.99212ep-8f);
  inner = simd::fma(inner, square, batch<float>(0x1.58e518p-6f));
  inner = simd::fma(inner, square, batch<float>(-0x1.b91e7ep-5f));
  inner = simd::fma(inner, square, batch<float>(0x1.110ceep-3f));
  inner = simd::fma(inner, square, batch<float>(-0x1.55554ap-2f));
  inner = simd::fma(inner * square, magnitude, magnitude);

  auto const split = detail::split_exponent(magnitude + magnitude);
  batch<float> const power = detail::power_of_two(split.shifted);
  batch<float> const outer = one - simd::div(two, simd::fma(power, detail::exp_minus_one(split.r), power) + one);

  return simd::copysign(simd::select(magnitude > batch<float>(0.55f), outer, inner), x);
}

/// erf x, <= 2 ulp: x + x P(x²) up to 0.93, 1 - exp(-|x| + |x| Q(|x|)) beyond.
TESSERA_INLINE batch<float> erf(batch<float> const& x) {
  batch<float> const magnitude = simd::min(batch<float>(3.93f), simd::abs(x));
  batch<float> const square = magnitude * magnitude;

  batch<float> inner(-0x1.386c1cp-11f);
  inner = simd::fma(inner, square, batch<float>(0x1.46d83ap-8f));
  inner = simd::fma(inner, square, batch<float>(-0x1.b67bcep-6f));
  inner = simd::fma(inner, square, batch<float>(0x1.ce1984p-4f));
  inner = simd::fma(inner, square, batch<float>(-0x1.8126e2p-2f));
  inner = simd::fma(inner, square, batch<float>(0x1.06eba6p-3f));
  inner = simd::fma(inner, x, x);

  batch<float> outer(-0x1.837c8ep-17f);
  outer = simd::fma(outer, magnitude, batch<float>(0x1.55bfcep-12f));
  outer = simd::fma(outer, magnitude, batch<float>(-0x1.df0ed8p-9f));
  outer = simd::fma(outer, magnitude, batch<float>(0x1.85be64p-6f));
  outer = simd::fma(outer, magnitude, batch<float>(-0x1.b344bcp-4f));
  outer = simd::fma(outer, magnitude, batch<float>(-0x1.453036p-1f));
  outer = simd::fma(outer, magnitude, batch<float>(-0x1.077b26p-3f));
  outer = simd::fma(outer, magnitude, -magnitude);
  auto const split = detail::split_exponent(outer);
  batch<float> const power = detail::power_of_two(split.shifted);
  outer = (batch<float>(1.0f) - power) - power * detail::exp_minus_one(split.r);

  return simd::select(magnitude > batch<float>(0.93f), simd::copysign(outer, x), inner);
}

/// 1 / √x, <= 2 ulp; infinity of x's sign at ±0, NaN below.
TESSERA_INLINE batch<float> rsqrt(batch<float> const& x) { return simd::div(batch<float>(1.0f), simd::sqrt(x)); }

/// The natural logarithm, <= 2 ulp; minus infinity at ±0, NaN below.
TESSERA_INLINE batch<float> log(batch<float> const& x) {
  batch<float> const one(1.0f), zero(0.0f);
  // x = m 2^e with m in [√½, √2); denormals are scaled into the normal range first
  auto const is_denormal = x < batch<float>(0x1p-126f);
  batch<float> const normal = simd::select(is_denormal, x * batch<float>(0x1p23f), x);
  batch<std::int32_t> const bits = bits_as<std::int32_t>(normal) - batch<std::int32_t>(0x3f3504f3);
  batch<float> const m = bits_as<float>((bits & batch<std::int32_t>(0x007fffff)) + batch<std::int32_t>(0x3f3504f3));
  // the exponent as a float: 2^23 + (e + 128) assembled as bits, less the same offset
  batch<std::int32_t> const biased = shift_right<23>(bits) + batch<std::int32_t>(0x4b000080);
  batch<float> const e =
      bits_as<float>(biased) - simd::select(is_denormal, batch<float>(0x1.00012ep23f), batch<float>(0x1.0001p23f));

  batch<float> const f = m - one;
  batch<float> q(-0x1.38f284p-4f);
  q = simd::fma(q, f, batch<float>(0x1.05725ap-3f));
  q = simd::fma(q, f, batch<float>(-0x1.0d849ep-3f));
  q = simd::fma(q, f, batch<float>(0x1.22d6e6p-3f));
  q = simd::fma(q, f, batch<float>(-0x1.54720ap-3f));
  q = simd::fma(q, f, batch<float>(0x1.99a02cp-3f));
  q = simd::fma(q, f, batch<float>(-0x1.000228p-2f));
  q = simd::fma(q, f, batch<float>(0x1.555554p-2f));
  batch<float> const square = f * f;
  batch<float> tail = simd::fma(q * f, square, e * batch<float>(0x1.7f7d1cp-20f));
  tail = simd::fnma(batch<float>(0.5f), square, tail);
  batch<float> const result = simd::fma(e, batch<float>(0x1.62e4p-1f), f + tail);

  batch<float> const infinity(std::numeric_limits<float>::infinity());
  batch<float> const not_a_number(std::numeric_limits<float>::quiet_NaN());
  batch<float> const special = simd::select(x == infinity, infinity, not_a_number);
  return simd::select((x > zero) & (x < infinity), result, simd::select(x == zero, -infinity, special));
}

/// 1 / (1 + e^-x), <= 3 ulp, denormal results included.
TESSERA_INLINE batch<float> sigmoid(batch<float> const& x) {
  batch<float> const one(1.0f);
  batch<float> const power = simd::exp(-simd::abs(x));  // never overflows: e^x / (1 + e^x) for x < 0
  return simd::div(simd::select(x < batch<float>(0.0f), power, one), one + power);
}

/// x Φ(x), Φ the normal distribution: the Gaussian error linear unit. Error <= 2^-23 |x|; 0 below -14.5.
/// max(x, 0) - |x| 2^p(|x|), where p is a fit of log2 Φ(-|x|), to 2^-26 in Φ: half the operations of erf.
TESSERA_INLINE batch<float> gelu_erf(batch<float> const& x) {
  batch<float> const magnitude = simd::min(batch<float>(14.5f), simd::abs(x));
  batch<float> p(-0x1.7d7ecap-19f);
  p = simd::fma(p, magnitude, batch<float>(0x1.4b0e7ep-15f));
  p = simd::fma(p, magnitude, batch<float>(-0x1.874f1cp-13f));
  p = simd::fma(p, magnitude, batch<float>(-0x1.1d18a2p-13f));
  p = simd::fma(p, magnitude, batch<float>(0x1.ced280p-8f));
  p = simd::fma(p, magnitude, batch<float>(-0x1.ae0a82p-5f));
  p = simd::fma(p, magnitude, batch<float>(-0x1.d63ac2p-2f));
  p = simd::fma(p, magnitude, batch<float>(-0x1.26aed4p+0f));
  p = simd::fma(p, magnitude, batch<float>(-1.0f));
  return simd::fnma(magnitude, simd::exp2(p), simd::max(batch<float>(0.0f), x));
}

/// x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))), as x / (1 + e^-2u). Error <= 3 * 2^-24 |x|.
TESSERA_INLINE batch<float> gelu_tanh(batch<float> const& x) {
  batch<float> const one(1.0f);
  batch<float> const cubic = simd::fma(x * x, batch<float>(0.044715f), one);
  return simd::div(x, one + simd::exp(batch<float>(-1.5957691216f) * x * cubic));
}

}  // namespace simd
TESSERA_ISA_END
}  // namespace tessera

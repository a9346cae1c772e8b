// SPDX-License-Identifier: Apache-2.0
// Activations: functions of one element that kernels apply to a whole batch, alone or fused behind a product.
#pragma once

#include <tessera/codelets/kinds.hpp>
#include <tessera/simd/math.hpp>

namespace tessera {

TESSERA_ISA_BEGIN
namespace codelets {

/// The activation of all lanes of a batch.
template <activation A>
TESSERA_INLINE simd::batch<float> apply(simd::batch<float> const& x) {
  // Of two operands of which one is NaN, x86 takes the second: NaN goes through.
  if constexpr (A == activation::relu) return simd::max(simd::batch<float>(0.0f), x);
  else if constexpr (A == activation::gelu_erf) return simd::gelu_erf(x);
  else if constexpr (A == activation::gelu_tanh) return simd::gelu_tanh(x);
  else if constexpr (A == activation::tanh) return simd::tanh(x);
  else if constexpr (A == activation::sigmoid) return simd::sigmoid(x);
  else if constexpr (A == activation::exp_clipped)
    return simd::exp(simd::min(simd::batch<float>(5.0f), simd::max(simd::batch<float>(-20.0f), x)));
  else if constexpr (A == activation::silu) return x * simd::sigmoid(x);
  else if constexpr (A == activation::hardswish) {
    simd::batch<float> const gate =
        simd::min(simd::batch<float>(6.0f), simd::max(simd::batch<float>(0.0f), x + simd::batch<float>(3.0f)));
    return x * gate * simd::batch<float>(1.0f / 6);
  } else return x;
}

/// What a product does to its sums besides: function(sum + bias) + residual, or function(sum + bias + residual).
/// @param bias, residual  functions that read the batch at hand; called only where it is wanted
template <activation Function, bool Bias, addend Residual>
TESSERA_INLINE simd::batch<float> finished(simd::batch<float> sum, auto const& bias, auto const& residual) {
  if constexpr (Bias) sum = sum + bias();
  if constexpr (Residual == addend::before_function) sum = sum + residual();
  sum = apply<Function>(sum);
  if constexpr (Residual == addend::last) sum = sum + residual();
  return sum;
}

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

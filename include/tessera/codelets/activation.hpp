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
  else return x;
}

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// The most a core can do: multiply-adds of full registers with no memory traffic, in GFLOP/s. Every figure "% of peak"
// is a share of this, measured in the same run.
//
//   double const peak = tessera::simd::fma_peak();
#pragma once

#include <tessera/simd/batch.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

namespace tessera {
TESSERA_ISA_BEGIN
namespace simd {

/// GFLOP/s of one round of `steps` (a multiple of 4) on more independent sums than a fused multiply-add needs to hide
/// its latency (4 cycles, 2 pipes).
TESSERA_NOINLINE inline double fma_round(long steps) {
  using vector = batch<float>;
  constexpr int sums = lanes<float> == 16 ? 24 : 12;  // of 32 and 16 registers
  vector sum[sums];
#pragma GCC unroll 32
  for (int i = 0; i < sums; ++i) sum[i] = vector(1.0f + static_cast<float>(i));
  float volatile factor_from_memory = 0.999f;  // keeps the loop from being computed at compile time
  vector const factor(factor_from_memory), term(0.001f);
  auto const start = std::chrono::steady_clock::now();
  for (long step = 0; step < steps; step += 4) {  // a short loop's speed depends on the address it happens to stand at
#pragma GCC unroll 4
    for (int repeat = 0; repeat < 4; ++repeat)
#pragma GCC unroll 32
      for (int i = 0; i < sums; ++i) sum[i] = fma(sum[i], factor, term);
  }
  std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - start;
  vector total = sum[0];
#pragma GCC unroll 32
  for (int i = 1; i < sums; ++i) total = total + sum[i];
  float volatile sink = hsum(total);
  static_cast<void>(sink);
  return 2.0 * lanes<float> * sums * static_cast<double>(steps) / seconds.count() * 1e-9;
}

/// GFLOP/s of one core: the median of `rounds` rounds of about a millisecond.
inline double fma_peak(int rounds = 15) {
  std::vector<double> measured;
  fma_round(200'000);  // wakes the wide units up
  for (int i = 0; i < rounds; ++i) measured.push_back(fma_round(400'000));
  std::sort(measured.begin(), measured.end());
  return measured[measured.size() / 2];
}

}  // namespace simd
TESSERA_ISA_END
}  // namespace tessera

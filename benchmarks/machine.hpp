// SPDX-License-Identifier: Apache-2.0
// What the machine can do at most, measured: the times that a bound on a program's time is made of.
//
//   double const ns = tessera::benchmarks::exp_ns();          of one element, in an array in the first-level cache
//   double const s = tessera::benchmarks::read_seconds(340'000'000, 2);
#pragma once

#include <tessera/simd/batch.hpp>
#include <tessera/simd/math.hpp>
#include <tessera/simd/tail.hpp>

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "rounds.hpp"

namespace tessera::benchmarks {

/// Nanoseconds an element of an elementary function of batches on one core, for arguments from `low` to `high`.
template <class Function>
double function_ns(Function function, float low, float high) {
  constexpr int n = 2048;
  constexpr int repeats = 200;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = low + (high - low) * static_cast<float>(i) / n;
  std::vector<double> measured;
  for (int round = 0; round < 9; ++round) {
    measured.push_back(seconds([&] {
      for (int repeat = 0; repeat < repeats; ++repeat) {
        simd::for_each_batch<float>(
            n, [&](int i, auto count) { simd::store(y.data() + i, function(simd::load(x.data() + i, count)), count); });
        asm volatile("" : : "r"(y.data()) : "memory");  // every repeat counts
      }
    }));
  }
  return 1e9 * median(measured) / (n * repeats);
}

/// Of e^(scale x - m) as a softmax needs it, at the least: a multiply-add makes it a power of 2.
inline double exp_ns() {
  using vector = simd::batch<float>;
  return function_ns([](auto x) { return simd::exp2(simd::fma(x, vector(0.18f), vector(-0.5f))); }, -80.0f, 0.0f);
}
/// Of the exact GELU.
inline double gelu_ns() {
  return function_ns([](auto x) { return simd::gelu_erf(x); }, -6.0f, 6.0f);
}

/// The sum of `count` floats, a multiple of eight vectors.
TESSERA_NOINLINE inline float sum_of(float const* from, std::size_t count) {
  using vector = simd::batch<float>;
  constexpr std::size_t step = static_cast<std::size_t>(simd::lanes<float>);
  vector sum[8];
  for (vector& s : sum) s = vector(0.0f);
  for (std::size_t i = 0; i < count; i += 8 * step)
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) sum[k] = sum[k] + vector::load_unaligned(from + i + k * step);
  for (std::size_t k = 1; k < 8; ++k) sum[0] = sum[0] + sum[k];
  return simd::hsum(sum[0]);
}

/// Seconds in which `threads` cores together read `bytes` that were read before, from the level of the hierarchy that
/// holds as much: the median of seven readings. Of more than half a GiB, that much is measured.
inline double read_seconds(double bytes, int threads) {
  constexpr std::size_t piece = 8 * static_cast<std::size_t>(simd::lanes<float>);
  double const measured_bytes = std::min(bytes, 512.0 * (1 << 20));
  auto const pieces = static_cast<std::size_t>(measured_bytes / 4 / threads) / piece;
  std::size_t const each = std::max<std::size_t>(1, pieces) * piece;
  std::vector<std::vector<float>> parts(static_cast<std::size_t>(threads));
  auto read = [&](std::size_t thread) {
    parts[thread].assign(each, 1.0f);
    std::vector<double> own;
    for (int round = 0; round < 8; ++round) {
      own.push_back(seconds([&] {
        float volatile sink = sum_of(parts[thread].data(), each);
        static_cast<void>(sink);
      }));
    }
    return median({own.begin() + 1, own.end()});
  };
  std::vector<double> took(parts.size());
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < parts.size(); ++t) others.emplace_back([&, t] { took[t] = read(t); });
  took[0] = read(0);
  for (std::thread& other : others) other.join();
  return *std::max_element(took.begin(), took.end()) * bytes / (4.0 * static_cast<double>(each * parts.size()));
}

}  // namespace tessera::benchmarks

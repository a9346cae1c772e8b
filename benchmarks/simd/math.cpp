// SPDX-License-Identifier: Apache-2.0
// Throughput of the elementary functions over an array in the first-level cache. Counter: nanoseconds an element.
#include <tessera/simd/math.hpp>
#include <tessera/simd/tail.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

namespace simd = tessera::simd;

namespace {

template <class Function>
void elementary(benchmark::State& state, Function function, float low, float high) {
  constexpr int n = 2048;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = low + (high - low) * static_cast<float>(i) / n;
  for (auto _ : state) {
    simd::for_each_batch<float>(
        n, [&](int i, auto count) { simd::store(y.data() + i, function(simd::load(x.data() + i, count)), count); });
    benchmark::ClobberMemory();
  }
  state.counters["ns/element"] = benchmark::Counter(1e-9 * n * static_cast<double>(state.iterations()),
                                                    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace

BENCHMARK_CAPTURE(elementary, exp, [](auto x) { return simd::exp(x); }, -80.0f, 80.0f);
BENCHMARK_CAPTURE(elementary, exp2, [](auto x) { return simd::exp2(x); }, -120.0f, 120.0f);
BENCHMARK_CAPTURE(elementary, log, [](auto x) { return simd::log(x); }, 0.01f, 100.0f);
BENCHMARK_CAPTURE(elementary, tanh, [](auto x) { return simd::tanh(x); }, -4.0f, 4.0f);
BENCHMARK_CAPTURE(elementary, erf, [](auto x) { return simd::erf(x); }, -4.0f, 4.0f);
BENCHMARK_CAPTURE(elementary, rsqrt, [](auto x) { return simd::rsqrt(x); }, 0.01f, 100.0f);
BENCHMARK_CAPTURE(elementary, sigmoid, [](auto x) { return simd::sigmoid(x); }, -8.0f, 8.0f);
BENCHMARK_CAPTURE(elementary, gelu_erf, [](auto x) { return simd::gelu_erf(x); }, -6.0f, 6.0f);
BENCHMARK_CAPTURE(elementary, gelu_tanh, [](auto x) { return simd::gelu_tanh(x); }, -6.0f, 6.0f);

BENCHMARK_MAIN();

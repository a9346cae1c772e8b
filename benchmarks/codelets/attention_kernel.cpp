// SPDX-License-Identifier: Apache-2.0
// Attention of one head on one core, packing of keys and values included, as a share of the multiply-add peak measured
// in the same run. FLOPs are those of the two products; exponentials are not counted.
#include <tessera/simd/peak.hpp>
#include <tessera/codelets/detail/attention_kernel.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace kernels = tessera::codelets::detail;

namespace {

void attention(benchmark::State& state) {
  int const sequence = static_cast<int>(state.range(0)), depth = static_cast<int>(state.range(1)), stride = 12 * depth;
  std::vector<float> x(static_cast<std::size_t>(3 * sequence * stride)),
      out(static_cast<std::size_t>(sequence * stride));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  std::vector<float> scratch(static_cast<std::size_t>(kernels::attention_scratch(sequence, depth)));
  double const peak = tessera::simd::fma_peak();
  for (auto _ : state) {
    kernels::attention_head({.queries = sequence,
                             .keys = sequence,
                             .depth = depth,
                             .q = x.data(),
                             .q_stride = stride,
                             .k = x.data() + sequence * stride,
                             .k_stride = stride,
                             .v = x.data() + 2 * sequence * stride,
                             .v_stride = stride,
                             .out = out.data(),
                             .out_stride = stride,
                             .scale = 1.0f / std::sqrt(static_cast<float>(depth))},
                            scratch.data());
    benchmark::ClobberMemory();
  }
  double const gflop = 4.0e-9 * sequence * sequence * depth * static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = benchmark::Counter(gflop, benchmark::Counter::kIsRate);
  state.counters["peak"] = peak;
  state.counters["percent"] = benchmark::Counter(100.0 * gflop / peak, benchmark::Counter::kIsRate);
}

}  // namespace

BENCHMARK(attention)
    ->ArgNames({"sequence", "depth"})
    ->Args({16, 32})
    ->Args({64, 32})
    ->Args({128, 32})
    ->Args({256, 32})
    ->Args({512, 32})
    ->Args({128, 64})
    ->Args({512, 64});

BENCHMARK_MAIN();

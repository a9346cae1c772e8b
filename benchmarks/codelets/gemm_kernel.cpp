// SPDX-License-Identifier: Apache-2.0
// The matrix product on one core, B packed beforehand, as a share of the multiply-add peak measured in the same run;
// and packing. Counters: GFLOP/s, peak (GFLOP/s), percent; GB/s read for packing.
#include <tessera/simd/peak.hpp>
#include <tessera/codelets/detail/gemm_kernel.hpp>
#include <tessera/codelets/detail/pack.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

namespace kernels = tessera::codelets::detail;

namespace {

struct matrices {
  int m, n, k;
  std::vector<float> a, b, c, panels;
  explicit matrices(benchmark::State const& state)
      : m(static_cast<int>(state.range(0))),
        n(static_cast<int>(state.range(1))),
        k(static_cast<int>(state.range(2))),
        a(size(m, k), 0.5f),
        b(size(k, n), 0.25f),
        c(size(m, n)),
        panels(static_cast<std::size_t>(kernels::gemm_packed_size(k, n))) {}
  static std::size_t size(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
};

void gemm(benchmark::State& state) {
  matrices x(state);
  kernels::pack_panels(x.b.data(), x.n, x.k, x.n, x.panels.data(), 0, kernels::gemm_panels(x.n));
  double const peak = tessera::simd::fma_peak();
  for (auto _ : state) {
    kernels::gemm_block({.rows = x.m,
                         .columns = x.n,
                         .depth = x.k,
                         .a = x.a.data(),
                         .a_stride = x.k,
                         .b = x.panels.data(),
                         .c = x.c.data(),
                         .c_stride = x.n});
    benchmark::ClobberMemory();
  }
  double const gflop = 2.0e-9 * x.m * x.n * x.k * static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = benchmark::Counter(gflop, benchmark::Counter::kIsRate);
  state.counters["peak"] = peak;
  state.counters["percent"] = benchmark::Counter(100.0 * gflop / peak, benchmark::Counter::kIsRate);
}

void pack(benchmark::State& state) {
  matrices x(state);
  for (auto _ : state) {
    if (state.range(3) != 0)
      kernels::pack_transposed_panels(x.b.data(), x.k, x.k, x.n, x.panels.data(), 0, kernels::gemm_panels(x.n));
    else kernels::pack_panels(x.b.data(), x.n, x.k, x.n, x.panels.data(), 0, kernels::gemm_panels(x.n));
    benchmark::ClobberMemory();
  }
  state.counters["GB/s"] =
      benchmark::Counter(4.0e-9 * x.n * x.k * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

}  // namespace

BENCHMARK(gemm)
    ->ArgNames({"m", "n", "k"})
    ->Args({128, 128, 128})
    ->Args({256, 256, 256})
    ->Args({512, 512, 512})
    ->Args({768, 768, 768})
    ->Args({1024, 1024, 1024})
    ->Args({128, 128, 1024})
    ->Args({128, 1536, 384})
    ->Args({128, 384, 1536})
    ->Args({32, 384, 384})
    ->Args({8, 384, 384})
    ->Args({4, 384, 384})
    ->Args({2, 384, 384})
    ->Args({1, 384, 384});
BENCHMARK(pack)
    ->ArgNames({"m", "n", "k", "transposed"})
    ->Args({1, 384, 384, 0})
    ->Args({1, 384, 384, 1})
    ->Args({1, 1024, 1024, 0})
    ->Args({1, 1024, 1024, 1});

BENCHMARK_MAIN();

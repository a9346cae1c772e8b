// SPDX-License-Identifier: Apache-2.0
// A matrix product of 1024 x 1024 in tile-level steps on 8 x 8 tiles, as a share of the multiply-add peak measured in
// the same run: with the right operand packed beforehand (a parameter), and with the exchange packing it in the time.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <tessera/codelets/gemm.hpp>
#include <tessera/simd/peak.hpp>
#include <tessera/tile.hpp>

#include "../rounds.hpp"

namespace ts = tessera;

namespace {

constexpr int n = 1024;
constexpr ts::tensor<"a", float, ts::shape<n, n>, ts::by_blocks<8, 8>> a;
constexpr ts::tensor<"b", float, ts::shape<n, n>, ts::by_blocks<8, 8>> b;
constexpr ts::tensor<"c", float, ts::shape<n, n>, ts::by_blocks<8, 8>> c;

constexpr auto packed_beforehand = ts::program<ts::machines::host<64>>([] {
  return ts::sequence(ts::inputs(a), ts::parameters(b), ts::outputs(c),
                      ts::execute<ts::codelets::gemm>(ts::rows(a), ts::cols(b), c));
});
constexpr auto packed_in_the_time = ts::program<ts::machines::host<64>>([] {
  return ts::sequence(ts::inputs(a, b), ts::outputs(c),
                      ts::execute<ts::codelets::gemm>(ts::rows(a), ts::cols(b), c));
});

template <class Program>
void measure(char const* name, Program program, int threads) {
  std::vector<float> values(std::size_t{n} * n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 17) - 8.0f;
  ts::engine engine(program, {.threads = threads});
  engine.write(a, values);
  engine.write(b, values);
  engine.run();
  // A round is clean if nothing else ran on the core and the peak around it was the machine's best.
  double best = 0;
  std::vector<double> percent, speed;
  for (int round = 0; round < 400 && speed.size() < 25; ++round) {
    long const before = ts::benchmarks::preemptions();
    double const first = ts::simd::fma_peak(3);
    double const gflops = 2.0e-9 * n * n * n / ts::benchmarks::seconds([&] { engine.run(); });
    double const second = ts::simd::fma_peak(3);
    best = std::max({best, first, second});
    if (ts::benchmarks::preemptions() != before || std::min(first, second) < 0.97 * best) continue;
    speed.push_back(gflops);
    percent.push_back(200.0 * gflops / ((first + second) * threads));
  }
  if (speed.empty()) return std::printf("%-20s %d threads: no clean round\n", name, threads), void();
  std::printf("%-20s %d thread%s  %7.1f GFLOP/s  %5.1f %% of the peak  (median of %zu clean rounds)\n", name, threads,
              threads == 1 ? " " : "s", ts::benchmarks::median(speed), ts::benchmarks::median(percent), speed.size());
}

}  // namespace

int main() {
  for (int threads : {1, 2}) {
    measure("packed beforehand", packed_beforehand, threads);
    measure("packed in the time", packed_in_the_time, threads);
  }
}

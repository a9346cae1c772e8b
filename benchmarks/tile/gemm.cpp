// SPDX-License-Identifier: Apache-2.0
// A matrix product of 1024 x 1024 in tile-level steps on 8 x 8 tiles, as a share of the multiply-add peak measured in
// the same run: with the right operand packed beforehand (a parameter), and with the exchange packing it in the time.
#include <cstdio>
#include <vector>

#include <tessera/codelets/gemm.hpp>
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
  auto const speed = ts::benchmarks::speed_of(2.0 * n * n * n, threads, [&] { engine.run(); });
  if (speed.rounds == 0) return std::printf("%-20s %d threads: no clean round\n", name, threads), void();
  std::printf("%-20s %d thread%s  %7.1f GFLOP/s  %5.1f %% of the peak  (median of %zu clean rounds)\n", name, threads,
              threads == 1 ? " " : "s", speed.gflops, speed.percent, speed.rounds);
}

}  // namespace

int main() {
  for (int threads : {1, 2}) {
    measure("packed beforehand", packed_beforehand, threads);
    measure("packed in the time", packed_in_the_time, threads);
  }
}

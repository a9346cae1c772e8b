// SPDX-License-Identifier: Apache-2.0
// The products of encoder layers, as the graph level runs them: weights packed at load, as a share of the multiply-add
// peak measured in the same run; and the two products of attention on one core, keys and values packed beforehand.
//
//   bench.models.products [THREADS]
#include <tessera/codelets/detail/pack.hpp>
#include <tessera/graph/model.hpp>
#include <tessera/nn/linear.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "../rounds.hpp"

namespace ts = tessera;
namespace kernels = tessera::codelets::detail;

namespace {

/// One linear layer of so many rows.
template <int Rows, int Cols, int Depth>
struct product {
  static constexpr void build(ts::graph& g) {
    g.output("y", ts::nn::linear(g, "layer", g.input<float>("x", {Rows, Depth}), Cols));
  }
};

/// Weights of moderate size.
struct numbers {
  void read_float32(std::string_view, std::span<std::int64_t const>, std::span<float> values) const {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 17) / 16 - 0.5f;
  }
};

void print(char const* what, int rows, int cols, int depth, int threads, ts::benchmarks::clean_speed const& speed) {
  std::printf("%-22s %4d x %4d x %4d  %d thread%s", what, rows, cols, depth, threads, threads == 1 ? " " : "s");
  if (speed.rounds == 0) std::printf("  no clean round\n");
  else
    std::printf("  %7.1f GFLOP/s  %5.1f %% of the peak  (median of %zu clean rounds)\n", speed.gflops, speed.percent,
                speed.rounds);
}

template <int Rows, int Cols, int Depth>
void measure(char const* what, int threads) {
  ts::model<product<Rows, Cols, Depth>> layer(numbers{}, {.threads = threads});
  numbers{}.read_float32("", {}, layer.template input<"x">());
  print(what, Rows, Cols, Depth, threads,
        ts::benchmarks::speed_of(2.0 * Rows * Cols * Depth, threads, [&] { layer.run(); }));
}

/// One core, panels made beforehand.
void measure_kernel(char const* what, int rows, int cols, int depth) {
  auto const at = [](int n, int m) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(m); };
  std::vector<float> a(at(rows, depth), 0.5f), b(at(depth, cols), 0.25f), c(at(rows, cols)),
      panels(static_cast<std::size_t>(kernels::gemm_packed_size(depth, cols)));
  kernels::pack_panels(b.data(), cols, depth, cols, panels.data(), 0, kernels::gemm_panels(cols));
  constexpr int repeats = 50;   // these are short
  auto const work = [&] {
    for (int i = 0; i < repeats; ++i)
      kernels::gemm_block({.rows = rows, .columns = cols, .depth = depth, .a = a.data(), .a_stride = depth,
                           .b = panels.data(), .c = c.data(), .c_stride = cols});
  };
  print(what, rows, cols, depth, 1, ts::benchmarks::speed_of(2.0 * repeats * rows * cols * depth, 1, work));
}

}  // namespace

int main(int argc, char** argv) {
  int const threads = argc > 1 ? std::atoi(argv[1]) : 1;
  if (threads < 1 || threads > 64) return std::fputs("bench.models.products: THREADS is from 1 to 64\n", stderr), 2;
  measure<128, 768, 768>("BERT base, attention", threads);
  measure<128, 3072, 768>("BERT base, first", threads);
  measure<128, 768, 3072>("BERT base, second", threads);
  measure<384, 1024, 1024>("BERT Large, attention", threads);
  measure<384, 4096, 1024>("BERT Large, first", threads);
  measure<384, 1024, 4096>("BERT Large, second", threads);
  measure<128, 384, 384>("MiniLM, attention", threads);
  measure<128, 1536, 384>("MiniLM, first", threads);
  measure<128, 384, 1536>("MiniLM, second", threads);
  measure_kernel("BERT base, q kT", 128, 128, 64);
  measure_kernel("BERT base, p v", 128, 64, 128);
  measure_kernel("BERT Large, q kT", 384, 384, 64);
  measure_kernel("BERT Large, p v", 384, 64, 384);
  measure_kernel("MiniLM, q kT", 128, 128, 32);
  measure_kernel("MiniLM, p v", 128, 32, 128);
}

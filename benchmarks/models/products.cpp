// SPDX-License-Identifier: Apache-2.0
// The products of encoder layers as they run in a network, weights packed at load, and its attention: as a share of the
// multiply-add peak measured in the same run. Then the two products of attention by themselves, on one core, keys and
// values packed beforehand.
//
//   bench.models.products [THREADS]
#include <tessera/codelets/detail/pack.hpp>
#include <tessera/graph/model.hpp>
#include <tessera/models/bert.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../rounds.hpp"

namespace ts = tessera;
namespace bench = tessera::benchmarks;
namespace kernels = tessera::codelets::detail;

namespace {

/// Two layers of an encoder's size, for one sequence of so many tokens; few words, which no product here reads.
template <int Tokens, int Hidden, int Heads>
struct two_layers {
  static constexpr ts::models::bert_configuration value{.layers = 2,
                                                        .hidden = Hidden,
                                                        .heads = Heads,
                                                        .intermediate = 4 * Hidden,
                                                        .vocabulary = 64,
                                                        .positions = Tokens,
                                                        .tokens = Tokens,
                                                        .sequences = 1};
};

/// Weights as a trained network has them: scores of attention stay moderate.
struct numbers {
  void read_float32(std::string_view, std::span<std::int64_t const>, std::span<float> values) const {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 17) / 256 - 0.03125f;
  }
};

/// What a step computes, if it is a product of many rows or attention; else nothing.
std::string name_of_step(ts::program_view const& p, int s) {
  if (p.steps[s].kind != ts::step_kind::compute) return "";
  ts::execute_record const& e = p.executes[p.steps[s].first];
  std::string const vertex = p.kernels[e.kernel].name;
  bool const attention = vertex.find("packed_attention") != std::string::npos;
  if (!attention && vertex.find("dense") == std::string::npos) return "";
  auto const& x = p.tensors[p.accesses[e.first_access].tensor].extent;
  auto const& y = p.tensors[p.accesses[e.first_access + e.accesses - 1].tensor].extent;
  if (y[0] == 1) return "";   // the pooler
  char text[80];
  if (attention) std::snprintf(text, sizeof text, "%4d x %4d          attention", y[0], y[1]);
  else std::snprintf(text, sizeof text, "%4d x %4d x %4d   product", y[0], y[1], x[1]);
  return text;
}

template <int Tokens, int Hidden, int Heads>
void measure(char const* encoder, int threads) {
  using model_type = ts::models::bert<two_layers<Tokens, Hidden, Heads>>;
  ts::model<model_type> model(numbers{}, {.threads = threads});
  for (int i = 0; i < Tokens; ++i) {
    auto const at = static_cast<std::size_t>(i);
    model.template input<"input_ids">()[at] = i % 64;
    model.template input<"token_type_ids">()[at] = 0;
    model.template input<"position_ids">()[at] = i;
    model.template input<"sequence_of_token">()[2 * at] = 0;
    model.template input<"sequence_of_token">()[2 * at + 1] = Tokens;
  }
  model.template input<"sequences">()[0] = 0;
  model.template input<"sequences">()[1] = Tokens;
  model.run();

  struct samples {
    std::vector<double> gflops, percent;
  };
  std::map<std::string, samples> by_name;
  std::vector<ts::step_profile> steps;
  auto const round = [&] {
    model.profile(true);
    model.run();
    steps = model.profile();
  };
  auto const keep = [&](double peak) {
    std::map<std::string, ts::step_profile> sum;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      ts::step_profile& to = sum[name_of_step(model.plan().program, static_cast<int>(s))];
      to.seconds += steps[s].seconds;
      to.flops += steps[s].flops;
    }
    for (auto const& [name, step] : sum) {
      by_name[name].gflops.push_back(1e-9 * step.flops / step.seconds);
      by_name[name].percent.push_back(100e-9 * step.flops / step.seconds / (peak * threads));
    }
  };
  std::size_t const clean = bench::clean_rounds(round, keep);
  for (auto const& [name, s] : by_name)
    if (!name.empty())
      std::printf("%-10s  %s  %d thread%s  %7.1f GFLOP/s  %5.1f %% of the peak  (%zu clean rounds)\n", encoder,
                  name.c_str(), threads, threads == 1 ? " " : "s", bench::median(s.gflops), bench::median(s.percent),
                  clean);
}

/// One core, panels made beforehand.
void measure_kernel(char const* encoder, char const* what, int rows, int cols, int depth) {
  auto const at = [](int n, int m) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(m); };
  std::vector<float> a(at(rows, depth), 0.5f), b(at(depth, cols), 0.25f), c(at(rows, cols)),
      panels(static_cast<std::size_t>(kernels::gemm_packed_size(depth, cols)));
  kernels::pack_panels(b.data(), cols, depth, cols, panels.data(), 0, kernels::gemm_panels(cols));
  constexpr int repeats = 50;   // these are short
  bench::clean_speed const speed = bench::speed_of(2.0 * repeats * rows * cols * depth, 1, [&] {
    for (int i = 0; i < repeats; ++i)
      kernels::gemm_block({.rows = rows, .columns = cols, .depth = depth, .a = a.data(), .a_stride = depth,
                           .b = panels.data(), .c = c.data(), .c_stride = cols});
  });
  std::printf("%-10s  %4d x %4d x %4d   %-9s  1 thread   %7.1f GFLOP/s  %5.1f %% of the peak  (%zu clean rounds)\n",
              encoder, rows, cols, depth, what, speed.gflops, speed.percent, speed.rounds);
}

}  // namespace

int main(int argc, char** argv) {
  int const threads = argc > 1 ? std::atoi(argv[1]) : 1;
  if (threads < 1 || threads > 64) return std::fputs("bench.models.products: THREADS is from 1 to 64\n", stderr), 2;
  measure<128, 768, 12>("BERT base", threads);
  measure<384, 1024, 16>("BERT Large", threads);
  measure<128, 384, 12>("MiniLM", threads);
  measure_kernel("BERT base", "q kT", 128, 128, 64);
  measure_kernel("BERT base", "p v", 128, 64, 128);
  measure_kernel("BERT Large", "q kT", 384, 384, 64);
  measure_kernel("BERT Large", "p v", 384, 64, 384);
  measure_kernel("MiniLM", "q kT", 128, 128, 32);
  measure_kernel("MiniLM", "p v", 128, 32, 128);
}

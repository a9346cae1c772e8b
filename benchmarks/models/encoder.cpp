// SPDX-License-Identifier: Apache-2.0
// bench.models.encoder MODEL WEIGHTS.safetensors WORKLOAD.json [--threads N]
//
// A bundled encoder, timed in turn with others by benchmarks/peers/compare.py; contender.hpp has the lines it obeys.
// The workload is {"sequences": [[id, …], …], "batch": N}; a pass encodes all sequences in groups of N, in their order.
// `save FILE.npy` writes the sentence embeddings (sequences, hidden); `peak` measures the multiply-adds of one core;
// `bound` tells what one pass takes at least on this machine.
#include <tessera/io/npy.hpp>
#include <tessera/models/bert.hpp>
#include <tessera/simd/peak.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../../examples/models/detail/transformer.hpp"
#include "../contender.hpp"
#include "../machine.hpp"

namespace ts = tessera;
namespace bench = tessera::benchmarks;
using nlohmann::json;
using ts::models::token_sequence;

namespace {

struct bundled {
  cli::transformer_kind const* kind;
  ts::models::bert_configuration configuration;
};
bundled const encoders[] = {{&cli::minilm_l6, ts::models::minilm_l6<512>::value},
                            {&cli::bert_base, ts::models::bert_base<512>::value},
                            {&cli::bert_large, ts::models::bert_large<512>::value}};

using group = std::span<token_sequence const>;

/// What an encoder has to do for some sequences.
struct work {
  double flops = 0;  ///< 2 × multiply-adds of the matrix products, on tokens that are there
  double exps = 0;   ///< of the softmax
  double gelus = 0;
  double bytes = 0;  ///< weights of the matrix products, read once
};

work work_of(ts::models::bert_configuration const& c, group sequences) {
  double const hidden = c.hidden;
  double const of_layer = 4 * hidden * hidden + 2 * hidden * c.intermediate;  // multiply-adds a token, and weights
  double const of_pooler = hidden * hidden;
  work all;
  for (token_sequence const& s : sequences) {
    double const n = static_cast<double>(s.ids.size());
    all.flops += 2 * (c.layers * (n * of_layer + 2 * n * n * hidden) + of_pooler);
    all.exps += c.layers * c.heads * n * n;
    all.gelus += c.layers * n * c.intermediate;
  }
  all.bytes = 4 * (c.layers * of_layer + of_pooler);
  return all;
}

/// The least time of one pass. In each group either the cores compute all the time, or the weights arrive all the time:
/// the next group's may not begin before this one's results are there.
json bound(ts::models::bert_configuration const& c, std::vector<group> const& groups, int threads) {
  double const gflops = ts::simd::fma_peak();
  double const exp_ns = bench::exp_ns();
  double const gelu_ns = bench::gelu_ns();
  double const read_ms = 1e3 * bench::read_seconds(work_of(c, groups.front()).bytes, threads);
  work all;
  double fma_ms = 0;
  double function_ms = 0;
  double bound_ms = 0;
  for (group const& g : groups) {
    work const w = work_of(c, g);
    double const products = 1e-6 * w.flops / gflops / threads;
    double const functions = 1e-6 * (w.exps * exp_ns + w.gelus * gelu_ns) / threads;
    all.flops += w.flops;
    all.exps += w.exps;
    all.gelus += w.gelus;
    fma_ms += products;
    function_ms += functions;
    bound_ms += std::max(products + functions, read_ms);
  }
  return {{"gflop", 1e-9 * all.flops}, {"exp", all.exps}, {"gelu", all.gelus}, {"bound_ms", bound_ms},
          {"parts", {{"gflops", gflops}, {"exp_ns", exp_ns}, {"gelu_ns", gelu_ns}, {"fma_ms", fma_ms},
                     {"functions_ms", function_ms}, {"weights_ms", read_ms * static_cast<double>(groups.size())}}}};
}

/// The sequences of a workload, and how many of them make a group.
struct workload {
  std::vector<token_sequence> sequences;
  std::size_t batch = 1;
};

/// @throws input_error if the file is not a workload
workload read_workload(std::string const& path) {
  std::ifstream file(path);
  workload read;
  try {
    json const j = json::parse(file);
    read.batch = j.at("batch").get<std::size_t>();
    for (json const& ids : j.at("sequences")) {
      auto const values = ids.get<std::vector<std::int64_t>>();
      read.sequences.push_back(token_sequence::from(std::span<std::int64_t const>(values)));
    }
  } catch (json::exception const& failure) {
    throw ts::input_error(path + ": " + failure.what(), path);
  }
  if (read.batch == 0 || read.sequences.empty()) throw ts::input_error(path + ": there is nothing to do", path);
  return read;
}

bundled const& encoder_named(std::string const& name) {
  for (bundled const& b : encoders) {
    if (name == b.kind->name) return b;
  }
  throw ts::input_error(name + " is none of minilm_l6, bert_base, bert_large", "MODEL");
}

void serve(std::string const& name, std::string const& weights, std::string const& workload_path, int threads) {
  bundled const& encoder = encoder_named(name);
  workload const all = read_workload(workload_path);
  std::vector<group> groups;
  for (std::size_t i = 0; i < all.sequences.size(); i += all.batch)
    groups.push_back(group(all.sequences).subspan(i, std::min(all.batch, all.sequences.size() - i)));

  std::unique_ptr<cli::transformer> model;
  auto encode = [&](std::function<void(std::size_t, cli::arrays)> const& receive) {
    for (group const& g : groups) model->encode(g, receive);
  };
  auto pass = [&] { encode([](std::size_t, cli::arrays) {}); };
  double const setup_s = bench::seconds([&] {
    model = encoder.kind->open({weights, {}}, threads);
    pass();
  });

  bench::contender me(pass);
  me.on("save", [&](std::string const& path) {
    std::vector<float> embeddings;
    encode([&](std::size_t, cli::arrays made) {
      auto const row = made[cli::sentence_embedding];
      embeddings.insert(embeddings.end(), row.begin(), row.end());
    });
    ts::npy::write(path, std::span<float const>(embeddings),
                   {static_cast<std::int64_t>(all.sequences.size()), encoder.configuration.hidden});
    return json::object();
  });
  me.on("peak", [](std::string const&) { return json{{"gflops", ts::simd::fma_peak()}}; });
  me.on("bound", [&](std::string const&) { return bound(encoder.configuration, groups, threads); });
  me.obey(std::cin, std::cout,
          {{"setup_s", setup_s},
           {"version", "tessera " TESSERA_VERSION},
           {"isa", std::to_string(32 * ts::simd::lanes<float>) + "-bit vectors"}});
}

}  // namespace

int main(int argc, char** argv) {
  std::string model, weights, workload_path;
  int threads = 1;
  cli::program program("bench.models.encoder", "Encodes a workload when a line on the standard input says so.");
  program.app.add_option("MODEL", model, "minilm_l6, bert_base or bert_large")->required();
  program.app.add_option("WEIGHTS", weights, "A safetensors file")->required();
  program.app.add_option("WORKLOAD", workload_path, "A JSON file: sequences, and how many make a group")->required();
  program.threads(threads);
  return program.run(argc, argv, [&] { serve(model, weights, workload_path, threads); });
}

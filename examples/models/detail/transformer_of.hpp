// SPDX-License-Identifier: Apache-2.0
// A model of tessera/models/bert.hpp behind the interface of transformer.hpp.
#pragma once

#include "transformer.hpp"

#include <tessera/io/safetensors.hpp>
#include <tessera/io/synthetic.hpp>
#include <tessera/models/bert_checkpoint.hpp>
#include <tessera/models/packed_encoder.hpp>
#include <tessera/report.hpp>
#include <tessera/simd/peak.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace cli {

inline std::array<std::span<float const>, 3> arrays_of(tessera::models::encoded const& e) {
  return {e.last_hidden_state, e.pooler_output, e.sentence_embedding};
}
inline std::array<std::span<float const>, 2> arrays_of(tessera::models::pretraining_logits const& e) {
  return {e.prediction, e.seq_relationship};
}
inline std::array<std::span<float const>, 2> arrays_of(tessera::models::span_logits const& e) {
  return {e.start, e.end};
}

/// A Model of a Configuration, compiled for runs of up to Capacity tokens.
template <template <class> class Model, template <int> class Configuration, int... Capacity>
class transformer_of final : public transformer {
  using models = tessera::models::packed_encoder<Model, Configuration, Capacity...>;
  static constexpr int largest = std::max({Capacity...});

 public:
  explicit transformer_of(weights_source const& weights, int threads) {
    tessera::engine_options const options{.threads = threads};
    if (weights.seed) {
      models_ = std::make_unique<models>(tessera::synthetic::source("bert", *weights.seed), options);
    } else {
      auto const file = tessera::safetensors::open(weights.path);
      tessera::models::bert_checkpoint const checkpoint(file);
      models_ = std::make_unique<models>(checkpoint, options);
      std::fputs(warning_of_unused(weights.path, checkpoint.unused()).c_str(), stderr);
    }
  }
  void encode(std::span<tessera::models::token_sequence const> sequences,
              std::function<void(std::size_t, arrays)> const& receive) override {
    models_->encode(sequences, [&](std::size_t number, auto const& result) {
      auto const made = arrays_of(result);
      receive(number, made);
    });
  }

  void profile(bool on) override { models_->profile(on); }
  std::string profile() override {
    std::string text;
    double const peak = tessera::simd::fma_peak();
    std::int64_t packed = 0, arenas = 0;
    models_->for_each_capacity([&](int capacity, auto const& m) {
      auto const steps = m.profile();
      if (std::any_of(steps.begin(), steps.end(), [](tessera::step_profile const& s) { return s.runs > 0; }))
        text += "capacity " + std::to_string(capacity) + " tokens\n" + tessera::report::profile(m, peak) + "\n";
      packed = m.parameters()->bytes();   // of all capacities together
      arenas += m.bytes() - packed;
    });
    char line[96];
    std::snprintf(line, sizeof line, "memory: packed weights %.1f MiB, arenas %.1f MiB\n",
                  static_cast<double>(packed) / (1 << 20), static_cast<double>(arenas) / (1 << 20));
    return text + line;
  }

  static constexpr transformer_kind kind(char const* name, char const* description,
                                         std::span<sequence_array const> makes) {
    return {name, description, models::longest, makes,
            [](std::span<tessera::models::token_sequence const> sequences) { models::check(sequences); },
            [](weights_source const& weights, int threads) -> std::unique_ptr<transformer> {
              return std::make_unique<transformer_of>(weights, threads);
            },
            [](std::string const& model) {
              auto report = tessera::report::make(typename tessera::model<Model<Configuration<largest>>>::program{});
              report.title = model + ", runs of up to " + std::to_string(largest) + " tokens";
              return tessera::report::html(report);
            }};
  }

 private:
  std::unique_ptr<models> models_;
};

/// What an encoder makes.
template <int Hidden>
inline constexpr sequence_array encoder_arrays[] = {
    {"last_hidden_state", Hidden, true}, {"pooler_output", Hidden, false}, {"sentence_embedding", Hidden, false}};

}  // namespace cli

// SPDX-License-Identifier: Apache-2.0
#include "detail/encoder.hpp"

#include <tessera/io/safetensors.hpp>
#include <tessera/io/synthetic.hpp>
#include <tessera/models/bert_checkpoint.hpp>
#include <tessera/models/packed_encoder.hpp>
#include <tessera/report.hpp>

namespace ts = tessera;

namespace cli {

struct encoder::models : ts::models::packed_encoder<ts::models::minilm_l6, 16, 32, 64, 128, 256, 512> {
  using packed_encoder::packed_encoder;
  static_assert(hidden == encoder::hidden && longest == encoder::longest);
};

encoder::encoder(weights_source const& weights, int threads) {
  ts::engine_options const options{.threads = threads};
  if (weights.seed) {
    models_ = std::make_unique<models>(ts::synthetic::source("bert", *weights.seed), options);
  } else {
    auto const file = ts::safetensors::open(weights.path);
    models_ = std::make_unique<models>(ts::models::bert_checkpoint(file), options);
  }
}

encoder::~encoder() = default;

void encoder::encode(std::span<ts::models::token_sequence const> sequences,
                     std::function<void(std::size_t, ts::models::encoded const&)> const& receive) {
  models_->encode(sequences, receive);
}

std::string encoder::report() {
  using program = ts::model<ts::models::bert<ts::models::minilm_l6<longest>>>::program;
  return ts::report::html(program{});
}

}  // namespace cli

// SPDX-License-Identifier: Apache-2.0
#include "detail/transformer_of.hpp"

namespace cli {

constexpr sequence_array makes[] = {{"prediction_logits", 30522, true}, {"seq_relationship_logits", 2, false}};
constinit transformer_kind const bert_base_pretraining =
    transformer_of<tessera::models::bert_pretraining, tessera::models::bert_base, 512>::kind(
        "bert_base_pretraining", "BERT base with the heads of pre-training", makes);

}  // namespace cli

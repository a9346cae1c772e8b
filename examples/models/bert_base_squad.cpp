// SPDX-License-Identifier: Apache-2.0
#include "detail/transformer_of.hpp"

namespace cli {

constexpr sequence_array makes[] = {{"start_logits", 1, true}, {"end_logits", 1, true}};
constinit transformer_kind const bert_base_squad =
    transformer_of<tessera::models::bert_question_answering, tessera::models::bert_base, 512>::kind(
        "bert_base_squad", "BERT base with the head that answers questions", makes);

}  // namespace cli

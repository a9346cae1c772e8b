// SPDX-License-Identifier: Apache-2.0
#include "detail/transformer_of.hpp"

namespace cli {

constinit transformer_kind const bert_base =
    transformer_of<tessera::models::bert, tessera::models::bert_base, 32, 128, 512>::kind(
        "bert_base", "BERT base, uncased: 12 layers of 768", encoder_arrays<768>);

}  // namespace cli

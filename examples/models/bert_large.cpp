// SPDX-License-Identifier: Apache-2.0
#include "detail/transformer_of.hpp"

namespace cli {

constinit transformer_kind const bert_large =
    transformer_of<tessera::models::bert, tessera::models::bert_large, 128, 512>::kind(
        "bert_large", "BERT Large, uncased: 24 layers of 1024", encoder_arrays<1024>);

}  // namespace cli

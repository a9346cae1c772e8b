// SPDX-License-Identifier: Apache-2.0
#include "detail/transformer_of.hpp"

namespace cli {

constinit transformer_kind const minilm_l6 =
    transformer_of<tessera::models::bert, tessera::models::minilm_l6, 16, 32, 64, 128, 256, 512>::kind(
        "minilm_l6", "all-MiniLM-L6-v2, a sentence encoder", encoder_arrays<384>);

}  // namespace cli

// SPDX-License-Identifier: Apache-2.0
// What goes into an encoder and what comes out: the tokens of a sequence, and the vectors it becomes.
//
//   auto s = ts::models::token_sequence::from(std::span<std::int64_t const>(tokenizer.encode("A sentence.")));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tessera/base/error.hpp>

namespace tessera::models {

/// The tokens of one sequence: ids, and for each its segment and position.
struct token_sequence {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> types;
  std::vector<std::int32_t> positions;

  /// Ids with segment 0 (or the given ones) and positions 0, 1, ….
  template <class Id>
  static token_sequence from(std::span<Id const> ids, std::span<Id const> types = {}) {
    token_sequence s;
    for (std::size_t i = 0; i < ids.size(); ++i) s.add(ids[i], types.empty() ? Id{0} : types[i], static_cast<Id>(i));
    return s;
  }
  /// @throws input_error if a value does not fit 32 bits
  void add(std::int64_t id, std::int64_t type, std::int64_t position) {
    for (std::int64_t const value : {id, type, position})
      if (value < 0 || value > 0x7fffffff)
        throw input_error("tessera: token " + std::to_string(ids.size()) + ": " + std::to_string(value) +
                              " is no id, segment or position",
                          "input_ids");
    ids.push_back(static_cast<std::int32_t>(id));
    types.push_back(static_cast<std::int32_t>(type));
    positions.push_back(static_cast<std::int32_t>(position));
  }
};

/// What an encoder makes of one sequence; valid until the next run.
struct encoded {
  std::span<float const> last_hidden_state;    ///< (tokens, hidden)
  std::span<float const> pooler_output;        ///< (hidden)
  std::span<float const> sentence_embedding;   ///< (hidden)
};
/// What the heads of pre-training make of one sequence; valid until the next run.
struct pretraining_logits {
  std::span<float const> prediction;         ///< (tokens, vocabulary)
  std::span<float const> seq_relationship;   ///< (2): the second part follows the first, or not
};
/// Where in one sequence an answer may be.
struct span_logits {
  std::vector<float> start;   ///< (tokens): it begins here
  std::vector<float> end;     ///< (tokens): it ends here
};

/// Where one sequence of a packed run lies.
struct packed_place {
  std::size_t first_token = 0;
  std::size_t tokens = 0;
  std::size_t sequence = 0;

  /// Its part of an output (T, width) that has a row for each token.
  std::span<float const> of_tokens(std::span<float const> output, int width) const {
    auto const w = static_cast<std::size_t>(width);
    return output.subspan(first_token * w, tokens * w);
  }
  /// Its row of an output (B, width) that has one for each sequence.
  std::span<float const> of_sequences(std::span<float const> output, int width) const {
    auto const w = static_cast<std::size_t>(width);
    return output.subspan(sequence * w, w);
  }
};

}  // namespace tessera::models

// SPDX-License-Identifier: Apache-2.0
// The bundled BERTs behind a small interface, so that the kernels of each are compiled once for all programs.
//
//   auto const model = cli::minilm_l6.open(weights, threads);
//   model->encode(sequences, [](std::size_t number, cli::arrays made) { use(made[cli::sentence_embedding]); });
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <tessera/models/token_sequence.hpp>

#include "arguments.hpp"

namespace cli {

/// An array that a model makes of each sequence.
struct sequence_array {
  char const* name;
  int width;        ///< numbers in a row
  bool per_token;   ///< a row for each token, or one for the sequence
};

/// What a model made of one sequence, an array each in the order of its list; valid until the call returns.
using arrays = std::span<std::span<float const> const>;

/// A model whose weights are loaded.
class transformer {
 public:
  virtual ~transformer() = default;
  /// Calls receive(number, made) for every sequence, in order.
  /// @throws input_error if a sequence is empty, too long or holds what the model has not, before anything runs
  virtual void encode(std::span<tessera::models::token_sequence const> sequences,
                      std::function<void(std::size_t, arrays)> const& receive) = 0;
  /// Whether runs are timed from now on.
  virtual void profile(bool on) = 0;
  /// What they took, by vertex type and by step of each capacity that was needed, and what memory is held.
  virtual std::string profile() = 0;
};

/// A model before that.
struct transformer_kind {
  char const* name;
  char const* description;
  int longest;   ///< sequence, in tokens
  std::span<sequence_array const> makes;
  /// @throws input_error if encode() of its models would refuse the sequences
  void (*check)(std::span<tessera::models::token_sequence const> sequences);
  /// @throws io_error or input_error if the weights cannot be read
  std::unique_ptr<transformer> (*open)(weights_source const& weights, int threads);
  /// A static report of the largest capacity, as one HTML page that is headed by the model's name.
  std::string (*report)(std::string const& model);
};

extern transformer_kind const minilm_l6;               ///< all-MiniLM-L6-v2
extern transformer_kind const bert_base;               ///< BERT base, uncased
extern transformer_kind const bert_base_pretraining;   ///< with the heads of pre-training
extern transformer_kind const bert_base_squad;         ///< with the head that answers questions
extern transformer_kind const bert_large;              ///< BERT Large, uncased

/// The number of this array in the lists of encoders.
inline constexpr std::size_t sentence_embedding = 2;

}  // namespace cli

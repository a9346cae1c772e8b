// SPDX-License-Identifier: Apache-2.0
// BERT encoders (Devlin et al., "BERT: pre-training of deep bidirectional transformers", 2018), among them MiniLM:
// post-norm layers, exact GELU. Sentences of any length are packed one after the other; none is padded.
//
//   struct my_bert { static constexpr ts::models::bert_configuration value{.layers = 6, …}; };
//   ts::model<ts::models::bert<my_bert>> encoder{ts::models::bert_checkpoint{file}};
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tessera/graph/operators.hpp>
#include <tessera/nn.hpp>

namespace tessera::models {

/// Sizes of an encoder, and what one run of it holds.
struct bert_configuration {
  int layers = 12;
  int hidden = 768;
  int heads = 12;
  int intermediate = 3072;
  int vocabulary = 30522;
  int positions = 512;
  int token_types = 2;
  double eps = 1e-12;
  int tokens = 128;      ///< capacity: tokens of all sequences of a run
  int sequences = 32;    ///< capacity: sequences of a run
};

/// A type with a static constexpr bert_configuration `value`.
template <class C>
concept BertConfiguration = requires { { C::value.hidden }; };

/// all-MiniLM-L6-v2 (Wang et al., "MiniLM", 2020), for `Tokens` tokens of up to Tokens / 2 sequences.
template <int Tokens>
struct minilm_l6 {
  static constexpr bert_configuration value{.layers = 6, .hidden = 384, .heads = 12, .intermediate = 1536,
                                            .tokens = Tokens, .sequences = Tokens / 2 < 64 ? Tokens / 2 : 64};
};

/// The encoder. Lengths: tokens T, sequences B. Inputs, all int32: input_ids, token_type_ids, position_ids (T);
/// sequence_of_token (T, 2) and sequences (B, 2), both first and end row of a sequence.
/// Outputs: last_hidden_state (T, hidden); pooler_output (B, hidden) = tanh(pooler · first token of each sequence);
/// sentence_embedding (B, hidden) = mean over each sequence's tokens, of length 1.
/// Parameters are named as in transformers' BertModel.
template <BertConfiguration Configuration>
struct bert {
  static constexpr bert_configuration const& configuration = Configuration::value;

  /// One layer: attention and feed-forward network, each with a residual connection and a layer norm behind it.
  static constexpr node layer(graph& g, text const& at, node x, node bounds) {
    constexpr bert_configuration const& c = configuration;
    node const q = nn::linear(g, name(at, ".attention.self.query"), x, c.hidden);
    node const k = nn::linear(g, name(at, ".attention.self.key"), x, c.hidden);
    node const v = nn::linear(g, name(at, ".attention.self.value"), x, c.hidden);
    node const context = packed_attention(g, q, k, v, bounds, c.heads);
    node const attended = nn::linear(g, name(at, ".attention.output.dense"), context, c.hidden, {.residual = x});
    node const a = nn::layer_norm(g, name(at, ".attention.output.LayerNorm"), attended, c.eps);
    node const f = nn::linear(g, name(at, ".intermediate.dense"), a, c.intermediate, {.function = activation::gelu_erf});
    node const out = nn::linear(g, name(at, ".output.dense"), f, c.hidden, {.residual = a});
    return nn::layer_norm(g, name(at, ".output.LayerNorm"), out, c.eps);
  }

  static constexpr void build(graph& g) {
    constexpr bert_configuration const& c = configuration;
    length const tokens = g.run_time_length("tokens", c.tokens);
    length const sequences = g.run_time_length("sequences", c.sequences);
    node const ids = g.input<std::int32_t>("input_ids", {tokens});
    node const types = g.input<std::int32_t>("token_type_ids", {tokens});
    node const positions = g.input<std::int32_t>("position_ids", {tokens});
    node const sequence_of_token = g.input<std::int32_t>("sequence_of_token", {tokens, 2});
    node const bounds = g.input<std::int32_t>("sequences", {sequences, 2});

    node const words = g.parameter("embeddings.word_embeddings.weight", {c.vocabulary, c.hidden});
    node const kinds = g.parameter("embeddings.token_type_embeddings.weight", {c.token_types, c.hidden});
    node const places = g.parameter("embeddings.position_embeddings.weight", {c.positions, c.hidden});
    node const weight = g.parameter("embeddings.LayerNorm.weight", {c.hidden});
    node const bias = g.parameter("embeddings.LayerNorm.bias", {c.hidden});
    node x = embedding_norm(g, {words, kinds, places}, {ids, types, positions}, weight, bias, c.eps);
    for (int i = 0; i < c.layers; ++i) x = layer(g, name("encoder.layer.", i), x, sequence_of_token);
    g.output("last_hidden_state", x);

    node const first = select_rows(g, x, bounds);
    g.output("pooler_output", nn::linear(g, "pooler.dense", first, c.hidden, {.function = activation::tanh}));
    g.output("sentence_embedding", l2_normalize(g, sequence_mean(g, x, bounds), 1e-12));
  }
};

}  // namespace tessera::models

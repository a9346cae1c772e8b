// SPDX-License-Identifier: Apache-2.0
// BERT (Devlin et al., "BERT: pre-training of deep bidirectional transformers", 2018), among its encoders MiniLM:
// post-norm layers, exact GELU; alone, with the heads of pre-training, and with the one that answers questions. Sentences
// of any length are packed one after the other; none is padded.
//
//   struct my_bert { static constexpr ts::models::bert_configuration value{.layers = 6, …}; };
//   ts::model<ts::models::bert<my_bert>> encoder{ts::models::bert_checkpoint{file}};
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tessera/graph/operators.hpp>
#include <tessera/models/token_sequence.hpp>
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
  element weights = element::float32;   ///< of the layers' products: bfloat16 takes half the memory
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

/// BERT base, uncased, for `Tokens` tokens of up to Tokens / 2 sequences.
template <int Tokens>
struct bert_base {
  static constexpr bert_configuration value{.tokens = Tokens, .sequences = Tokens / 2 < 64 ? Tokens / 2 : 64};
};
/// BERT Large, uncased.
template <int Tokens>
struct bert_large {
  static constexpr bert_configuration value{.layers = 24, .hidden = 1024, .heads = 16, .intermediate = 4096,
                                            .tokens = Tokens, .sequences = Tokens / 2 < 64 ? Tokens / 2 : 64};
};

/// The layers that all models here have. Lengths: tokens T, sequences B. Inputs, all int32: input_ids, token_type_ids,
/// position_ids (T); sequence_of_token (T, 2) and sequences (B, 2), both first and end row of a sequence.
template <BertConfiguration Configuration>
struct bert_layers {
  static constexpr bert_configuration const& configuration = Configuration::value;
  node words;    ///< the embedding of the vocabulary (vocabulary, hidden)
  node states;   ///< what the last layer makes of the tokens (T, hidden)
  node bounds;   ///< the input `sequences`

  /// One layer: attention and feed-forward network, each with a residual connection and a layer norm behind it.
  static constexpr node layer(graph& g, text const& at, node x, node bounds) {
    constexpr bert_configuration const& c = configuration;
    nn::linear_options const plain{.weights = c.weights};
    node const q = nn::linear(g, name(at, ".attention.self.query"), x, c.hidden, plain);
    node const k = nn::linear(g, name(at, ".attention.self.key"), x, c.hidden, plain);
    node const v = nn::linear(g, name(at, ".attention.self.value"), x, c.hidden, plain);
    node const context = packed_attention(g, q, k, v, bounds, c.heads);
    node const attended = nn::linear(g, name(at, ".attention.output.dense"), context, c.hidden,
                                     {.residual = x, .weights = c.weights});
    node const a = nn::layer_norm(g, name(at, ".attention.output.LayerNorm"), attended, c.eps);
    node const f = nn::linear(g, name(at, ".intermediate.dense"), a, c.intermediate,
                              {.function = activation::gelu_erf, .weights = c.weights});
    node const out = nn::linear(g, name(at, ".output.dense"), f, c.hidden, {.residual = a, .weights = c.weights});
    return nn::layer_norm(g, name(at, ".output.LayerNorm"), out, c.eps);
  }

  /// @param at  what the names of parameters begin with: "", or "bert." where a model has heads
  constexpr bert_layers(graph& g, text const& at) {
    constexpr bert_configuration const& c = configuration;
    length const tokens = g.run_time_length("tokens", c.tokens);
    length const sequences = g.run_time_length("sequences", c.sequences);
    node const ids = g.input<std::int32_t>("input_ids", {tokens});
    node const types = g.input<std::int32_t>("token_type_ids", {tokens});
    node const positions = g.input<std::int32_t>("position_ids", {tokens});
    node const sequence_of_token = g.input<std::int32_t>("sequence_of_token", {tokens, 2});
    bounds = g.input<std::int32_t>("sequences", {sequences, 2});

    words = g.parameter(name(at, "embeddings.word_embeddings.weight"), {c.vocabulary, c.hidden});
    node const kinds = g.parameter(name(at, "embeddings.token_type_embeddings.weight"), {c.token_types, c.hidden});
    node const places = g.parameter(name(at, "embeddings.position_embeddings.weight"), {c.positions, c.hidden});
    node const weight = g.parameter(name(at, "embeddings.LayerNorm.weight"), {c.hidden});
    node const bias = g.parameter(name(at, "embeddings.LayerNorm.bias"), {c.hidden});
    states = embedding_norm(g, {words, kinds, places}, {ids, types, positions}, weight, bias, c.eps);
    for (int i = 0; i < c.layers; ++i) states = layer(g, name(at, "encoder.layer.", i), states, sequence_of_token);
  }

  /// tanh(dense · first token) of each sequence (B, hidden).
  constexpr node pooled(graph& g, text const& at) const {
    return nn::linear(g, name(at, "pooler.dense"), select_rows(g, states, bounds), configuration.hidden,
                      {.function = activation::tanh});
  }
};

/// The encoder. Outputs: last_hidden_state (T, hidden); pooler_output (B, hidden); sentence_embedding (B, hidden), the
/// mean over each sequence's tokens, of length 1. Parameters are named as in transformers' BertModel.
template <BertConfiguration Configuration>
struct bert {
  static constexpr bert_configuration const& configuration = Configuration::value;

  static constexpr void build(graph& g) {
    bert_layers<Configuration> const layers(g, "");
    g.output("last_hidden_state", layers.states);
    g.output("pooler_output", layers.pooled(g, ""));
    g.output("sentence_embedding", l2_normalize(g, sequence_mean(g, layers.states, layers.bounds), 1e-12));
  }
  /// What a run has made of a sequence; `m` is a ts::model of this type.
  template <class Model>
  static encoded result_of(Model const& m, packed_place at) {
    return {at.of_tokens(m.template output<"last_hidden_state">(), configuration.hidden),
            at.of_sequences(m.template output<"pooler_output">(), configuration.hidden),
            at.of_sequences(m.template output<"sentence_embedding">(), configuration.hidden)};
  }
};

/// The encoder with both heads of pre-training. Outputs: prediction_logits (T, vocabulary), how likely each word is in a
/// token's place, by the embedding of the vocabulary; seq_relationship_logits (B, 2), whether the second part of a
/// sequence follows the first (0) or not (1). Parameters are named as in transformers' BertForPreTraining.
template <BertConfiguration Configuration>
struct bert_pretraining {
  static constexpr bert_configuration const& configuration = Configuration::value;

  static constexpr void build(graph& g) {
    constexpr bert_configuration const& c = configuration;
    bert_layers<Configuration> const layers(g, "bert.");
    node const dense =
        nn::linear(g, "cls.predictions.transform.dense", layers.states, c.hidden, {.function = activation::gelu_erf});
    node const normed = nn::layer_norm(g, "cls.predictions.transform.LayerNorm", dense, c.eps);
    node const bias = g.parameter("cls.predictions.bias", {c.vocabulary});
    g.output("prediction_logits", linear(g, normed, layers.words, bias));
    g.output("seq_relationship_logits", nn::linear(g, "cls.seq_relationship", layers.pooled(g, "bert."), 2));
  }
  /// What a run has made of a sequence; `m` is a ts::model of this type.
  template <class Model>
  static pretraining_logits result_of(Model const& m, packed_place at) {
    return {at.of_tokens(m.template output<"prediction_logits">(), configuration.vocabulary),
            at.of_sequences(m.template output<"seq_relationship_logits">(), 2)};
  }
};

/// The encoder with the head that marks the answer to a question in a passage (SQuAD). Output: span_logits (T, 2), how
/// likely the answer begins and ends at each token. Parameters are named as in transformers' BertForQuestionAnswering.
template <BertConfiguration Configuration>
struct bert_question_answering {
  static constexpr bert_configuration const& configuration = Configuration::value;

  static constexpr void build(graph& g) {
    bert_layers<Configuration> const layers(g, "bert.");
    g.output("span_logits", nn::linear(g, "qa_outputs", layers.states, 2));
  }
  /// What a run has made of a sequence; `m` is a ts::model of this type.
  template <class Model>
  static span_logits result_of(Model const& m, packed_place at) {
    span_logits result;
    std::span<float const> const both = at.of_tokens(m.template output<"span_logits">(), 2);
    for (std::size_t i = 0; i < both.size(); i += 2) {
      result.start.push_back(both[i]);
      result.end.push_back(both[i + 1]);
    }
    return result;
  }
};

}  // namespace tessera::models

// SPDX-License-Identifier: Apache-2.0
// BERTs of any size: what a config.json says is compiled when it is first wanted, and kept.
//
//   auto const sizes = cli::bert_sizes::read("config.json");
//   cli::compiled_transformer const model = cli::transformer_on_demand(sizes, cli::bert_head::none, true);
//   model.kind->open(weights, threads)
#pragma once

#include "progress.hpp"
#include "transformer.hpp"

#include <tessera/io/mapped_file.hpp>
#include <tessera/runtime/jit.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>
#include <utility>

namespace cli {

/// The sizes of a BERT, as the file says that lies beside its weights.
struct bert_sizes {
  int layers, hidden, heads, intermediate, vocabulary, positions, token_types;
  double eps;

  /// @throws io_error     if the file cannot be read
  /// @throws input_error  if it is no JSON, lacks a size, or describes something that is not here
  static bert_sizes read(std::string const& path) {
    auto const file = tessera::mapped_file::open(path);
    auto const* const text = reinterpret_cast<char const*>(file.bytes().data());
    nlohmann::json const config = nlohmann::json::parse(text, text + file.bytes().size(), nullptr, false);
    auto const refuse = [&](std::string const& what) { throw tessera::input_error(path + ": " + what, "config"); };
    if (!config.is_object()) refuse("is no JSON object");
    auto const size = [&](char const* key, int most) {
      auto const found = config.find(key);
      if (found == config.end()) refuse("has no " + std::string(key));
      if (!found->is_number_integer() || *found < 1 || *found > most)
        refuse(std::string(key) + " is not a whole number from 1 to " + std::to_string(most));
      return found->get<int>();
    };
    auto const must_be = [&](char const* key, char const* value) {
      auto const found = config.find(key);
      if (found != config.end() && *found != value) refuse(std::string(key) + " is not \"" + value + "\": not available");
    };
    must_be("hidden_act", "gelu");
    must_be("position_embedding_type", "absolute");
    bert_sizes s{size("num_hidden_layers", 48),         size("hidden_size", 4096),
                 size("num_attention_heads", 64),       size("intermediate_size", 16384),
                 size("vocab_size", 1000000),           size("max_position_embeddings", 4096),
                 size("type_vocab_size", 64),           1e-12};
    if (s.hidden % s.heads != 0) refuse("hidden_size is no multiple of num_attention_heads");
    if (auto const eps = config.find("layer_norm_eps"); eps != config.end()) {
      if (!eps->is_number() || !(eps->get<double>() > 0 && eps->get<double>() < 1))
        refuse("layer_norm_eps is not a number between 0 and 1");
      s.eps = eps->get<double>();
    }
    return s;
  }
};

/// What a BERT has behind its layers.
enum class bert_head { none, pretraining, squad };

/// A kind whose code was loaded; it and its models need the code.
struct compiled_transformer {
  tessera::jit::library code;
  transformer_kind const* kind;
};

/// @param may_compile  whether a compiler may run where the cache has not got the model
inline compiled_transformer transformer_on_demand(bert_sizes const& s, bert_head head, bool may_compile) {
  char eps[32];
  std::snprintf(eps, sizeof eps, "%.17g", s.eps);
  std::string const hidden = std::to_string(s.hidden), vocabulary = std::to_string(s.vocabulary);
  char const* const model[] = {"bert", "bert_pretraining", "bert_question_answering"};
  std::string const makes[] = {
      "{\"last_hidden_state\", " + hidden + ", true}, {\"pooler_output\", " + hidden +
          ", false}, {\"sentence_embedding\", " + hidden + ", false}",
      "{\"prediction_logits\", " + vocabulary + ", true}, {\"seq_relationship_logits\", 2, false}",
      "{\"start_logits\", 1, true}, {\"end_logits\", 1, true}"};
  auto const which = static_cast<std::size_t>(head);
  std::string const source =
      "#include \"detail/transformer_of.hpp\"\n"
      "template <int Tokens>\n"
      "struct sizes {\n"
      "  static constexpr tessera::models::bert_configuration value{.layers = " + std::to_string(s.layers) +
      ", .hidden = " + hidden + ", .heads = " + std::to_string(s.heads) +
      ", .intermediate = " + std::to_string(s.intermediate) + ", .vocabulary = " + vocabulary +
      ", .positions = " + std::to_string(s.positions) + ", .token_types = " + std::to_string(s.token_types) +
      ", .eps = " + eps + ", .tokens = Tokens, .sequences = Tokens / 2 < 64 ? Tokens / 2 : 64};\n"
      "};\n"
      "constexpr cli::sequence_array makes[] = {" + makes[which] + "};\n"
      "constinit cli::transformer_kind const kind =\n"
      "    cli::transformer_of<tessera::models::" + model[which] + ", sizes, 128, 512>::kind(\"bert\", \"\", makes);\n"
      "TESSERA_ENTRY cli::transformer_kind const* transformer() { return &kind; }\n";
  tessera::jit::options how{.title = "a BERT of " + std::to_string(s.layers) + " layers of " + hidden};
  how.flags = {"-I" TESSERA_MODELS_FOLDER};
  how.allowed = may_compile;
  how.progress = [](std::string const& line) {
    if (progress::is_terminal(stderr)) std::fprintf(stderr, "%s\n", line.c_str());
  };
  tessera::jit::library code = tessera::jit::compile(source, "transformer", how);
  transformer_kind const* const kind = code.entry<transformer_kind const*()>()();
  return {std::move(code), kind};
}

}  // namespace cli

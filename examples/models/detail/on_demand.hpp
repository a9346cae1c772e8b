// SPDX-License-Identifier: Apache-2.0
// Models by name: those that are compiled in, and BERTs of any size. What a config.json says is compiled when it is
// first wanted, and kept.
//
//   cli::named_model const model("bert_squad", {&cli::bert_base_squad, 1}, cli::sized_models, configuration, true);
//   model.kind().open(weights, threads)
#pragma once

#include "progress.hpp"
#include "transformer.hpp"

#include <tessera/io/mapped_file.hpp>
#include <tessera/io/synthetic.hpp>
#include <tessera/runtime/jit.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
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
      if (found != config.end() && *found != value)
        refuse(std::string(key) + " is not \"" + value + "\": not available");
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

/// A number that changes with the headers through which a program and a loaded model see each other: the cache knows
/// the library's headers only, and a model compiled before they changed must not be loaded.
inline std::uint64_t interface_number() {
  std::uint64_t number = 0;
  for (char const* const header : {"arguments.hpp", "transformer.hpp", "transformer_of.hpp"}) {
    auto const file = tessera::mapped_file::open(std::string(TESSERA_MODELS_FOLDER "/detail/") + header);
    auto const bytes = file.bytes();
    number = 31 * number + tessera::synthetic::fnv1a64({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
  }
  return number;
}

/// @param narrow       whether the weights of the layers are rounded to bf16 and take half the memory
/// @param may_compile  whether a compiler may run where the cache has not got the model
inline compiled_transformer transformer_on_demand(bert_sizes const& s, bert_head head, bool narrow, bool may_compile) {
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
      "// interface " + std::to_string(interface_number()) + "\n"
      "#include \"detail/transformer_of.hpp\"\n"
      "template <int Tokens>\n"
      "struct sizes {\n"
      "  static constexpr tessera::models::bert_configuration value{.layers = " + std::to_string(s.layers) +
      ", .hidden = " + hidden + ", .heads = " + std::to_string(s.heads) +
      ", .intermediate = " + std::to_string(s.intermediate) + ", .vocabulary = " + vocabulary +
      ", .positions = " + std::to_string(s.positions) + ", .token_types = " + std::to_string(s.token_types) +
      ", .eps = " + eps + (narrow ? ", .weights = tessera::element::bfloat16" : "") +
      ", .tokens = Tokens, .sequences = Tokens / 2 < 64 ? Tokens / 2 : 64};\n"
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

/// Models of any size, by name.
struct sized_model {
  char const* name;
  bert_head head;
  char const* like;   ///< the one of them that is compiled in
};
inline constexpr sized_model sized_models[] = {{"bert", bert_head::none, "bert_base"},
                                               {"bert_pretraining", bert_head::pretraining, "bert_base_pretraining"},
                                               {"bert_squad", bert_head::squad, "bert_base_squad"}};

/// The model that a command line names. It must outlive what is opened with it.
class named_model {
 public:
  /// @param config       where a model of any size takes `config`, the path of its config.json, and `weights`, f32 or
  ///                     bf16; all else is refused
  /// @param may_compile  see transformer_on_demand
  /// @throws input_error  if there is no such model, or its settings are wrong
  /// @throws io_error or run_error  if it cannot be compiled
  named_model(std::string const& name, std::span<transformer_kind const* const> compiled_in,
              std::span<sized_model const> sized, configuration& config, bool may_compile) {
    std::string known;
    auto const is = [&](char const* other) {
      known += (known.empty() ? "" : ", ") + std::string(other);
      return name == other;
    };
    for (transformer_kind const* const kind : compiled_in)
      if (is(kind->name)) kind_ = kind;
    if (kind_ != nullptr) {
      config.refuse_the_rest();
      return;
    }
    for (sized_model const& s : sized) {
      if (!is(s.name)) continue;
      std::string const path = config.text("config"), weights = config.text("weights", "f32");
      config.refuse_the_rest();
      if (weights != "f32" && weights != "bf16")
        throw tessera::input_error("--config weights: " + tessera::io_detail::in_quotes(weights) +
                                       " is neither f32 nor bf16", "weights");
      if (path.empty())
        throw tessera::input_error("--config config=FILE is missing: " + name + " needs its sizes", "--config");
      compiled_ = transformer_on_demand(bert_sizes::read(path), s.head, weights == "bf16", may_compile);
      kind_ = compiled_->kind;
      return;
    }
    std::string const wrong = name.empty() ? "which model" : "there is no model " + tessera::io_detail::in_quotes(name);
    throw tessera::input_error(wrong + ": there are " + known, "MODEL");
  }
  transformer_kind const& kind() const { return *kind_; }

 private:
  std::optional<compiled_transformer> compiled_;
  transformer_kind const* kind_ = nullptr;
};

}  // namespace cli

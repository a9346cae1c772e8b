// SPDX-License-Identifier: Apache-2.0
// tessera-run: a bundled model on arrays from files, its outputs to files.
//
//   tessera-run minilm_l6 --weights model.safetensors --input input_ids=ids.npy --output results
//   tessera-run minilm_l6 --vocab vocab.txt --tokenize texts.json --output results
#include "detail/on_demand.hpp"
#include "detail/progress.hpp"
#include "detail/transformer.hpp"

#include <tessera/io/atomic_file.hpp>
#include <tessera/io/mapped_file.hpp>
#include <tessera/io/npy.hpp>
#include <tessera/io/wordpiece.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

struct options {
  std::string model;
  cli::weights_source weights;
  std::vector<cli::named_file> inputs;
  cli::configuration config;
  std::string output;
  std::string vocabulary;
  std::string texts;
  std::string report;
  int threads = 1;
  bool may_compile = true;
  bool list = false;
  bool profile = false;
};

cli::transformer_kind const* const transformers[] = {&cli::minilm_l6, &cli::bert_base, &cli::bert_base_pretraining,
                                                     &cli::bert_base_squad, &cli::bert_large};

std::string shape_of(cli::sequence_array const& a) {
  return std::string("[N") + (a.per_token ? ", S" : "") + (a.width > 1 ? ", " + std::to_string(a.width) : "") + "]";
}

/// Every model with its inputs, outputs and settings.
std::string models_text() {
  std::string text;
  for (cli::transformer_kind const* kind : transformers) {
    text += std::string(kind->name) + "  " + kind->description +
            "\n  inputs   input_ids int64 [N, S]; optional attention_mask int64 [N, S] of 0 and 1 (all 1), "
            "token_type_ids int64 [N, S] (all 0); int32 will do, bool for the mask; N is any number, S at most " +
            std::to_string(kind->longest) + " tokens that count\n  outputs  ";
    for (cli::sequence_array const& a : kind->makes)
      text += std::string(&a == kind->makes.data() ? "" : "; ") + a.name + " float32 " + shape_of(a) +
              (a.per_token ? ", 0 where the mask is" : "");
    text += "\n  config   none\n";
  }
  for (cli::sized_model const& sized : cli::sized_models)
    text += std::string(sized.name) + "  " + sized.like +
            " of any size, compiled when it is first wanted\n"
            "  config   config=FILE, the config.json beside its weights; "
            "weights=f32|bf16 (f32): bf16 takes half the memory\n";
  return text +
         "\n  each with --vocab FILE --tokenize FILE.json (a list of strings, or of pairs of strings) instead of "
         "inputs: ids and token_type_ids int64 [N, L] padded with -1, attention_mask int64 [N, L] of 0 and 1, "
         "lengths int64 [N]; ids and attention_mask are what --input takes\n";
}

/// A two-dimensional array of int64 by name, or nothing.
struct integers {
  std::vector<std::int64_t> values;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};

integers read_integers(cli::named_file const& input, bool truth_values = false) {
  ts::npy::array const a = ts::npy::read(input.path);
  auto refuse = [&](std::string const& what) {
    throw ts::input_error("--input " + input.name + ": " + input.path + " " + what, input.name);
  };
  if (a.shape.size() != 2) refuse("has " + std::to_string(a.shape.size()) + " dimensions, not 2");
  integers out{{}, a.shape[0], a.shape[1]};
  if (a.element == ts::element::int64) {
    auto const v = a.values<std::int64_t>();
    out.values.assign(v.begin(), v.end());
  } else if (a.element == ts::element::int32) {
    auto const v = a.values<std::int32_t>();
    out.values.assign(v.begin(), v.end());
  } else if (truth_values && a.element == ts::element::boolean) {
    out.values.assign(a.size(), 0);
    std::transform(a.bytes.begin(), a.bytes.end(), out.values.begin(), [](std::byte b) { return b == std::byte{1}; });
  } else {
    refuse("holds " + std::string(ts::name_of(a.element)) +
           (truth_values ? ", not int64, int32 or bool" : ", not int64 or int32"));
  }
  return out;
}

template <class T>
void write_array(std::string const& folder, std::string const& name, std::vector<T> const& values,
                 std::vector<std::int64_t> const& shape) {
  ts::npy::write(folder + "/" + name + ".npy", std::span<T const>(values), shape);
}

/// Appends `count` zeros.
void write_zeros(ts::npy::writer& file, std::size_t count) {
  static float const zeros[4096] = {};
  for (; count > 0; count -= std::min(count, std::size(zeros)))
    file.write(std::as_bytes(std::span(zeros).first(std::min(count, std::size(zeros)))));
}
/// Appends a row of `width` numbers for each of `columns` tokens: zeros where there is none at such a place.
void write_rows(ts::npy::writer& file, std::span<float const> rows, std::span<std::int32_t const> places,
                std::size_t columns, std::size_t width) {
  std::size_t column = 0;
  for (std::size_t i = 0, count; i < places.size(); i += count) {
    for (count = 1; i + count < places.size() && places[i + count] == places[i + count - 1] + 1;) ++count;
    auto const place = static_cast<std::size_t>(places[i]);
    write_zeros(file, (place - column) * width);
    file.write(std::as_bytes(rows.subspan(i * width, count * width)));
    column = place + count;
  }
  write_zeros(file, (columns - column) * width);
}

/// Makes the folder for results, and makes sure before the work is done that each can be written there.
void prepare_folder(std::string const& path, std::vector<char const*> const& results) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  std::error_code no_folder;
  if (failure || !std::filesystem::is_directory(path, no_folder))
    throw ts::io_error(path + ": cannot be made a folder" + (failure ? ": " + failure.message() : ""), path);
  for (char const* name : results) ts::atomic_file probe(path + "/" + name + ".npy");
}

void run_transformer(cli::transformer_kind const& kind, options const& o) {
  integers ids;
  std::optional<integers> mask, types;
  for (cli::named_file const& input : o.inputs) {
    if (input.name == "input_ids") ids = read_integers(input);
    else if (input.name == "attention_mask") mask = read_integers(input, true);
    else if (input.name == "token_type_ids") types = read_integers(input);
    else
      throw ts::input_error("--input " + input.name + ": the model has input_ids, attention_mask and token_type_ids",
                            input.name);
  }
  if (ids.rows == 0 || ids.cols == 0) throw ts::input_error("--input input_ids=FILE is missing, or empty", "input_ids");
  for (auto* other : {&mask, &types})
    if (*other && ((*other)->rows != ids.rows || (*other)->cols != ids.cols))
      throw ts::input_error("--input " + std::string(other == &mask ? "attention_mask" : "token_type_ids") + " is " +
                                std::to_string((*other)->rows) + " x " + std::to_string((*other)->cols) +
                                ", but input_ids is " + std::to_string(ids.rows) + " x " + std::to_string(ids.cols),
                            "input_ids");

  auto const cols = static_cast<std::size_t>(ids.cols);
  std::vector<ts::models::token_sequence> sequences(static_cast<std::size_t>(ids.rows));
  for (std::size_t r = 0; r < sequences.size(); ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      std::size_t const at = r * cols + c;
      std::int64_t const keep = mask ? mask->values[at] : 1;
      if (keep != 0 && keep != 1)
        throw ts::input_error("attention_mask[" + std::to_string(r) + ", " + std::to_string(c) + "] is " +
                                  std::to_string(keep) + ", not 0 or 1",
                              "attention_mask");
      if (keep == 0 && c == 0)
        throw ts::input_error("attention_mask[" + std::to_string(r) + ", 0] is 0: the first token always counts",
                              "attention_mask");
      if (keep == 0) continue;
      try {
        sequences[r].add(ids.values[at], types ? types->values[at] : 0, static_cast<std::int64_t>(c));
      } catch (ts::input_error const& e) {
        throw ts::input_error("sequence " + std::to_string(r) + ": " + e.what() +
                                  (mask ? "" : "; --input attention_mask=FILE says which tokens count"),
                              e.subject());
      }
    }
  }

  kind.check(sequences);   // before weights are read and a folder is made
  auto const model = kind.open(o.weights, o.threads);
  prepare_folder(o.output, {});
  // Results go to their files as they come: all of them may be larger than the model.
  std::vector<std::unique_ptr<ts::npy::writer>> files;
  for (cli::sequence_array const& a : kind.makes) {
    std::vector<std::int64_t> shape{ids.rows};
    if (a.per_token) shape.push_back(ids.cols);
    if (a.width > 1 || !a.per_token) shape.push_back(a.width);
    files.push_back(std::make_unique<ts::npy::writer>(o.output + "/" + a.name + ".npy", ts::element::float32, shape));
  }
  cli::progress progress("sequences", sequences.size());
  if (o.profile) {
    model->encode(sequences, [](std::size_t, cli::arrays) {});   // memory and caches are warm from here on
    model->profile(true);
  }
  model->encode(sequences, [&](std::size_t number, cli::arrays made) {
    for (std::size_t k = 0; k < made.size(); ++k) {
      auto const width = static_cast<std::size_t>(kind.makes[k].width);
      if (kind.makes[k].per_token) write_rows(*files[k], made[k], sequences[number].positions, cols, width);
      else files[k]->write(std::as_bytes(made[k]));
    }
    progress.advance();
  });
  for (auto const& file : files) file->commit();
  if (o.profile) {
    progress.clear();
    std::cout << model->profile();
  }
}

/// Reads a JSON list of strings, or of pairs of strings, and writes their ids.
void tokenize(options const& o) {
  auto const words = ts::wordpiece::load(o.vocabulary);
  auto const file = ts::mapped_file::open(o.texts);
  auto const bytes = file.bytes();
  auto refuse = [&](std::string const& what) { throw ts::input_error(o.texts + ": " + what, "--tokenize"); };
  auto const* first = reinterpret_cast<char const*>(bytes.data());
  nlohmann::json const list = nlohmann::json::parse(first, first + bytes.size(), nullptr, false);
  if (list.is_discarded() || !list.is_array() || list.empty()) refuse("is no JSON list with a text in it");

  std::vector<std::vector<std::int64_t>> ids, types;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto const& entry = list[i];
    try {
      if (entry.is_string()) {
        ids.push_back(words.encode(entry.get_ref<std::string const&>()));
        types.emplace_back(ids.back().size(), 0);
      } else if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
        auto pair = words.encode_pair(entry[0].get_ref<std::string const&>(), entry[1].get_ref<std::string const&>());
        ids.push_back(std::move(pair.ids));
        types.push_back(std::move(pair.token_type_ids));
      } else {
        refuse("element " + std::to_string(i) + " is neither a string nor a pair of strings");
      }
    } catch (ts::input_error const& e) {
      refuse("element " + std::to_string(i) + ": " + e.what());
    }
  }
  std::size_t longest = 0;
  for (auto const& row : ids) longest = std::max(longest, row.size());
  std::vector<std::int64_t> all(ids.size() * longest, -1), all_types(all), mask(all.size(), 0), lengths;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto const row = static_cast<std::ptrdiff_t>(i * longest);
    std::copy(ids[i].begin(), ids[i].end(), all.begin() + row);
    std::copy(types[i].begin(), types[i].end(), all_types.begin() + row);
    std::fill_n(mask.begin() + row, ids[i].size(), 1);
    lengths.push_back(static_cast<std::int64_t>(ids[i].size()));
  }
  auto const rows = static_cast<std::int64_t>(ids.size());
  auto const width = static_cast<std::int64_t>(longest);
  prepare_folder(o.output, {"ids", "attention_mask", "lengths", "token_type_ids"});
  write_array(o.output, "ids", all, {rows, width});
  write_array(o.output, "attention_mask", mask, {rows, width});
  write_array(o.output, "lengths", lengths, {rows});
  write_array(o.output, "token_type_ids", all_types, {rows, width});
}

/// What the command line asks for, but the report.
void work(cli::transformer_kind const& kind, options const& o) {
  bool const tokenizes = !o.texts.empty() || !o.vocabulary.empty();
  if (tokenizes && (o.texts.empty() || o.vocabulary.empty()))
    throw ts::input_error("--vocab FILE and --tokenize FILE.json go together", "--tokenize");
  if (!o.report.empty() && o.inputs.empty() && !tokenizes) return;  // a report needs no run
  if (o.output.empty()) throw ts::input_error("--output DIR is missing", "--output");
  if (tokenizes) {
    if (!o.inputs.empty()) throw ts::input_error("--tokenize takes no --input", "--input");
    return tokenize(o);
  }
  if (o.weights.path.empty() && !o.weights.seed)
    throw ts::input_error("--weights FILE.safetensors|synthetic:SEED is missing", "--weights");
  run_transformer(kind, o);
}

void run(options& o) {
  if (o.list) {
    std::cout << models_text();
    return;
  }
  cli::named_model const model(o.model, transformers, cli::sized_models, o.config, o.may_compile);
  std::optional<ts::atomic_file> page;  // takes its name only when everything else is done
  if (!o.report.empty()) page.emplace(o.report);
  work(model.kind(), o);
  if (page) {
    page->write(model.kind().report(o.model));
    page->commit();
  }
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  cli::program program("tessera-run", "Runs a bundled model on arrays from .npy files.");
  program.app.add_option("MODEL", o.model, "The model's name; --list shows all");
  program.app.add_flag("--list", o.list, "Print every model with its inputs, outputs and settings");
  program.app.add_option("--vocab", o.vocabulary, "A vocabulary, vocab.txt, for --tokenize");
  program.app.add_option("--tokenize", o.texts, "A JSON list of texts to turn into ids, instead of running");
  program.app.add_flag("--profile", o.profile,
                       "Run twice, and print where the time of the second run went, and the memory held");
  program.app.add_option("--report", o.report, "File for a report of the plan of the model's largest capacity, as an HTML page");
  program.weights(o.weights).inputs(o.inputs).config(o.config).compile(o.may_compile).threads(o.threads);
  program.output_folder(o.output);
  for (auto const* option : {"--weights", "--output"}) program.app.get_option(option)->required(false);
  program.app.footer(
      "Examples:\n"
      "  tessera-run minilm_l6 --weights model.safetensors --input input_ids=ids.npy --output results\n"
      "  tessera-run minilm_l6 --vocab vocab.txt --tokenize texts.json --output tokens\n"
      "  tessera-run minilm_l6 --weights model.safetensors --input input_ids=tokens/ids.npy \\\n"
      "      --input attention_mask=tokens/attention_mask.npy --output results\n"
      "  tessera-run bert --config config=config.json --weights model.safetensors --input input_ids=ids.npy \\\n"
      "      --output results");
  return program.run(argc, argv, [&] { run(o); });
}

// SPDX-License-Identifier: Apache-2.0
// tessera-qa: questions about a passage, answered in the passage's words, with a BERT and SQuAD weights.
//
//   tessera-qa passage.txt --question "Who wrote it?" --weights model.safetensors --vocab vocab.txt
//   … --model bert_squad --config config=config.json      // a BERT of any size, such as Large
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tessera/io/text_lines.hpp>
#include <tessera/io/wordpiece.hpp>
#include <tessera/models/squad.hpp>

#include "detail/on_demand.hpp"
#include "detail/transformer.hpp"

namespace ts = tessera;

namespace {

struct options {
  std::string file;
  std::string model = "bert_base_squad";
  cli::configuration config;
  bool may_compile = true;
  std::vector<std::string> questions;
  cli::weights_source weights;
  std::string vocabulary;
  int threads = 1;
};

cli::transformer_kind const* const compiled_in[] = {&cli::bert_base_squad};

/// Those of the sized models that answer questions.
constexpr cli::sized_model sized[] = {cli::sized_models[static_cast<std::size_t>(cli::bert_head::squad)]};
static_assert(sized[0].head == cli::bert_head::squad);

void run(options& o) {
  auto const words = ts::wordpiece::load(o.vocabulary);
  std::string passage;
  ts::text_lines lines(o.file);
  while (auto const line = lines.next()) passage += std::string(*line) + "\n";

  cli::named_model const named(o.model, compiled_in, sized, o.config, o.may_compile);
  ts::models::squad_options how;
  how.longest = std::min(how.longest, static_cast<std::size_t>(named.kind().longest));
  std::vector<ts::models::squad_question> asked;
  for (std::string const& question : o.questions) {
    try {
      asked.emplace_back(words, question, passage, how);
    } catch (ts::input_error const& e) {
      bool const of_question = e.subject() == "question" || e.subject() == "longest";   // too long for the model
      throw ts::input_error((of_question ? "--question: " : o.file + ": ") + std::string(e.what()), e.subject());
    }
  }
  for (ts::models::squad_question const& question : asked) named.kind().check(question.windows());
  auto const model = named.kind().open(o.weights, o.threads);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::vector<ts::models::span_logits> logits;
    model->encode(asked[i].windows(), [&](std::size_t, cli::arrays made) {
      logits.push_back({{made[0].begin(), made[0].end()}, {made[1].begin(), made[1].end()}});
    });
    ts::models::squad_answer const answer = asked[i].answer(logits);
    nlohmann::ordered_json line;
    line["question"] = o.questions[i];
    line["answer"] = answer.found ? nlohmann::ordered_json(answer.text) : nlohmann::ordered_json();
    line["score"] = answer.score;
    std::cout << line.dump() << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  cli::program program("tessera-qa", "Answers questions about a passage, each with a line of JSON (BERT, SQuAD).");
  program.app.add_option("FILE", o.file, "The passage; - for the standard input")->required();
  program.app.add_option("--question", o.questions, "A question; may be given more than once")
      ->required()
      ->allow_extra_args(false);
  program.app.add_option("--vocab", o.vocabulary, "The vocabulary, vocab.txt")->required();
  program.app.add_option("--model", o.model, "bert_base_squad (the default); or bert_squad, of any size, with --config config=FILE");
  program.weights(o.weights).config(o.config).compile(o.may_compile).threads(o.threads);
  program.app.footer(
      "Examples:\n"
      "  tessera-qa passage.txt --question \"Who wrote it?\" --weights squad.safetensors --vocab vocab.txt\n"
      "  tessera-qa passage.txt --question \"Who?\" --model bert_squad --config config=config.json \\\n"
      "      --weights squad.safetensors --vocab vocab.txt");
  return program.run(argc, argv, [&] { run(o); });
}

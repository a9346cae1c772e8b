// SPDX-License-Identifier: Apache-2.0
// Windows over a passage, and the answer that planted logits mean.
#include "io/files.hpp"
#include <tessera/models/squad.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ts = tessera;
using namespace ts::models;

namespace {

std::string vocabulary() {
  std::string text =
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nwho\nwrote\nit\n?\nthe\nold\nman\n(\n)\nand\n.\n,\nsea\ncafe\nnai\n##ve\nw\n";
  for (char const c : std::string("0123456789")) text += std::string("##") + c + "\n";
  return text;
}
ts::wordpiece tokenizer() { return ts::wordpiece::parse(test::as_bytes(vocabulary())); }

/// Logits that are 0 but at one beginning and one end of one window.
std::vector<span_logits> planted(squad_question const& q, std::size_t window, std::size_t first, std::size_t last) {
  std::vector<span_logits> logits;
  for (token_sequence const& s : q.windows())
    logits.push_back({std::vector<float>(s.ids.size(), 0.0f), std::vector<float>(s.ids.size(), 0.0f)});
  logits[window].start[first] = 5;
  logits[window].end[last] = 3;
  return logits;
}
std::string answer(std::string const& passage, std::size_t first, std::size_t last) {
  squad_question const q(tokenizer(), "Who wrote it?", passage);
  REQUIRE(q.windows().size() == 1);
  squad_answer const a = q.answer(planted(q, 0, 6 + first, 6 + last));   // behind [CLS] who wrote it ? [SEP]
  CHECK(a.found);
  CHECK(a.score == 8);
  return a.text;
}

}  // namespace

TEST_CASE("a window is [CLS] question [SEP] passage [SEP]") {
  squad_question const q(tokenizer(), "Who wrote it?", "The old man");
  REQUIRE(q.windows().size() == 1);
  token_sequence const& s = q.windows()[0];
  CHECK(s.ids == std::vector<std::int32_t>{2, 5, 6, 7, 8, 3, 9, 10, 11, 3});
  CHECK(s.types == std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1});
  CHECK(s.positions == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("the answer is in the passage's own words") {
  CHECK(answer("The old\n man and the Sea.", 1, 2) == "old\n man");
  CHECK(answer("The old man and the Sea.", 4, 5) == "the Sea");          // without the dot, which is of the same word
  CHECK(answer("The old man and the Sea.", 4, 6) == "the Sea.");
  CHECK(answer("the (old man), and", 2, 3) == "old man");
  CHECK(answer("the Café, naïve", 1, 1) == "Café");                      // an accent is a character less, nowhere else
  CHECK(answer("the Café, naïve", 3, 4) == "naïve");
  CHECK(answer("the unknown, sea", 1, 1) == "unknown,");                 // [UNK]: the whole word
}

TEST_CASE("what cannot be an answer is not one") {
  std::string passage;
  for (int i = 0; i < 40; ++i) passage += "w" + std::to_string(i) + " ";   // w, ##digit, or w, ##digit, ##digit
  squad_question const q(tokenizer(), "who?", passage);
  REQUIRE(q.windows().size() == 1);
  std::size_t const offset = 4;
  auto const best = [&](std::size_t first, std::size_t last) {
    auto logits = planted(q, 0, first, last);
    logits[0].start[offset] = 1;   // the next best pair: the first word alone
    logits[0].end[offset + 1] = 1;
    return q.answer(logits);
  };
  CHECK(best(offset + 2, offset + 3).text == "w1");
  CHECK(best(offset + 2, offset + 31).score == 8);
  CHECK(best(offset + 2, offset + 32).score < 8);    // longer than 30 tokens
  CHECK(best(offset + 3, offset + 2).score < 8);     // the end before the beginning
  CHECK(best(1, offset + 2).score < 8);              // in the question
  CHECK(best(offset, q.windows()[0].ids.size() - 1).score < 8);   // the last [SEP]
}

TEST_CASE("windows overlap, and a token counts where it has most around it") {
  std::string passage;
  for (int i = 0; i < 25; ++i) passage += "sea ";
  squad_options const options{.longest = 14, .stride = 4};
  squad_question const q(tokenizer(), "who?", passage, options);   // 9 tokens of the passage a window
  REQUIRE(q.windows().size() == 5);
  for (std::size_t w = 0; w < 4; ++w) CHECK(q.windows()[w].ids.size() == 14);
  CHECK(q.windows()[4].ids.size() == 14);
  // Token 5 is sixth in window 0 (5 before, 3 behind) and second in window 1 (1 before): it counts in window 0 only.
  CHECK(q.answer(planted(q, 0, 4 + 5, 4 + 6)).score == 8);
  CHECK(q.answer(planted(q, 1, 4 + 1, 4 + 2)).score < 8);
}

TEST_CASE("windows that have room for less than a stride leave nothing out") {
  std::string passage;
  for (int i = 0; i < 22; ++i) passage += i == 13 ? "man " : "sea ";
  squad_question const q(tokenizer(), "who?", passage, {.longest = 15, .stride = 128});   // 10 tokens of the passage
  REQUIRE(q.windows().size() == 3);
  CHECK(q.windows()[0].ids.size() == 15);
  CHECK(q.windows()[1].ids.size() == 15);
  CHECK(q.windows()[2].ids.size() == 5 + 2);
  squad_answer const a = q.answer(planted(q, 1, 4 + 3, 4 + 3));
  CHECK(a.score == 8);
  CHECK(a.text == "man");
}

TEST_CASE("what a question refuses") {
  auto const refused = [](std::string const& question, std::string const& passage, squad_options const& options = {}) {
    return MESSAGE_OF(ts::input_error, squad_question(tokenizer(), question, passage, options));
  };
  CHECK(refused("", "sea") == "the question has no token");
  CHECK(refused("who", " \n") == "the passage has no token");
  CHECK(refused("who \xff", "sea").find("UTF-8") != std::string::npos);
  CHECK(refused("who", "sea \xff").find("UTF-8") != std::string::npos);
  CHECK(refused("who", "sea", {.longest = 4}).find("has no room") != std::string::npos);
  CHECK(squad_question(tokenizer(), "who", "sea", {.longest = 5}).windows().size() == 1);
  CHECK(refused("who", "sea", {.stride = 0}).find("has no room") != std::string::npos);
  squad_question const q(tokenizer(), "who", "sea");
  CHECK(MESSAGE_OF(ts::input_error, q.answer({})) == "not as many logits as windows");
  std::vector<span_logits> wrong(1);
  CHECK(MESSAGE_OF(ts::input_error, q.answer(wrong)) == "not as many logits as tokens in window 0");
}

// SPDX-License-Identifier: Apache-2.0
#include "io/files.hpp"
#include <tessera/io/npy.hpp>
#include <tessera/io/wordpiece.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

namespace ts = tessera;

namespace {

using ids = std::vector<std::int64_t>;

//                                   0      1      2      3      4       5  6    7    8     9     10   11  12  13    14
//                                   15 16 17
constexpr char const* small_vocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\n##a\ncafe\n,\n!\ne\n中\nnaive\n–\n[\n]\n";

ts::wordpiece small() { return ts::wordpiece::parse(test::as_bytes(small_vocabulary)); }
// The ids without [CLS] and [SEP].
ids encode(std::string_view text) {
  ids result = small().encode(text);
  return {result.begin() + 1, result.end() - 1};
}
std::string refusal(std::string_view vocabulary) {
  return MESSAGE_OF(ts::io_error, ts::wordpiece::parse(test::as_bytes(vocabulary), "v"));
}
std::string utf8(std::uint32_t code_point) {
  ts::io_detail::bert_word word;
  word.clear();
  word.push_back(code_point);
  return word.text;
}

}  // namespace

TEST_CASE("words become the longest pieces from the left, or [UNK]") {
  CHECK(small().encode("") == ids{2, 3});
  CHECK(encode("unaffable") == ids{5, 6, 7});
  CHECK(encode("unaff unable una") == ids{5, 6, 5, 7, 5, 8});
  CHECK(encode("affable unaffables") == ids{1, 1});  // ##aff only continues; one unknown piece spoils the word
  CHECK(encode(" un\tun\r\nun\xc2\xa0un ") == ids{5, 5, 5, 5});
  CHECK(small().size() == 18);
  CHECK(small().token(6) == "##aff");
  CHECK_THROWS_AS(small().token(18), ts::input_error);
  CHECK_THROWS_AS(small().token(-1), ts::input_error);
}

TEST_CASE("case, accents, punctuation, ideographs and controls") {
  CHECK(encode("Café, NAÏVE!") == ids{9, 10, 14, 11});
  CHECK(encode("cafe\xcc\x81") == ids{9});  // e + combining acute
  CHECK(encode("un,un–un") == ids{5, 10, 5, 15, 5});
  CHECK(encode("e中e中") == ids{12, 13, 12, 13});
  CHECK(encode("u\x01n u\xe2\x80\x8bn u\xef\xbf\xbdn") == ids{5, 5, 5});  // a control, a zero-width space, U+FFFD
  CHECK(encode(std::string("u\0n", 3)) == ids{5});
  CHECK(encode("un" + utf8(0x1f923)) == ids{1});  // newer than Unicode 8, but a symbol: part of the word
  CHECK(encode("un" + utf8(0x110cd) + " un" + utf8(0x2e43) + " un" + utf8(0x1df6)) == ids{1, 1, 1});  // likewise
  CHECK(encode("un" + utf8(0x166d) + " un" + utf8(0x1734)) == ids{5, 1, 5});   // punctuation, an accent, in Unicode 8
  CHECK(encode("e" + utf8(0x2b820) + " e" + utf8(0x2b920)) == ids{1, 12, 1});  // the reference's gap in the ideographs
}

TEST_CASE("special tokens in the text, and what only looks like one") {
  CHECK(encode("[MASK]") == ids{4});
  CHECK(encode("un[MASK]un[SEP][CLS][PAD][UNK]") == ids{5, 4, 5, 3, 2, 0, 1});
  CHECK(encode("[[MASK]]") == ids{16, 4, 17});
  CHECK(encode("[mask] [MASK [") == ids{16, 1, 17, 16, 1, 16});
}

TEST_CASE("words of up to 100 code points are looked up") {
  std::string word = "un";
  for (int i = 0; i < 98; ++i) word += "a";
  CHECK(encode(word).size() == 99);
  CHECK(encode(word + "a") == ids{1});
  CHECK(encode(std::string(5'000'000, 'a')) == ids{1});
}

TEST_CASE("hostile texts take time in proportion to their length") {
  std::string marks, words;
  for (int i = 0; i < 300'000; ++i) marks += i % 2 == 0 ? "\xcc\x81" : "\xcc\xa3";  // classes 230, 220: out of order
  for (int i = 0; i < 10'000; ++i) words += "un" + std::string(97, 'a') + "x ";
  CHECK(encode("e" + marks) == ids{12});
  CHECK(encode(words) == ids(10'000, 1));
  CHECK(encode(std::string(1'000'000, '[')) == ids(1'000'000, 16));
}

TEST_CASE("truncation") {
  CHECK(small().encode("un un un", 4) == ids{2, 5, 5, 3});
  CHECK(small().encode("unaffable", 4) == ids{2, 5, 6, 3});
  CHECK(small().encode("un [MASK] un", 4) == ids{2, 5, 4, 3});
  CHECK(small().encode("un un un", 5) == ids{2, 5, 5, 5, 3});
  CHECK(small().encode("un", 2) == ids{2, 3});
  CHECK(MESSAGE_OF(ts::input_error, small().encode("un", 1)) == "max_length is 1; the special tokens alone take 2");
  CHECK(MESSAGE_OF(ts::input_error, small().encode_pair("un", "e", 2)) ==
        "max_length is 2; the special tokens alone take 3");
  auto const pair = small().encode_pair("un e", "e");
  CHECK(pair.ids == ids{2, 5, 12, 3, 12, 3});
  CHECK(pair.token_type_ids == ids{0, 0, 0, 0, 1, 1});
  // Lengths (a, b) and a bound of 7 beside the three special tokens, with the lengths the reference's own tests state.
  struct {
    int a, b, cut_a, cut_b;
  } const cases[] = {{0, 0, 0, 0}, {0, 2, 0, 2}, {0, 8, 0, 7}, {2, 0, 2, 0}, {2, 4, 2, 4}, {2, 8, 2, 5},
                     {4, 4, 3, 4}, {4, 8, 3, 4}, {8, 0, 7, 0}, {8, 2, 5, 2}, {8, 4, 4, 3}, {8, 8, 3, 4}};
  for (auto const& c : cases) {
    std::string a, b;
    for (int i = 0; i < c.a; ++i) a += "un ";
    for (int i = 0; i < c.b; ++i) b += "e ";
    auto const cut = small().encode_pair(a, b, 10).ids;
    CAPTURE(c.a);
    CAPTURE(c.b);
    CHECK(std::count(cut.begin(), cut.end(), 5) == c.cut_a);
    CHECK(std::count(cut.begin(), cut.end(), 12) == c.cut_b);
  }
}

TEST_CASE("text that is not UTF-8 is an input_error with the place") {
  CHECK(MESSAGE_OF(ts::input_error, encode("un \xff")) == "the text is not valid UTF-8 at byte 3");
  for (char const* bad :
       {"\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xe4\xb8", "un \xf0\x9f\x98"}) {
    CHECK_THROWS_AS(encode(bad), ts::input_error);
    std::string behind = "un un un un ";
    behind += bad;
    CHECK_THROWS_AS(small().encode(behind, 3), ts::input_error);  // behind the cut, too
    CHECK_THROWS_AS(small().encode_pair("un", bad), ts::input_error);
  }
}

TEST_CASE("corrupt vocabularies are refused") {
  std::string const good = small_vocabulary;
  CHECK(refusal(good) == "no exception");
  CHECK(refusal(good.substr(0, good.size() - 1)) == "no exception");
  CHECK(refusal("") == "v: is empty; a vocabulary has one token a line");
  CHECK(refusal("\n") == "v: line 1 is empty; a vocabulary has one token a line");
  CHECK(refusal(good + "\nx\n") == "v: line 19 is empty; a vocabulary has one token a line");
  CHECK(refusal(good + "cafe\n") == "v: line 19 repeats the token 'cafe'");
  CHECK(refusal(good + "caf\xe9\n") == "v: line 19 is not valid UTF-8");
  CHECK(refusal(good + std::string("a\0b\n", 4)) == "v: line 19 holds a control character");
  CHECK(refusal("\x7f"
                "ELF\x02\x01\n") == "v: line 1 holds a control character");
  CHECK(refusal("[PAD]\n[UNK]\n[SEP]\n[MASK]\n") == "v: lacks the token [CLS]");
  CHECK(refusal("hello\n") == "v: lacks the token [PAD]");
  CHECK(
      MESSAGE_OF(ts::io_error, ts::wordpiece::load("/nonexistent/v")).starts_with("/nonexistent/v: cannot be opened"));
  std::string windows;
  for (char const c : good) {
    if (c == '\n') windows += '\r';
    windows += c;
  }
  CHECK(ts::wordpiece::parse(test::as_bytes(windows)).encode("unaffable") == ids{2, 5, 6, 7, 3});
}

TEST_CASE("copies share the vocabulary and outlive the original") {
  auto original = std::make_unique<ts::wordpiece>(small());
  ts::wordpiece const copy = *original;
  original.reset();
  CHECK(copy.encode("unaffable") == ids{2, 5, 6, 7, 3});
}

TEST_CASE("the reference tokenizer's ids of the conformance kit") {
  auto const root = test::shared();
  auto const vocabulary = root / "data/bert_minilm/vocab.txt";
  if (root.empty() || !std::filesystem::exists(vocabulary)) {
    MESSAGE("skipped: no reference data");
    return;
  }
  auto const tokenizer = ts::wordpiece::load(vocabulary.string());
  CHECK(tokenizer.size() == 30522);
  CHECK(tokenizer.encode("Hello, my dog is cute") == ids{101, 7592, 1010, 2026, 3899, 2003, 10140, 102});

  auto const texts =
      nlohmann::json::parse(std::ifstream(root / "conformance/cases/real/tokenizer-60/inputs/texts.json"));
  auto const expected = ts::npy::read<std::int64_t>(root / "conformance/cases/real/tokenizer-60/expected/ids.npy");
  auto const width = static_cast<std::size_t>(expected.shape.at(1));
  REQUIRE(texts.size() == static_cast<std::size_t>(expected.shape[0]));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(i);
    ids got = tokenizer.encode(texts[i].get<std::string>());
    REQUIRE(got.size() <= width);
    got.resize(width, -1);
    auto const row = expected.values<std::int64_t>().subspan(i * width, width);
    CHECK(got == ids(row.begin(), row.end()));
  }

  auto const pairs =
      nlohmann::json::parse(std::ifstream(root / "conformance/cases/real/tokenizer-pairs/inputs/pairs.json"));
  auto const pair_ids = ts::npy::read<std::int64_t>(root / "conformance/cases/real/tokenizer-pairs/expected/ids.npy");
  auto const types =
      ts::npy::read<std::int64_t>(root / "conformance/cases/real/tokenizer-pairs/expected/token_type_ids.npy");
  auto const pair_width = static_cast<std::size_t>(pair_ids.shape.at(1));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    CAPTURE(i);
    auto got = tokenizer.encode_pair(pairs[i][0].get<std::string>(), pairs[i][1].get<std::string>());
    for (std::size_t j = 0; j < pair_width; ++j) {
      bool const inside = j < got.ids.size();
      std::int64_t const id = pair_ids.values<std::int64_t>()[i * pair_width + j];
      if (!inside) CHECK(id <= 0);  // padding
      if (!inside) continue;
      CHECK(got.ids[j] == id);
      CHECK(got.token_type_ids[j] == types.values<std::int64_t>()[i * pair_width + j]);
    }
  }
}

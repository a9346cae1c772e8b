// SPDX-License-Identifier: Apache-2.0
// A first byte below 128: the rest is a text, encoded with a small vocabulary. Above: the rest is a vocabulary.
#include <tessera/io/wordpiece.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

namespace {

namespace ts = tessera;

constexpr std::string_view vocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##a\n##b\n##ab\nab\ne\n##e\n,\n.\n[\n]\n#\n中\nthe\n##ing\nα\n##β\n";

void require(bool condition) {
  if (!condition) std::abort();
}

void encode(ts::wordpiece const& tokenizer, std::string_view text) {
  auto const ids = tokenizer.encode(text);
  require(ids.size() >= 2 && ids.front() == tokenizer.encode("").front() && ids.back() == tokenizer.encode("").back());
  for (auto const id : ids) tokenizer.token(id);
  for (std::size_t const bound : {2, 3, 7}) {  // a bound cuts the end off and changes nothing else
    auto const cut = tokenizer.encode(text, bound);
    require(cut.size() == std::min(ids.size(), bound) && std::equal(cut.begin(), cut.end() - 1, ids.begin()));
  }
  auto const pair = tokenizer.encode_pair(text, text.substr(0, text.find(' ')), 11);
  require(pair.ids.size() <= 11 && pair.ids.size() == pair.token_type_ids.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static ts::wordpiece const small = ts::wordpiece::parse(std::as_bytes(std::span(vocabulary)), "small");
  if (size == 0) return 0;
  std::string_view const rest(reinterpret_cast<char const*>(data) + 1, size - 1);
  try {
    if (data[0] < 128) encode(small, rest);
    else encode(ts::wordpiece::parse(std::as_bytes(std::span(rest))), "the abba, [MASK] Ünïcödé 中文");
  } catch (ts::io_error const&) {
  } catch (ts::input_error const&) {
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Raw text to normalised words, as BERT's uncased models were trained on: the part of WordPiece before the vocabulary.
//
//   for_each_bert_word("Café, naïve!", f)  calls f with  "cafe"  ","  "naive"  "!"
//
// Steps, in the reference's order: drop controls; blanks and ideographs end words; NFD; drop accents (Mn); lower-case;
// punctuation stands alone. Linear in the text. Needs utf8proc.
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/io/detail/unicode8.hpp>

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::io_detail {

/// One code point of valid UTF-8, and its length in bytes.
struct decoded {
  std::uint32_t code_point;
  std::size_t size;
};

/// Decodes the code point at `at`.
/// @throws input_error  if the bytes there are not UTF-8 (also: overlong forms, surrogates, beyond 10FFFF)
inline decoded decode_utf8(std::string_view text, std::size_t at) {
  auto const byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {byte, 1};
  utf8proc_int32_t code_point = -1;
  auto const size = utf8proc_iterate(reinterpret_cast<utf8proc_uint8_t const*>(text.data()) + at,
                                     static_cast<utf8proc_ssize_t>(text.size() - at), &code_point);
  if (size <= 0) throw input_error("the text is not valid UTF-8 at byte " + std::to_string(at), "text");
  return {static_cast<std::uint32_t>(code_point), static_cast<std::size_t>(size)};
}

/// Words of more code points are not looked up.
inline constexpr std::size_t bert_longest_word = 100;

/// A normalised word: its bytes, and where each of its code points begins (one entry more than it has code points).
/// Of a word that is too long only the beginning is kept, one code point more than the longest.
struct bert_word {
  std::string text;
  std::vector<std::size_t> starts;

  void clear() {
    text.clear();
    starts.assign(1, 0);
  }
  void push_back(std::uint32_t code_point) {
    if (size() > bert_longest_word) return;
    utf8proc_uint8_t bytes[4];
    auto const size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes);
    text.append(reinterpret_cast<char const*>(bytes), static_cast<std::size_t>(size));
    starts.push_back(text.size());
  }
  std::size_t size() const { return starts.size() - 1; }
};

/// Canonical decomposition of one code point, appended. Hangul syllables become their letters.
inline void append_decomposed(std::uint32_t code_point, std::vector<std::uint32_t>& out) {
  if (code_point < 0xc0) {  // nothing below À decomposes
    out.push_back(code_point);
    return;
  }
  constexpr int room = 8;  // the longest canonical decomposition has four code points
  utf8proc_int32_t parts[room];
  int boundary = 0;
  auto const count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), parts, room, UTF8PROC_DECOMPOSE, &boundary);
  for (utf8proc_ssize_t i = 0; i < count && i < room; ++i) out.push_back(static_cast<std::uint32_t>(parts[i]));
}

/// Puts runs of combining marks into canonical order: by combining class, equal classes as they came.
inline void order_marks(std::vector<std::uint32_t>& text) {
  auto const combining = [](std::uint32_t c) {
    return c < 0x300 ? 0 : utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
  };
  std::vector<std::pair<int, std::size_t>> order;
  std::vector<std::uint32_t> run;
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    order.clear();
    for (std::size_t i = begin; i < text.size(); ++i) {
      int const rank = combining(text[i]);
      if (rank == 0) break;
      order.emplace_back(rank, i);
    }
    if (order.size() > 1) {  // sorting pairs keeps equal classes in place, in n log n
      std::sort(order.begin(), order.end());
      run.clear();
      for (auto const& entry : order) run.push_back(text[entry.second]);
      std::copy(run.begin(), run.end(), text.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    begin += order.size();
  }
}

/// Calls `use(bert_word const&)` for each word of `text`; a false from it ends the walk. The word is reused.
/// @throws input_error  if the text is not UTF-8, possibly after some calls
template <class Use>
bool for_each_bert_word(std::string_view text, Use&& use) {
  bert_word word;
  word.clear();
  std::vector<std::uint32_t> chunk;  // what stands between blanks
  auto const flush_word = [&] {
    bool const more = word.size() == 0 || use(std::as_const(word));
    word.clear();
    return more;
  };
  auto const flush_chunk = [&] {
    order_marks(chunk);
    for (std::uint32_t const c : chunk) {
      text_kind const kind = text_class(c);
      if (kind == text_kind::mark) continue;
      if (kind == text_kind::punctuation && !flush_word()) return false;
      word.push_back(c < 0x80 ? (c >= 'A' && c <= 'Z' ? c + 32 : c)
                              : static_cast<std::uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
      if (kind == text_kind::punctuation && !flush_word()) return false;
    }
    chunk.clear();
    return flush_word();
  };
  for (std::size_t at = 0; at < text.size();) {
    auto const [code_point, size] = decode_utf8(text, at);
    at += size;
    text_kind const kind = text_class(code_point);
    if (kind == text_kind::dropped) continue;
    if (kind == text_kind::blank) {
      if (!flush_chunk()) return false;
    } else if (is_ideograph(code_point)) {
      if (!flush_chunk()) return false;
      append_decomposed(code_point, chunk);
      if (!flush_chunk()) return false;
    } else {
      append_decomposed(code_point, chunk);
    }
  }
  return flush_chunk();
}

}  // namespace tessera::io_detail

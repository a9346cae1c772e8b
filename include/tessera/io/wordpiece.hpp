// SPDX-License-Identifier: Apache-2.0
// The WordPiece tokenizer of BERT's uncased models.
//
//   auto tokenizer = ts::wordpiece::load("vocab.txt");
//   tokenizer.encode("Hello, my dog is cute")  ->  {101, 7592, 1010, 2026, 3899, 2003, 10140, 102}
//
// Gives the ids of the Hugging Face tokenizer with the same vocabulary. Special tokens written in the text ("[MASK]")
// are found first, in the raw text; the rest becomes words (detail/bert_words.hpp), each word the longest pieces of the
// vocabulary from its left, or [UNK]. Needs utf8proc.
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/io/detail/bert_words.hpp>
#include <tessera/io/detail/describe.hpp>
#include <tessera/io/mapped_file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

/// A vocabulary and the rule that applies it. Copies share the vocabulary; all members may be called from any thread.
class wordpiece {
 public:
  /// Token ids with the segment each belongs to (0: [CLS] A [SEP], 1: B [SEP]).
  struct encoding {
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> token_type_ids;
  };
  /// For max_length: the text is not cut.
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  /// Longer words, in code points, are [UNK].
  static constexpr std::size_t longest_word = io_detail::bert_longest_word;

  /// Reads a vocabulary file: one token a line, the line's number (from 0) is its id.
  /// @throws io_error  if it cannot be read, is empty or no text, has an empty or doubled line, or lacks one of
  ///                   [PAD] [UNK] [CLS] [SEP] [MASK]
  static wordpiece load(std::string const& path) { return parse(mapped_file::open(path).bytes(), path); }
  /// The same from memory; nothing of it is referred to afterwards.
  static wordpiece parse(std::span<std::byte const> bytes, std::string const& origin = "vocabulary") {
    return wordpiece(std::make_shared<vocabulary const>(bytes, origin));
  }

  /// Number of tokens in the vocabulary.
  std::size_t size() const noexcept { return vocabulary_->tokens.size(); }
  /// The token with that id, "##" included.
  /// @throws input_error  if there is none
  std::string_view token(std::int64_t id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= size()) {
      throw input_error("token id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(size()));
    }
    return vocabulary_->tokens[static_cast<std::size_t>(id)];
  }

  /// The words that encode() looks up, each followed by a blank but the last:  "Café, naïve!"  ->  "cafe , naive !".
  /// Of a word that is too long only the beginning is there.
  /// @throws input_error  if the text is not UTF-8
  static std::string normalized(std::string_view text) {
    std::string words;
    io_detail::for_each_bert_word(text, [&](io_detail::bert_word const& word) {
      if (!words.empty()) words += ' ';
      words += word.text;
      return true;
    });
    return words;
  }

  /// The ids of [CLS] text [SEP].
  /// @param text        UTF-8
  /// @param max_length  bound on the number of ids; what does not fit is cut off the text's end
  /// @throws input_error  if the text is not UTF-8 or max_length is below 2
  std::vector<std::int64_t> encode(std::string_view text, std::size_t max_length = unlimited) const {
    std::size_t const room = room_for(max_length, 2);
    std::vector<std::int64_t> ids{id(cls)};
    append(text, room == unlimited ? unlimited : room + 1, ids);
    ids.push_back(id(sep));
    return ids;
  }

  /// The ids of [CLS] a [SEP] b [SEP], and their segments.
  /// @param max_length  bound on the number of ids; the longer text is cut first, down to the other's length, then both
  /// @throws input_error  if a text is not UTF-8 or max_length is below 3
  encoding encode_pair(std::string_view a, std::string_view b, std::size_t max_length = unlimited) const {
    std::size_t const room = room_for(max_length, 3);
    std::vector<std::int64_t> first, second;
    append(a, unlimited, first);
    append(b, unlimited, second);
    cut_longest_first(first, second, room);
    encoding result;
    result.ids.reserve(first.size() + second.size() + 3);
    result.ids.push_back(id(cls));
    result.ids.insert(result.ids.end(), first.begin(), first.end());
    result.ids.push_back(id(sep));
    result.token_type_ids.assign(result.ids.size(), 0);
    result.ids.insert(result.ids.end(), second.begin(), second.end());
    result.ids.push_back(id(sep));
    result.token_type_ids.resize(result.ids.size(), 1);
    return result;
  }

 private:
  enum special : std::size_t { pad, unk, cls, sep, mask };
  static constexpr std::array<std::string_view, 5> special_names{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  using piece_table = std::unordered_map<std::string_view, std::int64_t>;

  struct vocabulary {
    std::vector<char> text;  // the file; everything below points into it
    std::vector<std::string_view> tokens;
    piece_table words, continuations;  // as they stand; those that begin with ##, without it
    std::size_t longest = 1;           // bytes of the longest piece in either table
    std::array<std::int64_t, 5> specials{};

    vocabulary(std::span<std::byte const> bytes, std::string const& origin);
  };

  explicit wordpiece(std::shared_ptr<vocabulary const> shared) : vocabulary_(std::move(shared)) {}

  std::int64_t id(special token) const { return vocabulary_->specials[token]; }

  static std::size_t room_for(std::size_t max_length, std::size_t frame) {
    if (max_length < frame) {
      throw input_error(
          "max_length is " + std::to_string(max_length) + "; the special tokens alone take " + std::to_string(frame),
          "max_length");
    }
    return max_length == unlimited ? unlimited : max_length - frame;
  }

  /// Appends the text's ids while there are fewer than `limit` in all; the whole text is checked to be UTF-8 first.
  void append(std::string_view text, std::size_t limit, std::vector<std::int64_t>& ids) const {
    for (std::size_t at = 0; at < text.size();) at += io_detail::decode_utf8(text, at).size;
    auto const words = [&](std::string_view part) {
      return io_detail::for_each_bert_word(part, [&](io_detail::bert_word const& word) {
        append_pieces(word, ids);
        return ids.size() < limit;
      });
    };
    std::size_t begin = 0;
    for (std::size_t at = text.find('['); at != std::string_view::npos && ids.size() < limit; at = text.find('[', at)) {
      std::size_t token = 0;
      while (token < special_names.size() && !text.substr(at).starts_with(special_names[token])) ++token;
      if (token == special_names.size()) {
        ++at;
        continue;
      }
      if (!words(text.substr(begin, at - begin))) break;
      ids.push_back(vocabulary_->specials[token]);
      at += special_names[token].size();
      begin = at;
    }
    if (ids.size() < limit) words(text.substr(begin));
    if (ids.size() > limit) ids.resize(limit);
  }

  /// Appends the longest pieces from the left, or [UNK] if some position has none.
  void append_pieces(io_detail::bert_word const& word, std::vector<std::int64_t>& ids) const {
    std::size_t const before = ids.size();
    bool known = word.size() <= longest_word;
    for (std::size_t begin = 0; known && begin < word.size();) {
      piece_table const& table = begin == 0 ? vocabulary_->words : vocabulary_->continuations;
      std::size_t stop = word.size();
      while (stop > begin && word.starts[stop] - word.starts[begin] > vocabulary_->longest) --stop;
      known = false;
      for (; stop > begin; --stop) {
        auto const piece =
            std::string_view(word.text).substr(word.starts[begin], word.starts[stop] - word.starts[begin]);
        if (auto const found = table.find(piece); found != table.end()) {
          ids.push_back(found->second);
          known = true;
          break;
        }
      }
      begin = stop;
    }
    if (known) return;
    ids.resize(before);
    ids.push_back(id(unk));
  }

  /// Lengths n1 <= n2 become: both unchanged if they fit; n2 = room - n1 if that is at least n1; half the room each,
  /// the odd token to the longer text. The reference's rule.
  static void cut_longest_first(std::vector<std::int64_t>& a, std::vector<std::int64_t>& b, std::size_t room) {
    if (room == unlimited || a.size() + b.size() <= room) return;
    auto& shorter = a.size() <= b.size() ? a : b;
    auto& longer = a.size() <= b.size() ? b : a;
    std::size_t const n1 = std::min(shorter.size(), room / 2);
    shorter.resize(n1);
    longer.resize(room - n1);
  }

  std::shared_ptr<vocabulary const> vocabulary_;
};

inline wordpiece::vocabulary::vocabulary(std::span<std::byte const> bytes, std::string const& origin) {
  auto const fail = [&](std::string const& what) { throw io_error(origin + ": " + what, origin); };
  if (bytes.empty()) fail("is empty; a vocabulary has one token a line");
  text.resize(bytes.size());
  std::transform(bytes.begin(), bytes.end(), text.begin(), [](std::byte b) { return static_cast<char>(b); });
  std::string_view const all(text.data(), text.size());
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t const stop = std::min(all.find('\n', begin), all.size());
    std::string_view line = all.substr(begin, stop - begin);
    begin = stop + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::string const number = std::to_string(tokens.size() + 1);
    if (line.empty()) fail("line " + number + " is empty; a vocabulary has one token a line");
    try {
      for (std::size_t at = 0; at < line.size();) {
        auto const [code_point, size] = io_detail::decode_utf8(line, at);
        if (code_point < 0x20 || code_point == 0x7f) fail("line " + number + " holds a control character");
        at += size;
      }
    } catch (input_error const&) {
      fail("line " + number + " is not valid UTF-8");
    }
    auto const index = static_cast<std::int64_t>(tokens.size());
    if (!words.emplace(line, index).second) fail("line " + number + " repeats the token " + io_detail::in_quotes(line));
    if (line.starts_with("##") && line.size() > 2) continuations.emplace(line.substr(2), index);
    longest = std::max(longest, line.size());
    tokens.push_back(line);
  }
  for (std::size_t i = 0; i < special_names.size(); ++i) {
    auto const found = words.find(special_names[i]);
    if (found == words.end()) fail("lacks the token " + std::string(special_names[i]));
    specials[i] = found->second;
  }
}

}  // namespace tessera

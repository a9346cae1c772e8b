// SPDX-License-Identifier: Apache-2.0
// Questions about a passage (SQuAD: Rajpurkar et al., 2016), answered by a part of it. A long passage is cut into windows
// that overlap; the best part of all of them is the answer, in the passage's own words.
//
//   ts::models::squad_question const asked(tokenizer, "Who wrote it?", passage);
//   std::vector<ts::models::span_logits> logits;
//   encoder.encode(asked.windows(), [&](std::size_t, auto const& made) { logits.push_back(made); });
//   asked.answer(logits).text
//
// Rules and defaults are those of the reference implementation (google-research/bert, run_squad.py), which MLPerf
// inference uses. Needs utf8proc.
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/io/wordpiece.hpp>
#include <tessera/models/token_sequence.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::models {

/// How passages are cut, and what can be an answer; all in tokens.
struct squad_options {
  std::size_t longest = 384;          ///< window, question and special tokens included
  std::size_t stride = 128;           ///< from the beginning of one window to that of the next, at most its part of
                                      ///< the passage
  std::size_t longest_question = 64;  ///< the rest of a longer one is left out
  std::size_t longest_answer = 30;
  std::size_t candidates = 20;        ///< beginnings and ends that are tried, the most likely ones
};

/// A part of a passage.
struct squad_answer {
  std::string text;
  double score = 0;   ///< the sum of both logits
  bool found = false; ///< no pair of candidates may be an answer otherwise, and the text is empty
};

/// A question, cut into the sequences that a model reads.
class squad_question {
 public:
  /// @throws input_error if a text is not UTF-8 or has no token, or the options leave no room for the passage
  squad_question(wordpiece const& tokenizer, std::string_view question, std::string_view passage,
                 squad_options const& options = {})
      : tokenizer_(tokenizer), passage_(passage), options_(options) {
    std::vector<std::int64_t> asked;
    try {
      asked = pieces(question);
    } catch (input_error const& e) {   // it says "text"; which of the two is for its reader to know
      throw input_error(e.what(), "question");
    }
    if (asked.empty()) throw input_error("the question has no token", "question");
    asked.resize(std::min(asked.size(), options.longest_question));
    for (std::size_t at = 0; at < passage_.size();) {
      std::size_t const begin = passage_.find_first_not_of(" \t\r\n", at);
      if (begin == std::string::npos) break;
      at = std::min(passage_.find_first_of(" \t\r\n", begin), passage_.size());
      for (std::int64_t id : pieces(std::string_view(passage_).substr(begin, at - begin)))
        tokens_.push_back({id, begin, at});
    }
    if (tokens_.empty()) throw input_error("the passage has no token", "passage");
    if (options.longest < asked.size() + 4 || options.stride < 1)
      throw input_error("a window of " + std::to_string(options.longest) +
                            " tokens has no room for the passage behind " + std::to_string(asked.size()) +
                            " of the question",
                        "longest");
    std::size_t const room = options.longest - asked.size() - 3;
    options_.stride = std::min(options.stride, room);   // no token may fall between two windows
    offset_ = asked.size() + 2;
    for (std::size_t first = 0;; first += options_.stride) {
      std::size_t const count = std::min(room, tokens_.size() - first);
      windows_.push_back(window(asked, first, count));
      if (first + count == tokens_.size()) break;
    }
  }

  /// [CLS] question [SEP] part of the passage [SEP], each part at most `stride` tokens behind the one before.
  std::vector<token_sequence> const& windows() const { return windows_; }

  /// The best answer; `logits` has an element for each window.
  /// @throws input_error if it has not, or one has another length than its window
  squad_answer answer(std::span<span_logits const> logits) const {
    if (logits.size() != windows_.size()) throw input_error("not as many logits as windows", "logits");
    std::size_t best_first = 0, best_last = 0;
    squad_answer best;
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      if (logits[w].start.size() != windows_[w].ids.size() || logits[w].end.size() != windows_[w].ids.size())
        throw input_error("not as many logits as tokens in window " + std::to_string(w), "logits");
      for (std::size_t const first : most_likely(logits[w].start)) {
        if (!in_passage(w, first) || window_of(token_at(w, first)) != w) continue;
        for (std::size_t const last : most_likely(logits[w].end)) {
          if (!in_passage(w, last) || last < first || last - first + 1 > options_.longest_answer) continue;
          double const score = double{logits[w].start[first]} + logits[w].end[last];
          if (best.found && score <= best.score) continue;
          best.found = true;
          best.score = score;
          best_first = token_at(w, first);
          best_last = token_at(w, last);
        }
      }
    }
    if (best.found) best.text = text_of(best_first, best_last);
    return best;
  }

 private:
  /// A token of the passage, and the bytes of the word that it is a piece of.
  struct token {
    std::int64_t id;
    std::size_t begin, end;
  };

  std::vector<std::int64_t> pieces(std::string_view text) const {
    std::vector<std::int64_t> ids = tokenizer_.encode(text);
    return {ids.begin() + 1, ids.end() - 1};
  }
  token_sequence window(std::vector<std::int64_t> const& asked, std::size_t first, std::size_t count) const {
    std::vector<std::int64_t> const frame = tokenizer_.encode("");   // [CLS] [SEP]
    token_sequence s;
    auto const add = [&](std::int64_t id, int type) { s.add(id, type, static_cast<std::int64_t>(s.ids.size())); };
    add(frame[0], 0);
    for (std::int64_t id : asked) add(id, 0);
    add(frame[1], 0);
    for (std::size_t i = first; i < first + count; ++i) add(tokens_[i].id, 1);
    add(frame[1], 1);
    return s;
  }

  std::size_t count_in(std::size_t w) const { return windows_[w].ids.size() - offset_ - 1; }
  bool in_passage(std::size_t w, std::size_t i) const { return i >= offset_ && i < offset_ + count_in(w); }
  /// The passage's token with which a window begins.
  std::size_t first_of(std::size_t w) const { return w * options_.stride; }
  std::size_t token_at(std::size_t w, std::size_t i) const { return first_of(w) + i - offset_; }

  /// The window in which a token has most around it; the earlier one of equals.
  std::size_t window_of(std::size_t token) const {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      if (token < first_of(w) || token >= first_of(w) + count_in(w)) continue;
      std::size_t const left = token - first_of(w), right = first_of(w) + count_in(w) - 1 - token;
      double const context = static_cast<double>(std::min(left, right)) + 0.01 * static_cast<double>(count_in(w));
      if (context <= most) continue;
      most = context;
      best = w;
    }
    return best;
  }
  std::vector<std::size_t> most_likely(std::vector<float> const& logits) const {
    std::vector<std::size_t> order(logits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const likely = [&](std::size_t i) {   // what is no number cannot be sorted by
      return std::isnan(logits[i]) ? -std::numeric_limits<float>::infinity() : logits[i];
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return likely(a) != likely(b) ? likely(a) > likely(b) : a < b;
    });
    order.resize(std::min(order.size(), options_.candidates));
    return order;
  }

  /// The part of the passage that these tokens came from. Words of the passage that are only partly in it (a bracket, a
  /// dot) are cut where their normalised text has as many characters; where that cannot be told they are there whole.
  std::string text_of(std::size_t first, std::size_t last) const {
    std::string const whole = passage_.substr(tokens_[first].begin, tokens_[last].end - tokens_[first].begin);
    std::string wanted;
    for (std::size_t i = first; i <= last; ++i) {
      std::string_view const piece = tokenizer_.token(tokens_[i].id);
      if (piece.starts_with("##")) wanted += piece.substr(2);
      else wanted += (wanted.empty() ? "" : " ") + std::string(piece);
    }
    std::string const all = wordpiece::normalized(whole);
    std::size_t const found = all.find(wanted);
    if (found == std::string::npos) return whole;
    std::vector<std::size_t> const raw = characters(whole), plain = characters(all);
    if (raw.size() != plain.size()) return whole;
    // Character number n of one is character number n of the other.
    std::size_t const a = number_at(plain, found), b = number_at(plain, found + wanted.size());
    if (a >= b) return whole;
    return whole.substr(raw[a], (b < raw.size() ? end_of(whole, raw[b - 1]) : whole.size()) - raw[a]);
  }
  /// Where each character that is no blank begins.
  static std::vector<std::size_t> characters(std::string const& text) {
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < text.size(); ++i)
      if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 && text[i] != ' ' && text[i] != '\t' && text[i] != '\r' &&
          text[i] != '\n')
        at.push_back(i);
    return at;
  }
  static std::size_t number_at(std::vector<std::size_t> const& starts, std::size_t byte) {
    return static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), byte) - starts.begin());
  }
  static std::size_t end_of(std::string const& text, std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    return end;
  }

  wordpiece tokenizer_;
  std::string passage_;
  squad_options options_;
  std::vector<token> tokens_;
  std::size_t offset_ = 0;             ///< of the passage in a window
  std::vector<token_sequence> windows_;
};

}  // namespace tessera::models

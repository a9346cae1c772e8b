// SPDX-License-Identifier: Apache-2.0
// The gain of a synthetic weight by its name: for each family of models a list of patterns, the first match decides.
//
//   synthetic_gain("bert", "encoder.layer.3.attention.self.query.weight")  ->  2.0
//
// The conformance kit states the patterns as regular expressions. All of them are literal text but for an anchor, one
// digit and a run of digits, so that a matcher of ten lines replaces std::regex; their alternatives are spelled out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace tessera::io_detail {

/// One row: `^` anchors at the beginning, `?` is one digit, `#` one or more digits, anything else is itself.
struct synthetic_gain_row {
  std::string_view pattern;
  double gain;
};

namespace synthetic_gains {

// clang-format off

inline constexpr synthetic_gain_row resnet[] = {
    {"^fc.", 1.0}, {"layer3.#.conv3", 0.3}, {"conv3", 0.5}, {"downsample", 1.4}, {"", 1.41}};
inline constexpr synthetic_gain_row efficientnet_b0[] = {
    {"^classifier", 2.0}, {".fc1.weight", 1.5}, {".fc2.weight", 1.5},
    {"features.1.0.block.2.0.weight", 2.2}, {"features.1.#.block.2.0.weight", 0.6},
    {"features.?.0.block.3.0.weight", 2.2}, {"block.3.0.weight", 0.6}, {"", 1.7}};
inline constexpr synthetic_gain_row efficientnet_b4[] = {
    {"^classifier", 0.8}, {".fc1.weight", 1.5}, {".fc2.weight", 1.5},
    {"features.1.0.block.2.0.weight", 1.8}, {"features.1.#.block.2.0.weight", 0.6},
    {"features.?.0.block.3.0.weight", 1.8}, {"block.3.0.weight", 0.6}, {"", 1.7}};
inline constexpr synthetic_gain_row bert[] = {
    {".query.", 2.0}, {".key.", 2.0}, {"attention.output.dense", 0.7},
    {"layer.#.intermediate.dense", 1.4}, {"layer.#.output.dense", 1.4}, {"", 1.0}};
inline constexpr synthetic_gain_row schnet[] = {{"^lin1.", 1.5}, {"^lin2.", 1.5}, {"", 1.2}};
inline constexpr synthetic_gain_row tgn[] = {
    {"^affinity_score.fc1", 1.0}, {"^affinity_score.fc2", 1.6}, {"q_proj_weight", 2.0}, {"k_proj_weight", 2.0},
    {"", 1.5}};
inline constexpr synthetic_gain_row tgn_pyg[] = {
    {"^link_pred", 1.4}, {"lin_key", 2.0}, {"lin_query", 2.0}, {"lin_edge", 1.5}, {"", 1.5}};
inline constexpr synthetic_gain_row lstm[] = {{"weight_hh", 1.5}, {"", 2.0}};
inline constexpr synthetic_gain_row rnnt[] = {
    {"weight_hh", 1.5}, {"encoder.pre_rnn.lstm.weight_ih_l0", 2.0}, {"weight_ih", 5.0},
    {"^joint.net.0.", 4.0}, {"^joint.net.3.", 2.0}, {"", 1.0}};
inline constexpr synthetic_gain_row moe[] = {{"fc1", 1.4}, {"fc2", 1.7}, {"", 1.0}};
inline constexpr synthetic_gain_row tinyresnet[] = {{"^fc.", 1.0}, {"", 1.41}};
inline constexpr synthetic_gain_row op[] = {{"", 1.0}};
// clang-format on

}  // namespace synthetic_gains

struct synthetic_family {
  std::string_view name;
  std::span<synthetic_gain_row const> rows;
};
inline constexpr synthetic_family synthetic_families[] = {{"resnet", synthetic_gains::resnet},
                                                          {"efficientnet_b0", synthetic_gains::efficientnet_b0},
                                                          {"efficientnet_b4", synthetic_gains::efficientnet_b4},
                                                          {"bert", synthetic_gains::bert},
                                                          {"schnet", synthetic_gains::schnet},
                                                          {"tgn", synthetic_gains::tgn},
                                                          {"tgn_pyg", synthetic_gains::tgn_pyg},
                                                          {"lstm", synthetic_gains::lstm},
                                                          {"rnnt", synthetic_gains::rnnt},
                                                          {"moe", synthetic_gains::moe},
                                                          {"tinyresnet", synthetic_gains::tinyresnet},
                                                          {"op", synthetic_gains::op}};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether `text` begins with `pattern`. A run of digits is taken whole: no pattern has a digit after `#`.
constexpr bool begins_with_pattern(std::string_view text, std::string_view pattern) {
  std::size_t at = 0;
  for (char const c : pattern) {
    if (at == text.size()) return false;
    if (c == '?' || c == '#') {
      if (!is_digit(text[at++])) return false;
      while (c == '#' && at < text.size() && is_digit(text[at])) ++at;
    } else if (text[at++] != c) {
      return false;
    }
  }
  return true;
}

/// Whether `pattern` occurs in `text`.
constexpr bool matches_pattern(std::string_view text, std::string_view pattern) {
  if (pattern.starts_with('^')) return begins_with_pattern(text, pattern.substr(1));
  for (std::size_t begin = 0; begin <= text.size(); ++begin) {
    if (begins_with_pattern(text.substr(begin), pattern)) return true;
  }
  return false;
}

/// The gain of tensor `name` in `family`, or nothing if there is no such family.
constexpr std::optional<double> synthetic_gain(std::string_view family, std::string_view name) {
  for (auto const& candidate : synthetic_families) {
    if (candidate.name != family) continue;
    for (auto const& row : candidate.rows) {
      if (matches_pattern(name, row.pattern)) return row.gain;
    }
  }
  return std::nullopt;
}

}  // namespace tessera::io_detail

// SPDX-License-Identifier: Apache-2.0
// Which name of a file was probably meant by one that is not there.
//
//   likely_name search("pooler.dense.weight");  search.offer("bert.pooler.dense.weight");  search.found()
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tessera::io_detail {

/// Takes names one by one and keeps the likeliest: the one that was wanted behind a prefix, or without one, else the one
/// that differs from it in the shortest piece. Views must outlive the search.
class likely_name {
 public:
  explicit likely_name(std::string_view wanted) : wanted_(wanted) {}

  void offer(std::string_view name) {
    std::size_t const distance = follows_prefix(name, wanted_) || follows_prefix(wanted_, name) ? 0 : piece(name);
    if (distance < distance_) {
      distance_ = distance;
      found_ = name;
    }
  }
  /// The likeliest name; empty if none is like the wanted one.
  std::string_view found() const { return distance_ <= allowed() ? found_ : std::string_view(); }

 private:
  /// Whether `longer` is a prefix that ends in a dot, and `name`.
  static bool follows_prefix(std::string_view longer, std::string_view name) {
    return !name.empty() && longer.size() > name.size() && longer.ends_with(name) &&
           longer[longer.size() - name.size() - 1] == '.';
  }
  /// Characters between the common beginning and the common end, of the longer name.
  std::size_t piece(std::string_view name) const {
    std::size_t const shorter = std::min(name.size(), wanted_.size());
    std::size_t front = 0, back = 0;
    while (front < shorter && name[front] == wanted_[front]) ++front;
    while (back < shorter - front && name[name.size() - 1 - back] == wanted_[wanted_.size() - 1 - back]) ++back;
    return std::max(name.size(), wanted_.size()) - front - back;
  }
  std::size_t allowed() const { return std::min<std::size_t>(8, wanted_.size() / 3); }

  std::string_view wanted_;
  std::string_view found_;
  std::size_t distance_ = static_cast<std::size_t>(-1);
};

}  // namespace tessera::io_detail

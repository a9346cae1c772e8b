// SPDX-License-Identifier: Apache-2.0
// Boxes of a tensor: what a user writes (`box`, dimensions by name) and what the compiler computes with (`region`).
//
//   ts::box{.rows = {8, 16}}  in a 64 x 32 tensor  ->  rows [8, 16), all columns
#pragma once

#include <climits>
#include <cstdint>

namespace tessera {

/// The largest rank of a tensor.
inline constexpr int max_rank = 4;

/// "To the last element of this dimension", as the end of a span.
inline constexpr int end = INT_MAX;

/// A half-open range of indices [first, last) of one dimension.
struct span {
  int first = 0;
  int last = end;

  constexpr int size() const { return last > first ? last - first : 0; }
  constexpr bool empty() const { return last <= first; }
  constexpr bool contains(span other) const { return other.empty() || (first <= other.first && other.last <= last); }
  friend constexpr bool operator==(span, span) = default;
};

/// The indices that two spans share.
constexpr span intersect(span a, span b) {
  return {a.first > b.first ? a.first : b.first, a.last < b.last ? a.last : b.last};
}

/// A part of a tensor as a user writes it: one span a dimension, everything by default.
struct box {
  span rows = {};    ///< dimension 0
  span cols = {};    ///< dimension 1
  span third = {};   ///< dimension 2
  span fourth = {};  ///< dimension 3
};

/// A part of a tensor, one span for each of max_rank dimensions; dimensions beyond the rank are [0, 1).
struct region {
  span dim[max_rank] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}};

  constexpr span& operator[](int d) { return dim[d]; }
  constexpr span const& operator[](int d) const { return dim[d]; }
  constexpr bool empty() const { return dim[0].empty() || dim[1].empty() || dim[2].empty() || dim[3].empty(); }
  /// Number of elements.
  constexpr std::int64_t volume() const {
    return std::int64_t{dim[0].size()} * dim[1].size() * dim[2].size() * dim[3].size();
  }
  /// @post every element of `other` is one of this region
  constexpr bool contains(region const& other) const {
    return other.empty() || (dim[0].contains(other.dim[0]) && dim[1].contains(other.dim[1]) &&
                             dim[2].contains(other.dim[2]) && dim[3].contains(other.dim[3]));
  }
  friend constexpr bool operator==(region const&, region const&) = default;
};

/// The elements that two regions share.
constexpr region intersect(region const& a, region const& b) {
  region shared;
  for (int d = 0; d < max_rank; ++d) shared.dim[d] = intersect(a.dim[d], b.dim[d]);
  return shared;
}

/// Whether two regions share an element.
constexpr bool overlap(region const& a, region const& b) { return !intersect(a, b).empty(); }

/// The empty region.
constexpr region empty_region() { return region{{{0, 0}, {0, 0}, {0, 0}, {0, 0}}}; }

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// A set of small numbers as 64-bit words: what dataflow on some hundred tensors costs a few words a step.
#pragma once

#include <bit>
#include <cstdint>

namespace tessera::detail {

/// A subset of {0, …, Bits - 1}.
template <int Bits>
struct bit_row {
  static constexpr int words = Bits <= 0 ? 1 : (Bits + 63) / 64;
  std::uint64_t word[words] = {};

  constexpr bool test(int i) const { return ((word[i >> 6] >> (i & 63)) & 1u) != 0; }
  constexpr void set(int i) { word[i >> 6] |= std::uint64_t{1} << (i & 63); }
  constexpr void clear(int i) { word[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }
  constexpr bool any() const {
    for (int w = 0; w < words; ++w)
      if (word[w] != 0) return true;
    return false;
  }
  constexpr void add(bit_row const& other) {
    for (int w = 0; w < words; ++w) word[w] |= other.word[w];
  }
  constexpr void remove(bit_row const& other) {
    for (int w = 0; w < words; ++w) word[w] &= ~other.word[w];
  }
  constexpr void keep(bit_row const& other) {
    for (int w = 0; w < words; ++w) word[w] &= other.word[w];
  }
  constexpr bool meets(bit_row const& other) const {
    for (int w = 0; w < words; ++w)
      if ((word[w] & other.word[w]) != 0) return true;
    return false;
  }
  constexpr bool contains(bit_row const& other) const {
    for (int w = 0; w < words; ++w)
      if ((other.word[w] & ~word[w]) != 0) return false;
    return true;
  }
  /// Calls visit(i) for each element, in order.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (int w = 0; w < words; ++w)
      for (std::uint64_t rest = word[w]; rest != 0; rest &= rest - 1) visit(w * 64 + std::countr_zero(rest));
  }
  friend constexpr bool operator==(bit_row const&, bit_row const&) = default;
};

}  // namespace tessera::detail

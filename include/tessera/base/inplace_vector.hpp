// SPDX-License-Identifier: Apache-2.0
// A vector of fixed capacity that lives in constant expressions.
#pragma once

#include <cstddef>

namespace tessera {

/// Elements [0, size()) of at most `Capacity`; overflowing it is an error of the constant evaluation.
/// All members are public so that the type is structural.
template <class T, std::size_t Capacity>
struct inplace_vector {
  T items[Capacity == 0 ? 1 : Capacity]{};
  int count = 0;

  using value_type = T;
  static constexpr std::size_t capacity() { return Capacity; }

  constexpr int size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr T& operator[](int i) { return items[i]; }
  constexpr T const& operator[](int i) const { return items[i]; }
  constexpr T* begin() { return items; }
  constexpr T* end() { return items + count; }
  constexpr T const* begin() const { return items; }
  constexpr T const* end() const { return items + count; }
  constexpr T& back() { return items[count - 1]; }
  constexpr T const& back() const { return items[count - 1]; }
  /// Appends and returns the index of the new element.
  constexpr int push_back(T const& value) {
    items[count] = value;
    return count++;
  }
  constexpr void clear() { count = 0; }
};

}  // namespace tessera

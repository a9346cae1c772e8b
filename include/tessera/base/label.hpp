// SPDX-License-Identifier: Apache-2.0
// A name as a template argument:   ts::tensor<"u", …>   ->   label<2>{"u"}
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera {

/// A string literal that can be a template argument. `Size` counts its terminating zero.
template <std::size_t Size>
struct label {
  char text[Size]{};

  constexpr label(char const (&literal)[Size]) {  // NOLINT: a literal is a label
    for (std::size_t i = 0; i < Size; ++i) text[i] = literal[i];
  }
  /// The name without its terminating zero.
  constexpr std::string_view view() const { return {text, Size - 1}; }
};

}  // namespace tessera

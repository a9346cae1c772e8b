// SPDX-License-Identifier: Apache-2.0
// Words for error messages: names and shapes that come from files, made safe to print on one line.
//
//   in_quotes("a\nb")  ->  'a\x0ab'      shape_text({2, 3})  ->  [2, 3]      checked_product({2, 3}, 4)  ->  24
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::io_detail {

/// `text` between quotes, control characters as \xNN, cut after 120 bytes. Names in files may hold anything.
inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 120;
  constexpr char const* digits = "0123456789abcdef";
  std::string result = "'";
  for (char const c : text.substr(0, longest)) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += digits[byte >> 4];
      result += digits[byte & 15];
    } else {
      result += c;
    }
  }
  return result + (text.size() > longest ? "…'" : "'");
}

/// A shape as users write it: [2, 3].
inline std::string shape_text(std::span<std::int64_t const> shape) {
  std::string result = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) result += (i != 0 ? ", " : "") + std::to_string(shape[i]);
  return result + "]";
}

/// shape[0] · shape[1] · … · factor, or nothing if an extent is negative or the product (zeros left out of it, so that
/// a zero cannot hide an absurd extent) does not fit 63 bits.
inline std::optional<std::size_t> checked_product(std::span<std::int64_t const> shape, std::size_t factor = 1) {
  std::uint64_t product = factor;
  bool empty = factor == 0;
  for (std::int64_t const extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) empty = true;
    else if (__builtin_mul_overflow(product, static_cast<std::uint64_t>(extent), &product)) return std::nullopt;
  }
  if (product > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return empty ? 0 : static_cast<std::size_t>(product);
}

}  // namespace tessera::io_detail

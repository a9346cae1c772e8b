// SPDX-License-Identifier: Apache-2.0
// Stored numbers as float32, refusing what is not finite.
//
//   to_float32(element::float16, bytes, out)  ->  out.size(), or the index of the first NaN, infinity or overflow
#pragma once

#include <tessera/base/config.hpp>
#include <tessera/tensor/element.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace tessera::io_detail {
TESSERA_ISA_BEGIN

/// Whether stored numbers of this type can be read as float32.
constexpr bool converts_to_float32(element e) {
  return e == element::float32 || e == element::float16 || e == element::bfloat16 || e == element::float64;
}

/// Whether a float is neither NaN nor infinite; by its bits, so that -ffast-math cannot optimise the question away.
constexpr bool finite(float value) { return (std::bit_cast<std::uint32_t>(value) & 0x7f800000u) != 0x7f800000u; }

/// Converts out.size() numbers of type `Stored`, which may lie unaligned. Returns the index of the first result that is
/// not finite, or out.size().
template <class Stored>
std::size_t to_float32(std::byte const* bytes, std::span<float> out) {
  constexpr std::size_t block = 1024;  // the test of a block is one OR per element, which vectorises
  for (std::size_t begin = 0; begin < out.size(); begin += block) {
    std::size_t const end = begin + block < out.size() ? begin + block : out.size();
    unsigned all_finite = 1;
    for (std::size_t i = begin; i < end; ++i) {
      Stored stored;
      std::memcpy(&stored, bytes + i * sizeof stored, sizeof stored);
      out[i] = static_cast<float>(stored);
      all_finite &= finite(out[i]) ? 1u : 0u;
    }
    if (all_finite != 0) continue;
    while (finite(out[begin])) ++begin;
    return begin;
  }
  return out.size();
}

/// The index of the first number that is not finite, or values.size().
inline std::size_t first_not_finite(std::span<float const> values) {
  constexpr std::size_t block = 1024;  // as above
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    std::size_t const end = begin + block < values.size() ? begin + block : values.size();
    unsigned all_finite = 1;
    for (std::size_t i = begin; i < end; ++i) all_finite &= finite(values[i]) ? 1u : 0u;
    if (all_finite != 0) continue;
    while (finite(values[begin])) ++begin;
    return begin;
  }
  return values.size();
}

/// to_float32 for a type known at run time; it must satisfy converts_to_float32.
inline std::size_t to_float32(element kind, std::span<std::byte const> bytes, std::span<float> out) {
  switch (kind) {
    case element::float64: return to_float32<double>(bytes.data(), out);
    case element::float16: return to_float32<half>(bytes.data(), out);
    case element::bfloat16: return to_float32<bf16>(bytes.data(), out);
    default: return to_float32<float>(bytes.data(), out);
  }
}

/// What stands at an index that to_float32 refused.
inline std::string not_finite_text(element kind, std::span<std::byte const> bytes, std::size_t index) {
  if (kind == element::float64) {
    double value;
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    auto const magnitude = std::bit_cast<std::uint64_t>(value) & 0x7fffffffffffffffu;
    if (magnitude < 0x7ff0000000000000u) return "a number that float32 cannot hold";
    return magnitude == 0x7ff0000000000000u ? "an infinity" : "a NaN";
  }
  float value = 0;
  to_float32(kind, bytes.subspan(index * static_cast<std::size_t>(bytes_of(kind))), std::span(&value, 1));
  return (std::bit_cast<std::uint32_t>(value) & 0x7fffffffu) == 0x7f800000u ? "an infinity" : "a NaN";
}

TESSERA_ISA_END
}  // namespace tessera::io_detail

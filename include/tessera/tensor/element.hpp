// SPDX-License-Identifier: Apache-2.0
// Element types: what a tensor may hold, and the two 16-bit storage formats.
//
//   half(1.0f).bits  ->  0x3c00      float(bf16(3.14159f))  ->  3.140625f
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// IEEE 754 binary16 as storage. Conversion from float rounds to nearest, ties to even; arithmetic is done in float.
struct half {
  std::uint16_t bits = 0;

  half() = default;
  constexpr explicit half(float value) {
    auto const u = std::bit_cast<std::uint32_t>(value);
    std::uint32_t const sign = (u >> 16) & 0x8000u;
    std::uint32_t const magnitude = u & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {                       // NaN: keep it quiet, keep the top payload bits
      bits = static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    } else if (magnitude >= 0x47800000u) {               // >= 65536: infinity
      bits = static_cast<std::uint16_t>(sign | 0x7c00u);
    } else if (magnitude >= 0x38800000u) {               // normal; a carry may run into the exponent, up to infinity
      std::uint32_t const shifted = magnitude - 0x38000000u;
      bits = static_cast<std::uint16_t>(sign | ((shifted + 0xfffu + ((shifted >> 13) & 1u)) >> 13));
    } else if (magnitude >= 0x33000000u) {               // subnormal: a multiple of 2^-24
      int const drop = 126 - static_cast<int>(magnitude >> 23);
      std::uint32_t const significand = (magnitude & 0x7fffffu) | 0x800000u;
      std::uint32_t const kept = significand >> drop;
      std::uint32_t const rest = significand & ((1u << drop) - 1u);
      std::uint32_t const tie = 1u << (drop - 1);
      bits = static_cast<std::uint16_t>(sign | (kept + ((rest > tie || (rest == tie && (kept & 1u))) ? 1u : 0u)));
    } else {
      bits = static_cast<std::uint16_t>(sign);
    }
  }
  constexpr explicit operator float() const {
    std::uint32_t const sign = (bits & 0x8000u) << 16;
    std::uint32_t const exponent = (bits >> 10) & 0x1fu;
    std::uint32_t const significand = bits & 0x3ffu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (significand << 13));
    if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (significand << 13));
    float const value = static_cast<float>(significand) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  friend constexpr bool operator==(half, half) = default;
};

/// bfloat16 as storage: the upper half of a float. Rounds to nearest, ties to even; arithmetic is done in float.
struct bf16 {
  std::uint16_t bits = 0;

  bf16() = default;
  constexpr explicit bf16(float value) {
    auto const u = std::bit_cast<std::uint32_t>(value);
    if ((u & 0x7fffffffu) > 0x7f800000u) bits = static_cast<std::uint16_t>((u >> 16) | 0x40u);
    else bits = static_cast<std::uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  constexpr explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  friend constexpr bool operator==(bf16, bf16) = default;
};

/// What a tensor's elements are, as a value.
enum class element : std::uint8_t { none, float32, float64, int32, int64, boolean, float16, bfloat16 };

template <class T> inline constexpr element element_of = element::none;
template <> inline constexpr element element_of<float> = element::float32;
template <> inline constexpr element element_of<double> = element::float64;
template <> inline constexpr element element_of<std::int32_t> = element::int32;
template <> inline constexpr element element_of<std::int64_t> = element::int64;
template <> inline constexpr element element_of<bool> = element::boolean;
template <> inline constexpr element element_of<half> = element::float16;
template <> inline constexpr element element_of<bf16> = element::bfloat16;

/// A type that a tensor may hold.
template <class T>
concept Element = element_of<T> != element::none;

/// Whether T is an Element; if not, an assertion says which types are. Fields and tensors ask when they are used, so that
/// there is this one error.
template <class T>
constexpr bool element_is_storable() {
  static_assert(Element<T>, "tessera: elements are float, double, std::int32_t, std::int64_t, bool, ts::half or ts::bf16 "
                            "(docs/errors/element_is_storable.md)");
  return Element<T>;
}

/// Bytes of one element.
constexpr int bytes_of(element e) {
  switch (e) {
    case element::float64:
    case element::int64: return 8;
    case element::float32:
    case element::int32: return 4;
    case element::float16:
    case element::bfloat16: return 2;
    case element::boolean: return 1;
    case element::none: return 0;
  }
  return 0;
}

/// The name of an element type as NumPy and safetensors users know it.
constexpr char const* name_of(element e) {
  switch (e) {
    case element::float64: return "float64";
    case element::int64: return "int64";
    case element::float32: return "float32";
    case element::int32: return "int32";
    case element::float16: return "float16";
    case element::bfloat16: return "bfloat16";
    case element::boolean: return "bool";
    case element::none: return "none";
  }
  return "none";
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// half and bf16 against conversions written from the formats' definitions, for every bit pattern and around every
// rounding boundary.
#include <doctest/doctest.h>

#include <tessera/tensor/element.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

using tessera::bf16;
using tessera::half;

namespace {

// A value of a binary format with `exponent_bits` and `fraction_bits`, from its definition, exact in double.
double value_of(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  int const bias = (1 << (exponent_bits - 1)) - 1;
  auto const fraction = bits & ((1u << fraction_bits) - 1u);
  auto const exponent = static_cast<int>((bits >> fraction_bits) & ((1u << exponent_bits) - 1u));
  double const sign = ((bits >> (exponent_bits + fraction_bits)) & 1u) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(double(fraction), 1 - bias - fraction_bits);
  return sign * std::ldexp(1.0 + std::ldexp(double(fraction), -fraction_bits), exponent - bias);
}

template <class T>
T from_bits(std::uint32_t bits) {
  T value;
  value.bits = static_cast<std::uint16_t>(bits);
  return value;
}

double value_of(half h) { return value_of(h.bits, 5, 10); }
double value_of(bf16 b) { return value_of(b.bits, 8, 7); }

// The value of the pattern after `bits`; after the largest number, as if the exponent had no bound.
template <class T>
double value_after(std::uint32_t bits, std::uint32_t infinity) {
  if (bits + 1 < infinity) return value_of(from_bits<T>(bits + 1));
  return 2 * value_of(from_bits<T>(bits)) - value_of(from_bits<T>(bits - 1));
}

// The 16-bit float nearest to `value`, ties to the even pattern: positive patterns are ordered like their values.
template <class T>
std::uint16_t nearest(float value, std::uint16_t infinity) {
  double const magnitude = std::fabs(double(value));
  std::uint16_t low = 0;
  std::uint16_t high = infinity;
  while (high - low > 1) {
    auto const middle = static_cast<std::uint16_t>((low + high) / 2);
    if (value_of(from_bits<T>(middle)) <= magnitude) low = middle;
    else high = middle;
  }
  double const down = magnitude - value_of(from_bits<T>(low));
  double const up = value_after<T>(low, infinity) - magnitude;
  std::uint16_t const rounded = down < up || (down == up && low % 2 == 0) ? low : high;
  return static_cast<std::uint16_t>(rounded | (std::signbit(value) ? 0x8000u : 0u));
}

template <class T>
void check_rounding(std::uint16_t infinity) {
  // Every finite pattern and its successor bound an interval; the ends, the middle and the floats next to each of them
  // are where a conversion can go wrong.
  for (std::uint16_t bits = 0; bits < infinity; ++bits) {
    double const here = value_of(from_bits<T>(bits));
    double const above = value_after<T>(bits, infinity);
    for (double centre : {here, (here + above) / 2, above}) {
      auto const exact = static_cast<float>(centre);
      for (float value : {exact, std::nextafterf(exact, 0.0f), std::nextafterf(exact, HUGE_VALF)}) {
        if (std::isinf(value)) continue;
        for (float x : {value, -value}) {
          auto const expected = nearest<T>(x, infinity);
          if (T(x).bits != expected) {
            CAPTURE(x);
            REQUIRE(T(x).bits == expected);
          }
        }
      }
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("every pattern converts to the float it denotes and back", T, half, bf16) {
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    T const value = from_bits<T>(bits);
    float const got = float(value);
    double const expected = value_of(value);
    if (std::isnan(expected)) {
      REQUIRE(std::isnan(got));
      REQUIRE(std::isnan(float(T(got))));
      continue;
    }
    REQUIRE(double(got) == expected);
    REQUIRE(std::signbit(got) == std::signbit(expected));
    REQUIRE(T(got).bits == bits);
  }
}

TEST_CASE("half rounds to nearest, ties to even, up to infinity and down to zero") { check_rounding<half>(0x7c00); }
TEST_CASE("bf16 rounds to nearest, ties to even, up to infinity and down to zero") { check_rounding<bf16>(0x7f80); }

TEST_CASE("values at the borders of the formats") {
  CHECK(half(1.0f).bits == 0x3c00);
  CHECK(half(65504.0f).bits == 0x7bff);
  CHECK(half(65519.996f).bits == 0x7bff);
  CHECK(half(65520.0f).bits == 0x7c00);
  CHECK(half(std::numeric_limits<float>::infinity()).bits == 0x7c00);
  CHECK(half(-std::numeric_limits<float>::infinity()).bits == 0xfc00);
  CHECK(half(0x1p-24f).bits == 0x0001);
  CHECK(half(0x1p-25f).bits == 0x0000);
  CHECK(half(0x1.000002p-25f).bits == 0x0001);
  CHECK(half(-0.0f).bits == 0x8000);
  CHECK(bf16(1.0f).bits == 0x3f80);
  CHECK(bf16(3.14159f).bits == 0x4049);
  CHECK(bf16(std::numeric_limits<float>::max()).bits == 0x7f80);
  CHECK(bf16(std::numeric_limits<float>::infinity()).bits == 0x7f80);
}

TEST_CASE_TEMPLATE("every NaN stays a NaN, quiet, with its sign", T, half, bf16) {
  for (std::uint32_t payload : {1u, 0x1fffu, 0x2000u, 0x3fffffu, 0x400000u, 0x7fffffu}) {
    for (std::uint32_t sign : {0u, 0x80000000u}) {
      T const value(std::bit_cast<float>(0x7f800000u | sign | payload));
      CHECK(std::isnan(float(value)));
      CHECK((value.bits >> 15) == (sign >> 31));
    }
  }
}

TEST_CASE("element types know their names and sizes") {
  using tessera::bytes_of;
  using tessera::element;
  using tessera::element_of;
  static_assert(element_of<float> == element::float32 && bytes_of(element::float32) == sizeof(float));
  static_assert(element_of<double> == element::float64 && bytes_of(element::float64) == sizeof(double));
  static_assert(element_of<std::int32_t> == element::int32 && bytes_of(element::int32) == 4);
  static_assert(element_of<std::int64_t> == element::int64 && bytes_of(element::int64) == 8);
  static_assert(element_of<bool> == element::boolean && bytes_of(element::boolean) == sizeof(bool));
  static_assert(element_of<half> == element::float16 && bytes_of(element::float16) == sizeof(half));
  static_assert(element_of<bf16> == element::bfloat16 && bytes_of(element::bfloat16) == sizeof(bf16));
  static_assert(tessera::Element<half> && !tessera::Element<char> && !tessera::Element<float const>);
  static_assert(half(1.5f) == half(1.5f) && half(1.5f) != half(2.5f), "conversion works in constant expressions");
  CHECK(std::strcmp(tessera::name_of(element::bfloat16), "bfloat16") == 0);
  CHECK(std::strcmp(tessera::name_of(element_of<char>), "none") == 0);
}

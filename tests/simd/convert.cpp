// SPDX-License-Identifier: Apache-2.0
#include "../reference/loops.hpp"
#include <tessera/simd/convert.hpp>
#include <tessera/simd/transpose.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace simd = tessera::simd;

// Every bit pattern of the 16-bit format, then floats at and beside every boundary, agree with the scalar conversion.
TEST_CASE_TEMPLATE("16-bit formats convert as their scalar definitions say", T, tessera::half, tessera::bf16) {
  std::vector<T> all(65536 + 3);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
  std::vector<float> floats(all.size());
  simd::to_float(all.data(), floats.data(), static_cast<int>(all.size()));
  int different = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const want = static_cast<float>(all[i]);
    if (std::isnan(want)) different += std::isnan(floats[i]) ? 0 : 1;
    else different += std::bit_cast<std::uint32_t>(want) == std::bit_cast<std::uint32_t>(floats[i]) ? 0 : 1;
  }
  CHECK(different == 0);

  std::vector<float> near;
  for (std::size_t i = 0; i < 65536; ++i) {
    auto const bits = std::bit_cast<std::uint32_t>(static_cast<float>(all[i]));
    for (std::uint32_t offset : {0u, 1u, 0xffffffffu, 0x1000u, 0xfffu, 0x1001u, 0x8000u, 0x7fffu, 0x8001u})
      near.push_back(std::bit_cast<float>(bits + offset));
  }
  near.push_back(std::numeric_limits<float>::quiet_NaN());
  std::vector<T> rounded(near.size());
  simd::from_float(near.data(), rounded.data(), static_cast<int>(near.size()));
  different = 0;
  for (std::size_t i = 0; i < near.size(); ++i) different += rounded[i] == T(near[i]) ? 0 : 1;
  CHECK(different == 0);
}

TEST_CASE("a square transposes") {
  constexpr int side = simd::transpose_side, from_stride = side + 3, to_stride = side + 5;
  auto const from = reference::numbers(static_cast<std::size_t>(side * from_stride));
  std::vector<float> to(static_cast<std::size_t>(side * to_stride), 9.0f);
  simd::transpose_square(from.data(), from_stride, to.data(), to_stride);
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < to_stride; ++j)
      CHECK(to[static_cast<std::size_t>(i * to_stride + j)] ==
            (j < side ? from[static_cast<std::size_t>(j * from_stride + i)] : 9.0f));
}

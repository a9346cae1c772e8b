// SPDX-License-Identifier: Apache-2.0
// Moves of boxes, and packing into every layout, against loops over single elements.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <tessera/runtime/transfer.hpp>

namespace ts = tessera;
using namespace ts;

namespace {

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() | 1u);   // never the zero of padding
  return bytes;
}

/// Row-major steps of an array of these extents, in bytes.
void set_strides(place& p, int const (&extent)[4], int element_bytes) {
  std::ptrdiff_t step = element_bytes;
  for (int d = 3; d >= 0; --d) {
    p.stride[d] = step;
    step *= extent[d];
  }
}

}  // namespace

TEST_CASE("a transfer moves exactly its box, whatever is contiguous") {
  int const source_extent[4] = {3, 4, 5, 6};
  for (int bytes : {1, 2, 4, 8})
    for (int way = 0; way < 81; ++way) {
      int n[4], target_extent[4], w = way;
      for (int d = 0; d < 4; ++d, w /= 3) {
        n[d] = w % 3 == 0 ? 1 : w % 3 == 1 ? source_extent[d] : source_extent[d] - 1;
        target_extent[d] = n[d] + (d + way) % 2;
      }
      auto const total = [](int const (&e)[4]) { return static_cast<std::size_t>(e[0] * e[1] * e[2] * e[3]); };
      auto source = random_bytes(total(source_extent) * static_cast<std::size_t>(bytes), 7);
      std::vector<std::byte> target(total(target_extent) * static_cast<std::size_t>(bytes), std::byte{0});
      transfer m;
      m.element_bytes = bytes;
      m.from.base = source.data();
      m.to.base = target.data();
      set_strides(m.from, source_extent, bytes);
      set_strides(m.to, target_extent, bytes);
      for (int d = 0; d < 4; ++d) m.n[d] = n[d];
      std::vector<std::byte> want = target;
      for (int a = 0; a < n[0]; ++a)
        for (int b = 0; b < n[1]; ++b)
          for (int c = 0; c < n[2]; ++c)
            for (int d = 0; d < n[3]; ++d)
              std::memcpy(want.data() + a * m.to.stride[0] + b * m.to.stride[1] + c * m.to.stride[2] + d * m.to.stride[3],
                          source.data() + a * m.from.stride[0] + b * m.from.stride[1] + c * m.from.stride[2] +
                              d * m.from.stride[3],
                          static_cast<std::size_t>(bytes));
      m.collapse();
      CHECK(m.bytes() == std::ptrdiff_t{bytes} * n[0] * n[1] * n[2] * n[3]);
      m.apply(nullptr);
      REQUIRE(target == want);
    }
}

TEST_CASE("a place with a table follows its tensor") {
  std::byte memory[64];
  place p;
  p.base = memory;
  p.entry = 1;
  p.offset = 8;
  std::int64_t const table[] = {0, 32};
  CHECK(p.address(table) == memory + 40);
  p.entry = -1;
  CHECK(p.address(nullptr) == memory + 8);
}

TEST_CASE("packing puts every element where the layout says, and zeros in the padding") {
  layout_record const layouts[] = {col_major::record,      panels<1>::record,      panels<4>::record,
                                   panels<16>::record,     panels<32>::record,     row_panels<1>::record,
                                   row_panels<3>::record,  row_panels<14>::record};
  for (layout_record const l : layouts)
    for (int bytes : {1, 2, 4, 8})
      for (int rows : {1, 2, 3, 14, 15, 40})
        for (int cols : {1, 3, 4, 16, 17, 35}) {
          int const row_bytes = (cols + 3) * bytes;   // rows of a wider matrix
          auto const source = random_bytes(static_cast<std::size_t>(rows * row_bytes), 11);
          std::vector<std::byte> want(static_cast<std::size_t>(l.size(rows, cols) * bytes), std::byte{0});
          for (int r = 0; r < rows; ++r)
            for (int c = 0; c < cols; ++c)
              std::memcpy(want.data() + l.offset(rows, cols, r, c) * bytes, source.data() + r * row_bytes + c * bytes,
                          static_cast<std::size_t>(bytes));
          std::vector<std::byte> got(want.size(), std::byte{0xee});
          int const count = runtime_detail::panel_count(l, rows, cols);
          // In two shares, as two threads would do it.
          runtime_detail::pack(l, got.data(), source.data(), row_bytes, rows, cols, 0, count / 2, bytes);
          runtime_detail::pack(l, got.data(), source.data(), row_bytes, rows, cols, count / 2, count, bytes);
          REQUIRE(got == want);
        }
}

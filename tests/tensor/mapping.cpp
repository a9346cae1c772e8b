// SPDX-License-Identifier: Apache-2.0
// Blocks differ by at most one element, cover everything in order, and block_holding is their inverse.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <reference/definitions.hpp>
#include <tessera/tensor/mapping.hpp>

namespace ts = tessera;

TEST_CASE("blocks cover a dimension in order and differ by at most one") {
  for (int extent = 1; extent <= 40; ++extent)
    for (int parts = 1; parts <= 45; ++parts) {
      int next = 0, least = extent, most = 0;
      for (int b = 0; b < parts; ++b) {
        ts::span const s = ts::block_span(extent, parts, b);
        REQUIRE(s.first == next);
        next = s.last;
        least = std::min(least, s.size());
        most = std::max(most, s.size());
        for (int i = s.first; i < s.last; ++i) REQUIRE(ts::block_holding(extent, parts, i) == b);
      }
      REQUIRE(next == extent);
      REQUIRE(most - least <= 1);
    }
}

TEST_CASE("blocks are those of the definition") {
  for (int extent : {1, 2, 7, 10, 64, 1471, 1472, 1473, 5000})
    for (int parts : {1, 2, 3, 4, 7, 8, 64, 1216, 1472}) {
      std::vector<int> const block = reference::deal(extent, parts);
      REQUIRE(static_cast<int>(block.size()) == extent);
      for (int i = 0; i < extent; ++i)
        REQUIRE(ts::block_holding(extent, parts, i) == block[static_cast<std::size_t>(i)]);
    }
  CHECK(reference::deal(10, 4) == std::vector<int>{0, 0, 1, 1, 1, 2, 2, 3, 3, 3});
}

TEST_CASE("large extents do not overflow") {
  constexpr int extent = 2'000'000'000;
  CHECK(ts::block_span(extent, 1472, 1471).last == extent);
  CHECK(ts::block_holding(extent, 1472, extent - 1) == 1471);
}

TEST_CASE("a tile's grid coordinates and back") {
  ts::mapping_record const m{5, {2, 3, 4, 1}, false};
  for (int tile = 5; tile < 5 + m.tiles(); ++tile) {
    REQUIRE(m.has_tile(tile));
    int const c[ts::max_rank] = {m.coordinate(tile, 0), m.coordinate(tile, 1), m.coordinate(tile, 2),
                                 m.coordinate(tile, 3)};
    REQUIRE(m.tile_at(c) == tile);
  }
  CHECK_FALSE(m.has_tile(4));
  CHECK_FALSE(m.has_tile(29));
}

TEST_CASE("mappings as records") {
  CHECK(ts::by_rows::record(2, 8) == ts::mapping_record{0, {8, 1, 1, 1}, false});
  CHECK(ts::by_cols::record(2, 8) == ts::mapping_record{0, {1, 8, 1, 1}, false});
  CHECK(ts::by_cols::record(1, 8) == ts::mapping_record{0, {8, 1, 1, 1}, false});
  CHECK(ts::by_blocks<2, 3>::record(2, 8) == ts::mapping_record{0, {2, 3, 1, 1}, false});
  CHECK(ts::on_tile<7>::record(3, 8) == ts::mapping_record{7, {1, 1, 1, 1}, false});
  CHECK(ts::on_tiles<2, 5, ts::by_rows>::record(2, 8) == ts::mapping_record{2, {4, 1, 1, 1}, false});
  CHECK(ts::on_tiles<2, 7, ts::by_blocks<2, 3>>::record(2, 8) == ts::mapping_record{2, {2, 3, 1, 1}, false});
  CHECK(ts::replicated::record(2, 8).replicated);
  CHECK(ts::replicated::record(2, 8).has_tile(7));
}

// SPDX-License-Identifier: Apache-2.0
// Mappings: on which tile each element of a tensor lives. All but `replicated` are one formula, a grid of blocks whose
// sizes differ by at most one, laid over consecutive tiles, with an exact inverse.
//
//   by_rows of 10 rows on 4 tiles  ->  {0, 1} {2, 3, 4} {5, 6} {7, 8, 9}
#pragma once

#include <cstdint>

#include <tessera/tensor/region.hpp>

namespace tessera {

/// Block `part` of `extent` indices split into `parts`.
constexpr span block_span(int extent, int parts, int part) {
  return {static_cast<int>(std::int64_t{extent} * part / parts),
          static_cast<int>(std::int64_t{extent} * (part + 1) / parts)};
}

/// The block that holds `index`.
/// @post block_span(extent, parts, block_holding(extent, parts, i)) contains i
constexpr int block_holding(int extent, int parts, int index) {
  return static_cast<int>(((std::int64_t{index} + 1) * parts - 1) / extent);
}

/// A mapping as a value: a grid of blocks from tile `first_tile` on, grid coordinates in row-major order.
struct mapping_record {
  int first_tile = 0;
  int grid[max_rank] = {1, 1, 1, 1};
  bool replicated = false;  ///< every tile of the machine has a copy of all elements

  constexpr int tiles() const { return grid[0] * grid[1] * grid[2] * grid[3]; }
  constexpr bool has_tile(int tile) const { return replicated || (tile >= first_tile && tile < first_tile + tiles()); }
  /// Grid coordinate of a tile in dimension d.
  constexpr int coordinate(int tile, int d) const {
    int rest = tile - first_tile;
    for (int e = max_rank - 1; e > d; --e) rest /= grid[e];
    return rest % grid[d];
  }
  /// The tile at grid coordinates c.
  constexpr int tile_at(int const (&c)[max_rank]) const {
    return first_tile + ((c[0] * grid[1] + c[1]) * grid[2] + c[2]) * grid[3] + c[3];
  }
  friend constexpr bool operator==(mapping_record const&, mapping_record const&) = default;
};

/// Dimension 0 split over all tiles.
struct by_rows {
  static constexpr mapping_record record(int /*rank*/, int tiles) { return {0, {tiles, 1, 1, 1}, false}; }
};
/// Dimension 1 split over all tiles (dimension 0 of a vector).
struct by_cols {
  static constexpr mapping_record record(int rank, int tiles) {
    return rank == 1 ? mapping_record{0, {tiles, 1, 1, 1}, false} : mapping_record{0, {1, tiles, 1, 1}, false};
  }
};
/// Dimensions 0 and 1 split over a grid of Rows x Cols tiles.
template <int Rows, int Cols>
struct by_blocks {
  static constexpr mapping_record record(int /*rank*/, int /*tiles*/) {
    constexpr bool valid = Rows > 0 && Cols > 0;
    static_assert(valid, "tessera: a grid has at least one tile in each dimension (docs/errors/argument_in_range.md)");
    return {0, {valid ? Rows : 1, valid ? Cols : 1, 1, 1}, false};
  }
};
/// Everything on tile `Tile`.
template <int Tile>
struct on_tile {
  static constexpr mapping_record record(int /*rank*/, int /*tiles*/) {
    static_assert(Tile >= 0, "tessera: tiles are counted from 0 (docs/errors/argument_in_range.md)");
    return {Tile < 0 ? 0 : Tile, {1, 1, 1, 1}, false};
  }
};
/// `Mapping` laid over the tiles First … Last only.
template <int First, int Last, class Mapping>
struct on_tiles {
  static constexpr mapping_record record(int rank, int /*tiles*/) {
    constexpr bool valid = 0 <= First && First <= Last;
    static_assert(valid, "tessera: on_tiles<first, last, mapping> wants 0 <= first <= last "
                         "(docs/errors/argument_in_range.md)");
    mapping_record inner = Mapping::record(rank, valid ? Last - First + 1 : 1);
    inner.first_tile += valid ? First : 0;
    return inner;
  }
};
/// A copy of every element on every tile; written by the host or by a `copy`, never by a vertex.
struct replicated {
  static constexpr mapping_record record(int /*rank*/, int /*tiles*/) { return {0, {1, 1, 1, 1}, true}; }
};

/// A rule that says on which tile each element lives.
template <class M>
concept Mapping = requires { { M::record(2, 4) }; };

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Blocking: over which grid of tiles an operator's result is split, so that what a vertex touches fits the working set
// and every thread finds work.
//
//   (128, 384) · (384, 1536), 48 panels, host<64>   ->   grid 1 x 8: 6 panels and all rows a tile
#pragma once

#include <tessera/program/machine.hpp>

#include <cstdint>

namespace tessera {

/// Rows x cols of tiles.
struct tile_grid {
  int rows = 1;
  int cols = 1;
};

/// Fewer tiles than this leave threads without work, or with unequal shares.
inline constexpr int enough_tiles = 8;
/// More rows than this in one vertex of a product evict its panels from the working set.
inline constexpr int rows_at_once = 256;

/// The largest divisor of n that is at most `limit`.
constexpr int largest_divisor(int n, int limit) {
  for (int d = limit < n ? limit : n; d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

/// The grid of a product of `rows` x `depth` and `depth` x `cols`, whose right side is packed in panels. Weights are
/// streamed once: columns are split first, at panel boundaries, into the smallest number of tiles whose panels fit
/// half the working set; rows only where there are many.
constexpr tile_grid product_grid(machine const& m, int rows, int cols, int depth, int panel) {
  tile_grid grid;
  grid.rows = (rows + rows_at_once - 1) / rows_at_once;
  if (grid.rows > m.tiles) grid.rows = m.tiles;
  int const limit = m.tiles / grid.rows;
  int const panels = (cols + panel - 1) / panel;
  if (cols % panel == 0) {
    std::int64_t const panel_bytes = std::int64_t{4} * depth * panel;
    for (int q = 1; q <= limit && q <= panels; ++q) {
      if (panels % q != 0) continue;
      grid.cols = q;
      if (grid.rows * q >= enough_tiles && panels / q * panel_bytes <= m.working_set / 2) break;
    }
  }
  if (grid.rows * grid.cols < enough_tiles && rows >= 2 * enough_tiles) {
    int const more = enough_tiles / grid.cols;
    if (more * grid.cols <= m.tiles && more > grid.rows) grid.rows = more;
  }
  return grid;
}

/// The split of `rows` equal rows that are worked on one by one.
constexpr tile_grid rows_grid(machine const& m, int rows) {
  int const wanted = (rows + 7) / 8;
  return {wanted < m.tiles ? wanted : m.tiles, 1};
}

/// The grid of packed attention: a head a column of tiles, blocks of at least 32 rows.
constexpr tile_grid attention_grid(machine const& m, int rows, int heads) {
  int const limit = m.tiles / heads;
  int const wanted = (rows + 31) / 32;
  if (limit < 1) return {1, largest_divisor(heads, m.tiles)};
  return {wanted < limit ? wanted : limit, heads};
}

}  // namespace tessera

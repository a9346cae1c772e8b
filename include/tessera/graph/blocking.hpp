// SPDX-License-Identifier: Apache-2.0
// Blocking: over which grid of tiles an operator's result is split. For a product, by the machine's cost model: of the
// grids that are tried, the one that takes the fewest cycles. Tried are the fewest parts of the rows that are not too
// tall, that doubled, doubled again and so on, each with every cut of the columns between panels.
//
//   (128, 768) · (768, 3072) in panels of 32, host<64>   ->   grid 1 x 8: 12 panels and all rows a tile
#pragma once

#include <tessera/program/machine.hpp>

#include <cstdint>
#include <initializer_list>

namespace tessera {

/// Rows x cols of tiles.
struct tile_grid {
  int rows = 1;
  int cols = 1;
};

/// More rows than this in one vertex of a product evict its panels from the working set.
inline constexpr int rows_at_once = 256;
/// The depth of a product is walked in slices of at most this.
inline constexpr int depth_at_once = 1024;
/// Rows of a product are not split into fewer than this: a vertex would pass over its panels for next to nothing.
inline constexpr int fewest_rows = 16;

/// The largest divisor of n that is at most `limit`.
constexpr int largest_divisor(int n, int limit) {
  for (int d = limit < n ? limit : n; d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

/// The share of their time that threads wait at the end of a step of `tiles` equal vertices, on average over 1, 2, 4
/// and 8 threads.
constexpr double waiting(int tiles) {
  double sum = 0;
  for (int threads = 1; threads <= 8; threads *= 2) {
    int const most = (tiles + threads - 1) / threads;
    sum += static_cast<double>(most * threads - tiles) / tiles;
  }
  return sum / 4;
}

/// Cycles that a product of `rows` x `depth` and `depth` x `cols` takes on a grid, as far as the grid decides them. A
/// weight counts as four bytes even where it is stored as bf16: both kinds of a model are split alike.
constexpr double product_cycles(machine const& m, int rows, int cols, int depth, int panel, tile_grid grid) {
  constexpr double start = 500;   // of a vertex: first accesses, an incomplete block at the end
  int const tiles = grid.rows * grid.cols;
  int const tile_cols = (cols + grid.cols - 1) / grid.cols;
  double const padded_cols = static_cast<double>((tile_cols + panel - 1) / panel) * panel * grid.cols;   // whole panels
  double const arithmetic = 2.0 * rows * padded_cols * depth / m.flops_per_cycle;
  // What is read again does not come from memory again if the cache holds it: the left side for every group of panels
  // that is kept, the panels for every row of tiles.
  double const cache = 2.0 * static_cast<double>(m.working_set);
  double const left_bytes = 4.0 * rows * depth;
  double const right_bytes = 4.0 * depth * padded_cols;
  double const kept = cache / (4.0 * (depth < depth_at_once ? depth : depth_at_once));   // columns of a group
  double const groups = grid.cols * (tile_cols > kept ? tile_cols / kept : 1.0);
  double const again = (left_bytes > cache ? left_bytes * (groups - 1) : 0) +
                       (right_bytes > cache * grid.cols ? right_bytes * (grid.rows - 1) : 0);
  return arithmetic * (1 + waiting(tiles)) + again / m.exchange_bytes_per_cycle + start * tiles;
}

/// The grid of a product of `rows` x `depth` and `depth` x `cols`, whose right side is packed in panels: the cheapest
/// of those tried. Rows are cut into the fewest parts, or those doubled. Columns are cut between panels, so that the
/// packed panels are the same for every grid; where columns are no multiple of a panel they are cut anywhere, but into
/// as many parts whatever the rows.
constexpr tile_grid product_grid(machine const& m, int rows, int cols, int depth, int panel) {
  int const panels = (cols + panel - 1) / panel;
  tile_grid best;
  double least = 0;
  auto const consider = [&](int assumed_rows, tile_grid grid) {
    double const cycles = product_cycles(m, assumed_rows, cols, depth, panel, grid);
    if (least > 0 && cycles >= least) return;
    least = cycles;
    best = grid;
  };
  bool const whole = cols % panel == 0;
  if (!whole)
    for (int c = 1; c <= panels && (c == 1 || 4 * c <= m.tiles); ++c) consider(rows_at_once, {1, c});
  int const given = best.cols;
  least = 0;
  int const fewest = (rows + rows_at_once - 1) / rows_at_once;   // parts of the rows
  for (int r = fewest < m.tiles ? fewest : m.tiles; r <= m.tiles; r *= 2) {
    for (int c = whole ? 1 : given; r * c <= m.tiles && c <= (whole ? panels : given); ++c)
      if (!whole || panels % c == 0) consider(rows, {r, c});
    if (rows / (2 * r) < fewest_rows) break;
  }
  if (least == 0) best = {m.tiles / given, given};
  return best;
}

/// A convolution of 3 x 3 taps and stride 1, as far as its grid depends on it.
struct small_convolution {
  int images, height, width;   ///< of the result
  int channels, made;
};
/// In tiles of how many results along a side it is computed, 0 for not in tiles but as it is defined; and its grid.
struct winograd_choice {
  int tile = 0;
  tile_grid grid;
};

/// Cycles that Winograd's algorithm takes in tiles of `tile` x `tile` results on a grid whose blocks are whole lines.
constexpr double winograd_cycles(machine const& m, small_convolution const& s, int tile, int panel, tile_grid grid) {
  constexpr double start = 1000;       // of a vertex
  constexpr double transform = 12;     // of one element, forth or back, in operations
  int const lines = s.images * s.height / grid.rows;
  int const down = lines < s.height ? (lines + tile - 1) / tile : lines / s.height * ((s.height + tile - 1) / tile);
  double const tiles = static_cast<double>(grid.rows) * down * ((s.width + tile - 1) / tile);
  double const taps = (tile + 2) * (tile + 2);
  int const tile_cols = (s.made + grid.cols - 1) / grid.cols;
  double const padded_cols = static_cast<double>((tile_cols + panel - 1) / panel) * panel * grid.cols;
  double const arithmetic = 2 * taps * tiles * s.channels * padded_cols / m.flops_per_cycle;
  double const elements = taps * tiles * (static_cast<double>(s.channels) * grid.cols + padded_cols);
  double const bytes = 4 * taps * s.channels * padded_cols;
  double const reads = bytes > 2.0 * static_cast<double>(m.working_set) * grid.cols ? grid.rows : 1;
  double const stream = bytes * reads / m.exchange_bytes_per_cycle;
  int const vertices = grid.rows * grid.cols;
  return (arithmetic + stream + transform * elements / m.flops_per_cycle) * (1 + waiting(vertices)) + start * vertices;
}

/// How a convolution of 3 x 3 taps and stride 1 is computed fastest, and where: of the tiles and grids whose blocks are
/// whole lines or whole images the cheapest, if it is cheaper than the product that the convolution is else.
/// @param wanted  the tile, if it is not to be chosen
constexpr winograd_choice winograd_grid(machine const& m, small_convolution const& s, int panel, int wanted = 0) {
  int const lines = s.images * s.height, panels = (s.made + panel - 1) / panel;
  tile_grid const direct = product_grid(m, lines * s.width, s.made, 9 * s.channels, panel);
  double least = product_cycles(m, lines * s.width, s.made, 9 * s.channels, panel, direct) +
                 4.0 * 9 * s.channels * s.made / m.exchange_bytes_per_cycle;
  winograd_choice best;
  if (wanted != 0) best = {wanted, {}}, least = winograd_cycles(m, s, wanted, panel, {});
  for (int tile : {2, 4}) {
    if (wanted != 0 && tile != wanted) continue;
    for (int r = 1; r <= m.tiles && r <= lines; ++r) {
      if (lines % r != 0 || (s.height % (lines / r) != 0 && lines / r % s.height != 0)) continue;
      for (int c = 1; r * c <= m.tiles && c <= panels; ++c) {
        if (c > 1 && (s.made % panel != 0 || panels % c != 0)) continue;
        double const cycles = winograd_cycles(m, s, tile, panel, {r, c});
        if (cycles >= least) continue;
        least = cycles;
        best = {tile, {r, c}};
      }
    }
  }
  return best;
}

/// The split of `rows` equal rows that are worked on one by one.
constexpr tile_grid rows_grid(machine const& m, int rows) {
  int const wanted = (rows + 7) / 8;
  return {wanted < m.tiles ? wanted : m.tiles, 1};
}

/// Cycles of packed attention, one sequence of all rows, as far as the grid decides them: every block of rows packs all
/// keys and values.
constexpr double attention_cycles(machine const& m, int rows, int depth, tile_grid grid) {
  double const head = static_cast<double>(rows) * depth;
  double const arithmetic = 4.0 * rows * head / m.flops_per_cycle;
  double const packing = 2 * 2 * 4.0 * head / m.exchange_bytes_per_cycle;   // both, read and written
  return grid.cols * (arithmetic + grid.rows * packing) * (1 + waiting(grid.rows * grid.cols));
}

/// The grid of packed attention over `heads` of `depth` columns: a head a column of tiles, and of the powers of 2 the
/// number of blocks of rows that is cheapest; a block has at least fewest_rows.
constexpr tile_grid attention_grid(machine const& m, int rows, int heads, int depth) {
  if (heads > m.tiles) return {1, largest_divisor(heads, m.tiles)};
  tile_grid best{1, heads};
  for (int r = 2; r * heads <= m.tiles && rows / r >= fewest_rows; r *= 2)
    if (attention_cycles(m, rows, depth, {r, heads}) < attention_cycles(m, rows, depth, best)) best.rows = r;
  return best;
}

}  // namespace tessera

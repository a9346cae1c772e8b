// SPDX-License-Identifier: Apache-2.0
// Tiles that stand for all: along each dimension of a grid, blocks have two sizes and halos three situations, so the
// first, the last and a largest interior coordinate show every maximum.
//
//   10 rows on 4 tiles, blocks of 2, 3, 2, 3   ->   tiles 0, 3, 1
#pragma once

#include <tessera/base/inplace_vector.hpp>
#include <tessera/plan/detail/ranges.hpp>

namespace tessera::detail {

/// Tiles without repetition, at most 64.
struct tile_samples : inplace_vector<int, 64> {
  constexpr void add(int tile) {
    for (int known : *this)
      if (known == tile) return;
    if (count < static_cast<int>(capacity())) push_back(tile);
  }
};

/// A grid coordinate with the largest block, as near the middle as there is one; -1 where there is no interior.
/// Block p is a large one if p = ceil(j parts / rest) - 1 for some j in 1 … rest, rest = extent mod parts.
constexpr int interior_coordinate(int extent, int parts) {
  if (parts < 3) return -1;
  std::int64_t const rest = extent % parts;
  if (rest < 2) return parts / 2;  // all alike, or the last one is the only large one
  std::int64_t const middle = (rest + 1) / 2;
  return static_cast<int>((middle * parts + rest - 1) / rest - 1);
}

/// Adds the tiles that stand for the tensor's mapping, where `tiles` has them.
constexpr void add_mapping_samples(tensor_record const& t, tile_range tiles, tile_samples& out) {
  int coordinates[max_rank][3] = {};
  int counts[max_rank] = {};
  for (int d = 0; d < max_rank; ++d) {
    int const parts = t.map.grid[d];
    coordinates[d][counts[d]++] = 0;
    if (parts > 1) coordinates[d][counts[d]++] = parts - 1;
    int const interior = interior_coordinate(t.extent[d], parts);
    if (interior >= 0) coordinates[d][counts[d]++] = interior;
  }
  for (int i = 0; i < counts[0]; ++i)
    for (int j = 0; j < counts[1]; ++j)
      for (int k = 0; k < counts[2]; ++k)
        for (int l = 0; l < counts[3]; ++l) {
          int const tile = t.map.tile_at({coordinates[0][i], coordinates[1][j], coordinates[2][k], coordinates[3][l]});
          if (tile >= tiles.first && tile <= tiles.last && (tile - tiles.first) % tiles.stride == 0) out.add(tile);
        }
}

/// Adds the tiles that stand for an execute: those of the mappings it looks at, the ends and the middle of its range,
/// and where it has functions of the tile, 32 tiles evenly.
constexpr void add_execute_samples(program_view const& p, execute_record const& e, tile_samples& out) {
  tile_range const tiles = running_range(p, e);
  if (tiles.empty()) return;
  int seen[3] = {-1, -1, -1};
  int seen_count = 0;
  bool functions = false;
  for (int j = e.first_access; j < e.first_access + e.accesses && seen_count < 3; ++j) {
    access_record const& a = p.accesses[j];
    functions |= a.kind == access_kind::at;
    if (!follows_mapping(p, a)) continue;
    bool known = false;
    for (int k = 0; k < seen_count; ++k) {
      tensor_record const& other = p.tensors[seen[k]];
      tensor_record const& by = p.tensors[a.by];
      known |= other.map == by.map && other.extent[0] == by.extent[0] && other.extent[1] == by.extent[1];
    }
    if (known) continue;
    seen[seen_count++] = a.by;
    add_mapping_samples(p.tensors[a.by], tiles, out);
  }
  out.add(tiles.first);
  out.add(tiles.last);
  out.add(tiles.first + tiles.count() / 2 * tiles.stride);
  if (functions)
    for (int i = 0; i < 32; ++i) out.add(tiles.first + tiles.count() * i / 32 * tiles.stride);
}

}  // namespace tessera::detail

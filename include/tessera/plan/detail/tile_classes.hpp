// SPDX-License-Identifier: Apache-2.0
// Classes of tiles: runs of tiles on which the same tensors have blocks and the same vertices may run.
//
//   8 tiles, a by_rows, b on_tiles<2, 5, by_rows>   ->   {0, 1} {2 … 5} {6, 7}
#pragma once

#include <tessera/plan/detail/ranges.hpp>
#include <tessera/plan/plan.hpp>

namespace tessera::detail {

struct tile_classes {
  int count = 1;
  tile_class of[max_tile_classes];
};

/// The classes of a program's machine, at most max_tile_classes: more are merged with the neighbour that holds the most
/// similar number of bytes.
template <record_counts N>
constexpr tile_classes plan_tile_classes(program_view const& p) {
  constexpr int capacity = 2 * (N.tensors + N.executes) + 2;
  int start[capacity] = {};
  int count = 1;
  auto const add = [&](int tile) {
    if (tile <= 0 || tile >= p.target.tiles) return;
    for (int i = 0; i < count; ++i)
      if (start[i] == tile) return;
    int at = count++;
    for (; start[at - 1] > tile; --at) start[at] = start[at - 1];
    start[at] = tile;
  };
  for (int t = 0; t < p.tensor_count; ++t) {
    mapping_record const& map = p.tensors[t].map;
    if (map.replicated) continue;
    add(map.first_tile);
    add(map.first_tile + map.tiles());
  }
  for (int i = 0; i < p.execute_count; ++i) {
    tile_range const tiles = running_range(p, p.executes[i]);
    if (tiles.empty()) continue;
    add(tiles.first);
    add(tiles.last + 1);
  }

  while (count > 4 * max_tile_classes) {  // far too many: every two become one
    for (int i = 0; 2 * i < count; ++i) start[i] = start[2 * i];
    count = (count + 1) / 2;
  }
  std::int64_t weight[capacity] = {};
  if (count > max_tile_classes)
    for (int i = 0; i < count; ++i) {
      int const last = (i + 1 < count ? start[i + 1] : p.target.tiles) - 1;
      for (int t = 0; t < p.tensor_count; ++t) {
        mapping_record const& map = p.tensors[t].map;
        if (!map.replicated && map.first_tile <= last && map.first_tile + map.tiles() > start[i])
          weight[i] += largest_block(p.tensors[t]) * bytes_of(p.tensors[t].type);
      }
    }
  while (count > max_tile_classes) {
    int at = 0;
    std::int64_t least = -1;
    for (int i = 0; i + 1 < count; ++i) {
      std::int64_t const difference = weight[i] > weight[i + 1] ? weight[i] - weight[i + 1] : weight[i + 1] - weight[i];
      if (least < 0 || difference < least) {
        least = difference;
        at = i;
      }
    }
    if (weight[at + 1] > weight[at]) weight[at] = weight[at + 1];
    for (int i = at + 1; i + 1 < count; ++i) {
      start[i] = start[i + 1];
      weight[i] = weight[i + 1];
    }
    --count;
  }
  tile_classes out;
  out.count = count;
  for (int i = 0; i < count; ++i) out.of[i] = {start[i], (i + 1 < count ? start[i + 1] : p.target.tiles) - 1};
  return out;
}

}  // namespace tessera::detail

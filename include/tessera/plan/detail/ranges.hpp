// SPDX-License-Identifier: Apache-2.0
// Closed forms about executes and accesses: on which tiles a vertex can run, whether a box is the tile's own block,
// whether the boxes of all tiles together are the whole tensor.
#pragma once

#include <tessera/plan/exchange.hpp>

namespace tessera::detail {

/// Up to this many tiles, functions of `at` accesses are asked about every tile; above it, the answer that is always
/// safe is taken.
inline constexpr int few_tiles = 128;

/// Tiles first, first + stride, … <= last.
struct tile_range {
  int first = 0;
  int last = -1;
  int stride = 1;

  constexpr bool empty() const { return last < first; }
  constexpr int count() const { return empty() ? 0 : (last - first) / stride + 1; }
  constexpr bool meets(int from, int to) const {
    if (empty()) return false;
    int const next = from <= first ? first : first + (from - first + stride - 1) / stride * stride;
    return next <= last && next <= to;
  }
};

/// The tiles of a range that lie in [from, to].
constexpr tile_range within(tile_range r, int from, int to) {
  if (r.empty()) return r;
  if (from > r.first) r.first += (from - r.first + r.stride - 1) / r.stride * r.stride;
  if (to < r.last) r.last = to;
  if (r.last >= r.first) r.last = r.first + (r.last - r.first) / r.stride * r.stride;
  return r;
}

/// Whether what an access covers depends on the tile through the mapping of `by`.
constexpr bool follows_mapping(program_view const& p, access_record const& a) {
  return a.kind != access_kind::at && a.kind != access_kind::whole && a.kind != access_kind::block &&
         !p.tensors[a.by].map.replicated;
}

/// A range that contains every tile on which an execute's vertex runs.
constexpr tile_range running_range(program_view const& p, execute_record const& e) {
  tile_range const all = within({e.first_tile, e.last_tile, e.stride}, 0, p.target.tiles - 1);
  int from = all.last + 1;
  int to = all.first - 1;
  for (int i = e.first_access; i < e.first_access + e.accesses; ++i) {
    access_record const& a = p.accesses[i];
    if (a.dir == direction::in) continue;
    if (!follows_mapping(p, a)) return all;
    mapping_record const& map = p.tensors[a.by].map;
    if (map.first_tile < from) from = map.first_tile;
    if (map.first_tile + map.tiles() - 1 > to) to = map.first_tile + map.tiles() - 1;
  }
  return within(all, from, to);
}

/// Whether the tensor has at least one index for every coordinate of its mapping's grid: no tile's block is empty.
constexpr bool no_block_is_empty(tensor_record const& t) {
  for (int d = 0; d < max_rank; ++d)
    if (t.map.grid[d] > t.extent[d]) return false;
  return true;
}

/// Whether an access covers, on each tile, exactly the tile's block of the accessed tensor.
constexpr bool is_own_box(program_view const& p, access_record const& a) {
  tensor_record const& t = p.tensors[a.tensor];
  tensor_record const& by = p.tensors[a.by];
  if (a.kind == access_kind::at || a.kind == access_kind::gather || a.kind == access_kind::window ||
      !follows_mapping(p, a))
    return false;
  if (t.map.replicated || !(by.map == t.map)) return false;
  for (int d = 0; d < t.rank; ++d) {
    dim_rule const& rule = a.dim[d];
    if (rule.from < 0 && t.map.grid[d] == 1) continue;
    if (rule.from != d || rule.radius != 0 || rule.shift != 0 || rule.fixed >= 0 || rule.offset != 0) return false;
    if (by.extent[d] != t.extent[d]) return false;
  }
  for (int d = t.rank; d < max_rank; ++d)
    if (t.map.grid[d] != 1) return false;
  return true;
}

/// Whether every box of an access of an execute lies within the own block of the tile that has it: such an access
/// never meets another tile's elements. `summary` is that of an `at` access, if it is at hand.
constexpr bool stays_on_tile(program_view const& p, execute_record const& e, access_record const& a,
                             at_summary const* summary = nullptr) {
  tensor_record const& t = p.tensors[a.tensor];
  if (t.map.replicated) return !p.target.shared && a.dir == direction::in;
  if (is_own_box(p, a)) return true;
  tile_range const tiles = running_range(p, e);
  if (tiles.empty()) return true;
  if (t.map.tiles() == 1) return tiles.first == tiles.last && tiles.first == t.map.first_tile;
  if (a.kind == access_kind::at && summary != nullptr) return summary->inside_own;
  if (a.kind != access_kind::at || tiles.count() > few_tiles) return false;
  for (int i = tiles.first; i <= tiles.last; i += tiles.stride)
    if (!block_of(t, i).contains(covered(p, a, i))) return false;
  return true;
}

/// Whether the boxes of an access on all tiles of its mapping together are the whole tensor.
constexpr bool boxes_cover_tensor(program_view const& p, access_record const& a) {
  tensor_record const& t = p.tensors[a.tensor];
  if (a.kind == access_kind::at || a.kind == access_kind::gather || a.kind == access_kind::window) return false;
  tensor_record const& by = p.tensors[a.by];
  if (by.map.replicated) return true;
  bool taken[max_rank] = {};
  for (int d = 0; d < t.rank; ++d) {
    dim_rule const& rule = a.dim[d];
    if (rule.from < 0) continue;
    if (taken[rule.from] || rule.radius != 0 || rule.shift != 0 || rule.fixed >= 0 || rule.offset != 0) return false;
    if (by.extent[rule.from] != t.extent[d]) return false;
    taken[rule.from] = true;
  }
  return true;
}

/// Bytes of the largest box that an access covers on any tile, row-major, a multiple of 64. Functions of `at` accesses
/// are asked on few tiles; on many the whole tensor is assumed.
constexpr std::int64_t largest_box(program_view const& p, execute_record const& e, access_record a) {
  a.layout = {};
  tensor_record const& t = p.tensors[a.tensor];
  if (a.kind == access_kind::at && running_range(p, e).count() > few_tiles) return (t.bytes() + 63) / 64 * 64;
  return largest_buffer(p, e, a);
}

}  // namespace tessera::detail

// SPDX-License-Identifier: Apache-2.0
// From records to boxes: the closed forms that say which elements a tile owns and which an access covers.
//
//   by_rows, 10 rows on 4 tiles, halo<1>:   tile 1 owns [2, 5), covers [1, 6)
#pragma once

#include <tessera/base/config.hpp>
#include <tessera/base/inplace_vector.hpp>
#include <tessera/program/records.hpp>

namespace tessera {
TESSERA_ISA_BEGIN   // engines call these at run time

/// All elements of a tensor.
constexpr region whole_of(tensor_record const& t) {
  region r;
  for (int d = 0; d < t.rank; ++d) r[d] = {0, t.extent[d]};
  return r;
}

/// The elements of a tensor that live on a tile; of a replicated one: all.
[[gnu::noinline]] constexpr region block_of(tensor_record const& t, int tile) {
  if (t.map.replicated) return whole_of(t);
  if (!t.map.has_tile(tile)) return empty_region();
  region r;
  for (int d = 0; d < t.rank; ++d) r[d] = block_span(t.extent[d], t.map.grid[d], t.map.coordinate(tile, d));
  return r;
}

/// The largest block of a tensor on any tile, in elements.
constexpr std::int64_t largest_block(tensor_record const& t) {
  std::int64_t volume = 1;
  for (int d = 0; d < t.rank; ++d)
    volume *= t.map.replicated ? t.extent[d] : (t.extent[d] + t.map.grid[d] - 1) / t.map.grid[d];
  return volume;
}

/// What a field shows on a tile, in coordinates of the accessed tensor. With an edge rule other than `clip`, and with
/// `at` functions that are wrong, it may reach beyond the tensor. Empty where the tile has no block. A replicated tensor
/// is one block, which every tile has.
/// A gather covers one row for each element of its tile's block of the index tensor: dimension 0 counts those.
[[gnu::noinline]] constexpr region covered(program_view const& p, access_record const& a, int tile_index) {
  tensor_record const& t = p.tensors[a.tensor];
  if (a.kind == access_kind::at) {
    box const b = a.at({tile_index, p.target.tiles});
    region r;
    span const given[max_rank] = {b.rows, b.cols, b.third, b.fourth};
    for (int d = 0; d < t.rank; ++d) r[d] = {given[d].first, given[d].last == end ? t.extent[d] : given[d].last};
    return r.empty() ? empty_region() : r;
  }
  tensor_record const& by = p.tensors[a.by];
  if (a.kind == access_kind::whole || a.kind == access_kind::block) {
    // The same part for every tile, whether or not it has a block itself.
  } else if (!by.map.has_tile(tile_index)) {
    return empty_region();
  }
  region r;
  for (int d = 0; d < t.rank; ++d) {
    dim_rule const& rule = a.dim[d];
    if (rule.from < 0) {
      r[d] = {0, t.extent[d]};
      continue;
    }
    int const parts = by.map.grid[rule.from];
    int coordinate = rule.fixed >= 0 ? rule.fixed : by.map.coordinate(tile_index, rule.from) + rule.shift;
    if (rule.shift != 0 && a.edge == edge_rule::wrap) coordinate = ((coordinate % parts) + parts) % parts;
    if (coordinate < 0 || coordinate >= parts) return empty_region();
    span const own = block_span(by.extent[rule.from], parts, coordinate);
    if (own.empty()) return empty_region();
    if (a.kind == access_kind::window && d == 0) {
      r[d] = a.window.of(own);
      continue;
    }
    span s{own.first + rule.offset - rule.radius, own.last + rule.offset + rule.radius};
    if (rule.radius > 0 && a.edge == edge_rule::clip) s = intersect(s, {0, t.extent[d]});
    r[d] = s;
  }
  return r;
}

/// The own part within a halo access: what `before` and `after` are counted from.
constexpr region core_of(program_view const& p, access_record const& a, int tile_index) {
  if (a.kind != access_kind::halo) return covered(p, a, tile_index);
  access_record inner = a;
  for (auto& rule : inner.dim) rule.radius = 0;
  return covered(p, inner, tile_index);
}

/// A piece of a field: elements [source] of the tensor appear in the field from coordinates `at` on (relative to the
/// field's first element).
struct piece {
  region source;
  int at[max_rank] = {};
};

/// Calls visit(piece) for every box of the tensor that a field reads or writes on a tile. One box, except with
/// edge::wrap, where indices beyond an end continue at the other. What lies outside and is filled by edge::zero or
/// edge::clamp is not part of any piece (a clamped edge repeats elements of the piece beside it). Gathered rows are
/// not known before the run: for planning, a gather is one piece, the whole tensor.
template <class Visit>
constexpr void for_each_piece(program_view const& p, access_record const& a, int tile_index, Visit&& visit) {
  tensor_record const& t = p.tensors[a.tensor];
  region const field = covered(p, a, tile_index);
  if (field.empty()) return;
  if (a.kind == access_kind::gather) {
    visit(piece{whole_of(t), {}});
    return;
  }
  bool const wraps = a.edge == edge_rule::wrap && a.kind == access_kind::halo;
  inplace_vector<piece, 64> pieces;
  pieces.push_back(piece{field, {}});
  for (int d = 0; d < t.rank; ++d) {
    inplace_vector<piece, 64> cut;
    for (piece const& whole : pieces) {
      if (!wraps) {
        piece part = whole;
        part.source[d] = a.kind == access_kind::halo ? intersect(field[d], {0, t.extent[d]}) : field[d];
        part.at[d] = part.source[d].first - field[d].first;
        if (!part.source.empty()) cut.push_back(part);
        continue;
      }
      for (int i = field[d].first; i < field[d].last;) {
        int const wrapped = ((i % t.extent[d]) + t.extent[d]) % t.extent[d];
        int const rest = field[d].last - i;
        int const length = t.extent[d] - wrapped < rest ? t.extent[d] - wrapped : rest;
        piece part = whole;
        part.source[d] = {wrapped, wrapped + length};
        part.at[d] = i - field[d].first;
        cut.push_back(part);
        i += length;
      }
    }
    pieces = cut;
  }
  for (piece const& part : pieces) visit(part);
}

/// Whether an execute's vertex runs on a tile: the tile is in its range and one of the boxes it writes is not empty.
[[gnu::noinline]] constexpr bool runs_on(program_view const& p, execute_record const& e, int tile_index) {
  if (!e.has_tile(tile_index)) return false;
  for (int i = e.first_access; i < e.first_access + e.accesses; ++i)
    if (p.accesses[i].dir != direction::in && !covered(p, p.accesses[i], tile_index).empty()) return true;
  return false;
}

TESSERA_ISA_END
}  // namespace tessera

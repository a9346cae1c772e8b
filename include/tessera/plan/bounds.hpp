// SPDX-License-Identifier: Apache-2.0
// Proof 2: everything that a program names exists: tiles, blocks of a grid, elements of a tensor.
//
//   at(u, ...) with rows [1472, 1473) of 1472 on tile 1408  ->  access_inside_tensor, tile 1408
#pragma once

#include <tessera/plan/finding.hpp>
#include <tessera/plan/summary.hpp>

namespace tessera {

namespace detail {

/// The first tile of an execute whose box of a named access leaves the tensor: found by a walk, once a closed form has
/// said that there is one.
constexpr finding outside_of(program_view const& p, execute_record const& e, access_record const& a) {
  tensor_record const& t = p.tensors[a.tensor];
  execute_tiles const range = range_of(p, e);
  for (int i = 0; i < range.count; ++i) {
    int const tile_index = range.tile_at(i);
    region const r = covered(p, a, tile_index);
    bool outside = false;
    for (int d = 0; d < t.rank; ++d) {
      // An edge rule fills what a radius adds, nothing else.
      int const reach = a.kind == access_kind::halo && a.edge != edge_rule::clip ? a.dim[d].radius : 0;
      outside |= !span{-reach, t.extent[d] + reach}.contains(r[d]);
    }
    if (!r.empty() && outside && runs_on(p, e, tile_index)) {
      finding f;
      f.what = check::access_inside_tensor;
      f.tensor_index = a.tensor;
      f.tile_a = tile_index;
      f.box = r;
      return f;
    }
  }
  return {};
}

/// Whether a named access may leave its tensor on some tile: its spans come from blocks of a tensor that is larger, or
/// are moved.
constexpr bool may_leave(program_view const& p, access_record const& a) {
  if (a.kind == access_kind::at || a.kind == access_kind::whole || a.kind == access_kind::gather) return false;
  if (a.kind == access_kind::window) return true;   // its closed form is that of single tiles
  tensor_record const& t = p.tensors[a.tensor];
  tensor_record const& by = p.tensors[a.by];
  if (by.map.replicated) return false;
  for (int d = 0; d < t.rank; ++d) {
    dim_rule const& rule = a.dim[d];
    if (rule.from >= 0 && (rule.offset != 0 || by.extent[rule.from] > t.extent[d])) return true;
  }
  return false;
}

constexpr finding check_bounds(program_view const& p, at_summaries const& at, execute_record const& e, int access) {
  access_record const& a = p.accesses[access];
  tensor_record const& t = p.tensors[a.tensor];
  finding f;
  f.tensor_index = a.tensor;
  if (a.kind == access_kind::at) {
    at_summary const& s = at.of(access);
    if (s.outside_tile < 0) return {};
    f.what = check::access_inside_tensor;
    f.tile_a = s.outside_tile;
    f.box = s.outside;
    return f;
  }
  if (a.kind == access_kind::gather) return {};   // rows are checked at run time
  tensor_record const& by = p.tensors[a.by];
  for (int d = 0; d < t.rank; ++d) {
    dim_rule const& rule = a.dim[d];
    if (rule.from < 0) continue;
    if (a.kind == access_kind::block && (rule.fixed < 0 || rule.fixed >= by.map.grid[rule.from])) {
      f.what = check::block_inside_grid;
      f.other_tensor = a.by;
      f.needed = rule.fixed;
      f.available = by.map.grid[rule.from];
      return f;
    }
    if (a.kind == access_kind::halo && a.edge == edge_rule::wrap && rule.radius > t.extent[d]) {
      f.what = check::wrap_fits_tensor;
      f.needed = rule.radius;
      f.available = t.extent[d];
      return f;
    }
  }
  return may_leave(p, a) ? outside_of(p, e, a) : finding{};
}

}  // namespace detail

/// The first mapping, range of tiles, block or box that does not exist.
constexpr finding find_outside(program_view const& p, at_summaries const& at) {
  for (int i = 0; i < p.tensor_count; ++i) {
    tensor_record const& t = p.tensors[i];
    mapping_record const& map = t.map;
    bool beyond_rank = false;
    for (int d = t.rank; d < max_rank; ++d) beyond_rank |= map.grid[d] > 1;
    bool const fits = map.first_tile >= 0 && map.first_tile + map.tiles() <= p.target.tiles;
    if (map.replicated || (fits && !beyond_rank)) continue;
    finding f;
    f.what = beyond_rank ? check::mapping_fits_rank : check::mapping_fits_machine;
    f.tensor_index = i;
    f.tile_a = map.first_tile + map.tiles() - 1;
    f.needed = map.first_tile + map.tiles();
    f.available = p.target.tiles;
    return f;
  }
  for (int s = 0; s < p.step_count; ++s) {
    if (p.steps[s].kind != step_kind::compute) continue;
    for (int i = p.steps[s].first; i < p.steps[s].first + p.steps[s].count; ++i) {
      execute_record const& e = p.executes[i];
      if (e.first_tile < 0 || e.last_tile < e.first_tile || e.last_tile >= p.target.tiles || e.stride < 1) {
        finding f;
        f.what = check::range_inside_machine;
        f.step = s;
        f.execute_a = i;
        f.tile_a = e.first_tile;
        f.tile_b = e.last_tile;
        f.available = p.target.tiles;
        return f;
      }
      for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
        finding f = detail::check_bounds(p, at, e, j);
        if (!f.found()) continue;
        f.step = s;
        f.execute_a = i;
        return f;
      }
    }
  }
  return {};
}

}  // namespace tessera

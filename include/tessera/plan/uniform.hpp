// SPDX-License-Identifier: Apache-2.0
// Proofs 5 and 6, and who may write what: rules that need no walk over tiles.
//
//   execute<add>(u, v) with u by_rows and v by_cols     ->  mappings_correspond: tile t sees blocks of different parts
//   repeat_while(errors, ...) with errors of 8 elements ->  predicate_is_uniform: tiles might decide differently
#pragma once

#include <tessera/plan/finding.hpp>
#include <tessera/program/geometry.hpp>

namespace tessera {

/// Whether tile t's block of one tensor belongs to its block of another: the same grid of tiles, or a vector that is
/// split like the one split dimension of the other.
constexpr bool correspond(tensor_record const& a, tensor_record const& b) {
  if (a.map.replicated || b.map.replicated) return true;
  if (a.map.first_tile != b.map.first_tile || a.map.tiles() != b.map.tiles()) return false;
  bool same = true;
  int split_a = 0;
  int split_b = 0;
  for (int d = 0; d < max_rank; ++d) {
    same &= a.map.grid[d] == b.map.grid[d];
    split_a += a.map.grid[d] > 1 ? 1 : 0;
    split_b += b.map.grid[d] > 1 ? 1 : 0;
  }
  return same || ((a.rank == 1 || b.rank == 1) && split_a == 1 && split_b == 1);
}

/// Whether an access depends on the tile's own place in a mapping.
constexpr bool follows_tile(access_record const& a) {
  return a.kind == access_kind::own || a.kind == access_kind::halo || a.kind == access_kind::rows ||
         a.kind == access_kind::cols || a.kind == access_kind::neighbour || a.kind == access_kind::gather ||
         a.kind == access_kind::window;
}

namespace detail {

/// The first access of an execute whose blocks do not belong to those of its first written one.
constexpr finding check_correspondence(program_view const& p, execute_record const& e) {
  int reference = -1;
  bool written = false;
  for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
    access_record const& a = p.accesses[j];
    if (!follows_tile(a) || p.tensors[a.by].map.replicated || written) continue;
    if (reference < 0 || a.dir != direction::in) reference = j;
    written = a.dir != direction::in;
  }
  if (reference < 0) return {};
  int const by = p.accesses[reference].by;
  for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
    access_record const& a = p.accesses[j];
    if (!follows_tile(a) || correspond(p.tensors[by], p.tensors[a.by])) continue;
    finding f;
    f.what = check::mappings_correspond;
    f.tensor_index = a.by;
    f.other_tensor = by;
    return f;
  }
  return {};
}

constexpr finding check_writes(program_view const& p, execute_record const& e) {
  for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
    access_record const& a = p.accesses[j];
    if (a.dir == direction::in) continue;
    finding f;
    f.tensor_index = a.tensor;
    if (p.tensors[a.tensor].parameter) f.what = check::parameter_is_constant;
    else if (p.tensors[a.tensor].map.replicated) f.what = check::output_is_not_replicated;
    if (f.found()) return f;
  }
  return {};
}

constexpr finding check_copy(program_view const& p, step_record const& step) {
  int const source = p.accesses[step.first].tensor;
  int const destination = p.accesses[step.first + 1].tensor;
  tensor_record const& from = p.tensors[source];
  tensor_record const& to = p.tensors[destination];
  bool same = from.rank == to.rank && from.type == to.type;
  for (int d = 0; d < max_rank; ++d) same &= from.extent[d] == to.extent[d];
  finding f;
  f.tensor_index = source;
  f.other_tensor = destination;
  if (source == destination) f.what = check::copy_has_two_tensors;
  else if (!same) f.what = check::copies_match;
  else if (to.parameter) {
    f.what = check::parameter_is_constant;
    f.tensor_index = destination;
  }
  return f;
}

constexpr finding check_predicate(program_view const& p, int tensor_index) {
  tensor_record const& t = p.tensors[tensor_index];
  finding f;
  f.tensor_index = tensor_index;
  f.needed = 1;
  f.available = std::int64_t{t.extent[0]} * t.extent[1] * t.extent[2] * t.extent[3];
  if (f.available != 1 || (!t.map.replicated && t.map.tiles() != 1)) f.what = check::predicate_is_uniform;
  else if (t.type != element::boolean && t.type != element::int32 && t.type != element::int64)
    f.what = check::predicate_is_integer;
  return f;
}

}  // namespace detail

/// The first step that breaks one of these rules: vertices write neither parameters nor replicated tensors, the blocks
/// of one vertex belong together, a copy changes neither shape nor type, and a predicate is one integer in one place.
constexpr finding find_nonuniform(program_view const& p) {
  for (int s = 0; s < p.step_count; ++s) {
    step_record const& step = p.steps[s];
    finding f;
    if (step.kind == step_kind::copy) f = detail::check_copy(p, step);
    if (step.kind == step_kind::while_begin || step.kind == step_kind::if_begin)
      f = detail::check_predicate(p, step.tensor);
    if (step.kind == step_kind::compute) {
      for (int i = step.first; i < step.first + step.count && !f.found(); ++i) {
        f = detail::check_writes(p, p.executes[i]);
        if (!f.found()) f = detail::check_correspondence(p, p.executes[i]);
        f.execute_a = i;
      }
    }
    f.step = s;
    if (f.found()) return f;
  }
  return {};
}

}  // namespace tessera

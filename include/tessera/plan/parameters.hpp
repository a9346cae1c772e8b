// SPDX-License-Identifier: Apache-2.0
// Whether two planned programs can share one arena of parameters: those of two capacities of a model, for example.
//
//   same_parameters(planned<P>::plan(), planned<Q>::plan())
#pragma once

#include <tessera/plan/plan_view.hpp>

namespace tessera {
namespace detail {

/// The number of the first parameter from tensor `i` on; tensor_count if there is none.
constexpr int next_parameter(program_view const& p, int i) {
  while (i < p.tensor_count && !p.tensors[i].parameter) ++i;
  return i;
}

/// How many parameters there are before a tensor.
constexpr int parameters_before(program_view const& p, int tensor) {
  int count = 0;
  for (int i = 0; i < tensor; ++i) count += p.tensors[i].parameter;
  return count;
}

/// An access that is packed when its parameter is loaded, and the execute that it belongs to.
struct packed_access {
  int execute = 0;
  int access = -1;   ///< access_count: there is none

  constexpr packed_access next(plan_view const& plan) const {
    program_view const& p = plan.program;
    packed_access n{execute, access + 1};
    while (n.access < p.access_count && plan.access[n.access].form != field_form::resident) ++n.access;
    if (n.access == p.access_count) return n;
    while (n.access < p.executes[n.execute].first_access ||
           n.access >= p.executes[n.execute].first_access + p.executes[n.execute].accesses)
      ++n.execute;
    return n;
  }
};

/// Whether every box of an access is packed: its execute runs on all tiles of the mapping that boxes are counted by, and
/// writes blocks of that mapping, so that for each box there is a tile with something to write.
constexpr bool packs_all_boxes(program_view const& p, packed_access packed) {
  execute_record const& e = p.executes[packed.execute];
  mapping_record const& by = p.tensors[p.accesses[packed.access].by].map;
  if (e.first_tile > by.first_tile || e.stride != 1 || e.last_tile < by.first_tile + by.tiles() - 1) return false;
  for (int i = e.first_access; i < e.first_access + e.accesses; ++i) {
    access_record const& a = p.accesses[i];
    if (a.dir != direction::in && a.kind == access_kind::own && p.tensors[a.by].map == by) return true;
  }
  return false;
}

/// Whether the boxes of an access, one after the other, are the panels of the whole matrix in order and without gaps
/// (a box begins at a cache line): then it does not matter into how many boxes it is split.
constexpr bool panels_in_order(program_view const& p, access_record const& a) {
  tensor_record const& t = p.tensors[a.tensor];
  bool const by_rows = a.layout.kind == layout_kind::row_panels;
  if (t.rank != 2 || (!by_rows && a.layout.kind != layout_kind::panels)) return false;
  for (dim_rule const& rule : {a.dim[0], a.dim[1]})
    if (rule.radius != 0 || rule.shift != 0 || rule.fixed >= 0 || rule.offset != 0) return false;
  dim_rule const& split = a.dim[by_rows ? 0 : 1];
  if (a.dim[by_rows ? 1 : 0].from >= 0) return false;
  if (split.from < 0) return true;
  tensor_record const& by = p.tensors[a.by];
  int const extent = t.extent[by_rows ? 0 : 1], depth = t.extent[by_rows ? 1 : 0];
  int const boxes = by.map.grid[split.from];
  if (by.extent[split.from] != extent || extent % (boxes * a.layout.width) != 0) return false;
  return boxes == 1 || std::int64_t{extent / boxes} * depth * bytes_of(t.type) % 64 == 0;
}

/// Whether two accesses of equal tensors name the same boxes in the same order.
constexpr bool same_boxes(program_view const& p, access_record const& a, program_view const& q,
                          access_record const& b) {
  if (a.kind != b.kind || a.edge != b.edge || !(a.layout == b.layout)) return false;
  for (int d = 0; d < p.tensors[a.tensor].rank; ++d) {
    dim_rule const& x = a.dim[d];
    dim_rule const& y = b.dim[d];
    if (x.from != y.from || x.radius != y.radius || x.shift != y.shift || x.fixed != y.fixed || x.offset != y.offset)
      return false;
    if (x.from < 0) continue;
    tensor_record const& by = p.tensors[a.by];
    tensor_record const& with = q.tensors[b.by];
    if (by.map.grid[x.from] != with.map.grid[x.from] || by.extent[x.from] != with.extent[x.from]) return false;
  }
  return true;
}

}  // namespace detail

/// Whether the parameters of two programs in shared memory, taken in order, are the same tensors (but for their names),
/// lie in memory alike, and are packed alike into the same boxes at load. Conservative: it may be false where other
/// accesses happen to pack the same bytes.
constexpr bool same_parameters(plan_view const& a, plan_view const& b) {
  program_view const& p = a.program;
  program_view const& q = b.program;
  if (!p.target.shared || !q.target.shared || a.parameter_bytes != b.parameter_bytes) return false;
  int i = detail::next_parameter(p, 0), j = detail::next_parameter(q, 0);
  for (; i < p.tensor_count && j < q.tensor_count;
       i = detail::next_parameter(p, i + 1), j = detail::next_parameter(q, j + 1)) {
    tensor_record const& t = p.tensors[i];
    tensor_record const& u = q.tensors[j];
    if (t.type != u.type || t.rank != u.rank || t.row_gap != u.row_gap) return false;
    for (int d = 0; d < t.rank; ++d)
      if (t.extent[d] != u.extent[d]) return false;
    if (a.parameter_offset[i] != b.parameter_offset[j]) return false;
  }
  if (i < p.tensor_count || j < q.tensor_count) return false;

  detail::packed_access x = detail::packed_access{}.next(a), y = detail::packed_access{}.next(b);
  for (; x.access < p.access_count && y.access < q.access_count; x = x.next(a), y = y.next(b)) {
    access_record const& s = p.accesses[x.access];
    access_record const& t = q.accesses[y.access];
    if (detail::parameters_before(p, s.tensor) != detail::parameters_before(q, t.tensor)) return false;
    if (a.parameter_offset[a.buffer_item(x.access)] != b.parameter_offset[b.buffer_item(y.access)]) return false;
    bool const in_order = s.layout == t.layout && detail::panels_in_order(p, s) && detail::panels_in_order(q, t);
    if (!in_order && !detail::same_boxes(p, s, q, t)) return false;
    if (!detail::packs_all_boxes(p, x) || !detail::packs_all_boxes(q, y)) return false;
  }
  return x.access == p.access_count && y.access == q.access_count;
}

}  // namespace tessera

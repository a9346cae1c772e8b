// SPDX-License-Identifier: Apache-2.0
// Whether two planned programs can share one arena of parameters: those of two capacities of a model, for example.
//
//   same_parameters(planned<P>::plan(), planned<Q>::plan())
#pragma once

#include <tessera/plan/plan_view.hpp>

namespace tessera {
namespace detail {

/// The number of the first parameter, or the first access packed at load, from `i` on; `count` if there is none.
constexpr int next_parameter(program_view const& p, int i) {
  while (i < p.tensor_count && !p.tensors[i].parameter) ++i;
  return i;
}
constexpr int next_resident(plan_view const& plan, int i) {
  while (i < plan.program.access_count && plan.access[i].form != field_form::resident) ++i;
  return i;
}

/// Whether two accesses of equal tensors name the same distinct boxes in the same order.
constexpr bool same_boxes(program_view const& p, access_record const& a, program_view const& q,
                          access_record const& b) {
  if (a.kind != b.kind || !(a.layout == b.layout)) return false;
  for (int d = 0; d < p.tensors[a.tensor].rank; ++d) {
    dim_rule const& x = a.dim[d];
    dim_rule const& y = b.dim[d];
    if ((x.from < 0) != (y.from < 0) || x.radius != y.radius || x.shift != y.shift || x.fixed != y.fixed ||
        x.offset != y.offset)
      return false;
    if (x.from < 0) continue;
    tensor_record const& by = p.tensors[a.by];
    tensor_record const& with = q.tensors[b.by];
    if (by.map.grid[x.from] != with.map.grid[y.from] || by.extent[x.from] != with.extent[y.from]) return false;
  }
  return true;
}

}  // namespace detail

/// Whether the parameters of two programs, taken in order, are the same tensors (but for their names) and lie in memory
/// alike, as do the boxes that are packed from them at load.
constexpr bool same_parameters(plan_view const& a, plan_view const& b) {
  program_view const& p = a.program;
  program_view const& q = b.program;
  if (a.parameter_bytes != b.parameter_bytes) return false;
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

  i = detail::next_resident(a, 0), j = detail::next_resident(b, 0);
  for (; i < p.access_count && j < q.access_count;
       i = detail::next_resident(a, i + 1), j = detail::next_resident(b, j + 1)) {
    if (a.parameter_offset[a.buffer_item(i)] != b.parameter_offset[b.buffer_item(j)]) return false;
    if (a.access[i].boxes != b.access[j].boxes || a.access[i].box_bytes != b.access[j].box_bytes) return false;
    if (!detail::same_boxes(p, p.accesses[i], q, q.accesses[j])) return false;
  }
  return i == p.access_count && j == q.access_count;
}

}  // namespace tessera

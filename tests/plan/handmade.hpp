// SPDX-License-Identifier: Apache-2.0
// Programs written as records, one call a record, without the typed notation: what checks of single rules need.
//
//   handmade h(8);                                     // tiles
//   int const u = h.tensor("u", {32, 16}, by_rows::record(2, 8));
//   h.compute({h.execute({h.own(u, direction::inout)})});
#pragma once

#include <initializer_list>

#include <tessera/plan/summary.hpp>

namespace tessera::handmade_programs {

struct handmade {
  program_records<record_counts{16, 48, 24, 48, 1}> records;
  int tensors = 0;
  int accesses = 0;
  int executes = 0;
  int steps = 0;

  constexpr explicit handmade(int tiles) {
    records.target = machines::host<1>::value;
    records.target.tiles = tiles;
    records.kernels[0].name = "vertex";
  }
  constexpr program_view view() const {
    return {records.target,  records.tensors, records.accesses, records.executes, records.steps,
            records.kernels, tensors,         accesses,         executes,         steps,
            1};
  }

  constexpr int tensor(char const* name, std::initializer_list<int> extents, mapping_record const& map,
                       element type = element::float32) {
    tensor_record& t = records.tensors[tensors];
    t.name = name;
    t.type = type;
    t.rank = 0;
    for (int extent : extents) t.extent[t.rank++] = extent;
    t.map = map;
    return tensors++;
  }

  constexpr access_record access(access_kind kind, int t, direction dir = direction::in) const {
    access_record a;
    a.kind = kind;
    a.dir = dir;
    a.tensor = a.by = static_cast<std::int16_t>(t);
    for (int d = 0; d < records.tensors[t].rank; ++d) a.dim[d].from = static_cast<std::int8_t>(d);
    return a;
  }
  constexpr access_record own(int t, direction dir = direction::in) const { return access(access_kind::own, t, dir); }
  constexpr access_record halo(int t, int radius, edge_rule edge = edge_rule::clip) const {
    access_record a = access(access_kind::halo, t);
    a.dim[0].radius = static_cast<std::int8_t>(radius);
    a.edge = edge;
    return a;
  }
  constexpr access_record whole(int t, direction dir = direction::in) const {
    access_record a = access(access_kind::whole, t, dir);
    for (dim_rule& rule : a.dim) rule.from = -1;
    return a;
  }
  /// The band of dimension d.
  constexpr access_record band(int t, int d, direction dir = direction::in) const {
    access_record a = access(d == 0 ? access_kind::rows : access_kind::cols, t, dir);
    a.dim[1 - d].from = -1;
    return a;
  }
  constexpr access_record block(int t, int row, int col) const {
    access_record a = access(access_kind::block, t);
    a.dim[0].fixed = static_cast<std::int16_t>(row);
    a.dim[1].fixed = static_cast<std::int16_t>(col);
    return a;
  }
  constexpr access_record neighbour(int t, int rows, direction dir = direction::in) const {
    access_record a = access(access_kind::neighbour, t, dir);
    a.dim[0].shift = static_cast<std::int16_t>(rows);
    return a;
  }
  /// The lines of t that windows over the blocks of `by` meet. Lines have `in_width` rows, images `in_height` lines, as far
  /// as t's rows allow; an image of `by` is as wide and so high that `by` has no more images than t.
  constexpr access_record window(int t, int by, int in_width, int in_height, int width, window_rule rule) const {
    access_record a = access(access_kind::window, t);
    a.by = static_cast<std::int16_t>(by);
    a.dim[1].from = -1;
    int const rows = records.tensors[t].extent[0];
    rule.in_width = rows % in_width == 0 ? in_width : 1;
    rule.in_height = rows / rule.in_width % in_height == 0 ? in_height : rows / rule.in_width;
    int const images = rows / (rule.in_width * rule.in_height);
    rule.width = width;
    rule.height = (records.tensors[by].extent[0] + images * width - 1) / (images * width);
    a.window = rule;
    return a;
  }
  constexpr access_record gather(int t, int index) const {
    access_record a = access(access_kind::gather, t);
    for (dim_rule& rule : a.dim) rule.from = -1;
    a.dim[0].from = 0;
    a.index = a.by = static_cast<std::int16_t>(index);
    return a;
  }
  constexpr access_record at(int t, box (*function)(tile), direction dir = direction::in) const {
    access_record a = access(access_kind::at, t, dir);
    a.at = function;
    return a;
  }

  /// One vertex on tiles first, first + stride, ... <= last; last = -1: the machine's last.
  constexpr int execute(std::initializer_list<access_record> fields, int first = 0, int last = -1, int stride = 1) {
    execute_record& e = records.executes[executes];
    e.kernel = 0;
    e.first_access = static_cast<std::int16_t>(accesses);
    e.accesses = static_cast<std::int16_t>(fields.size());
    for (access_record const& a : fields) records.accesses[accesses++] = a;
    e.first_tile = first;
    e.last_tile = last < 0 ? records.target.tiles - 1 : last;
    e.stride = stride;
    return executes++;
  }
  /// A compute set of the executes first ... first + count - 1.
  constexpr int compute(int first, int count = 1) {
    records.steps[steps] = {.kind = step_kind::compute, .first = first, .count = count};
    return steps++;
  }
  constexpr int copy(int source, int destination) {
    int const first = accesses;
    records.accesses[accesses++] = own(source);
    records.accesses[accesses] = own(destination, direction::out);
    records.accesses[first].by = static_cast<std::int16_t>(destination);
    ++accesses;
    records.steps[steps] = {.kind = step_kind::copy, .first = first, .count = 2};
    return steps++;
  }
  constexpr int begin(step_kind kind, int predicate = -1, int count = 0) {
    records.steps[steps] = {.kind = kind, .count = count, .tensor = static_cast<std::int16_t>(predicate)};
    return steps++;
  }
  constexpr void finish(int first, step_kind kind) {
    records.steps[first].other = steps;
    records.steps[steps++] = {.kind = kind, .other = first};
  }
  /// if_begin ... otherwise() ... end_if(); `middle` is what otherwise() returned.
  constexpr int otherwise(int first) {
    records.steps[first].other = steps;
    records.steps[steps] = {.kind = step_kind::if_else};
    return steps++;
  }
  constexpr void end_if(int first, int middle) {
    records.steps[middle].other = steps;
    records.steps[steps++] = {.kind = step_kind::if_end, .other = first};
  }
};

}  // namespace tessera::handmade_programs

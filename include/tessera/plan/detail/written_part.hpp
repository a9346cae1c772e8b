// SPDX-License-Identifier: Apache-2.0
// Which elements of a tensor are written: all, or the own blocks of some tiles and some disjoint boxes.
//
//   u by_rows of 8 rows on 4 tiles; add rows [0, 2), [2, 3), [3, 4)   ->   tile 0's block, box of rows [2, 4)
#pragma once

#include <tessera/plan/detail/bit_row.hpp>
#include <tessera/program/geometry.hpp>

namespace tessera::detail {

/// A list of boxes; `full` when there was no room for one.
struct part_list {
  static constexpr int capacity = 64;
  region part[capacity] = {};
  int count = 0;
  bool full = false;

  constexpr void add(region const& r) {
    if (count == capacity) full = true;
    else part[count++] = r;
  }
};

/// The elements of `a` that are not in `b`, as disjoint boxes.
constexpr void subtract(region a, region const& b, part_list& rest) {
  region const shared = intersect(a, b);
  if (shared.empty()) {
    rest.add(a);
    return;
  }
  for (int d = 0; d < max_rank; ++d) {
    if (a[d].first < shared[d].first) {
      region before = a;
      before[d].last = shared[d].first;
      rest.add(before);
    }
    if (shared[d].last < a[d].last) {
      region after = a;
      after[d].first = shared[d].last;
      rest.add(after);
    }
    a[d] = shared[d];
  }
}

/// Whether two disjoint boxes are one box together, which is then left in `a`.
constexpr bool join_boxes(region& a, region const& b) {
  int differs = -1;
  for (int d = 0; d < max_rank; ++d) {
    if (a[d] == b[d]) continue;
    if (differs >= 0) return false;
    differs = d;
  }
  if (differs < 0) return true;
  if (a[differs].last == b[differs].first) a[differs].last = b[differs].last;
  else if (b[differs].last == a[differs].first) a[differs].first = b[differs].first;
  else return false;
  return true;
}

/// Calls visit(tile) for every tile that owns elements of a region until it returns false.
template <class Visit>
constexpr bool all_owners(tensor_record const& t, region const& r, Visit&& visit) {
  int low[max_rank] = {};
  int high[max_rank] = {};
  for (int d = 0; d < t.rank; ++d) {
    low[d] = block_holding(t.extent[d], t.map.grid[d], r[d].first);
    high[d] = block_holding(t.extent[d], t.map.grid[d], r[d].last - 1);
  }
  int c[max_rank] = {low[0], low[1], low[2], low[3]};
  while (true) {
    int const tile_index = t.map.tile_at(c);
    if (!block_of(t, tile_index).empty() && !visit(tile_index)) return false;
    int d = max_rank - 1;
    while (d >= 0 && c[d] == high[d]) {
      c[d] = low[d];
      --d;
    }
    if (d < 0) return true;
    ++c[d];
  }
}

/// The written part of one tensor: all of it, or the own blocks of some tiles and some disjoint boxes.
template <int Tiles>
struct written_part {
  bool all = false;
  bit_row<Tiles> own;
  part_list boxes;

  constexpr bool has(tensor_record const& t, region const& r) const {
    if (all || r.empty()) return true;
    part_list rest;
    rest.add(r);
    for (int i = 0; i < boxes.count && rest.count > 0; ++i) {
      part_list left;
      for (int j = 0; j < rest.count; ++j) subtract(rest.part[j], boxes.part[i], left);
      if (left.full) break;
      rest = left;
    }
    if (t.map.replicated) return rest.count == 0;
    for (int j = 0; j < rest.count; ++j)
      if (!all_owners(t, rest.part[j], [&](int tile_index) { return own.test(tile_index); })) return false;
    return true;
  }
  constexpr void add(tensor_record const& t, region const& r) {
    if (all || r.empty()) return;
    if (r == whole_of(t)) {
      all = true;
      return;
    }
    int c[max_rank] = {};
    for (int d = 0; d < t.rank; ++d) c[d] = block_holding(t.extent[d], t.map.grid[d], r[d].first);
    int const owner = t.map.tile_at(c);
    if (!t.map.replicated && block_of(t, owner) == r) {
      own.set(owner);
      return;
    }
    part_list fresh;
    fresh.add(r);
    for (int i = 0; i < boxes.count; ++i) {
      part_list left;
      for (int j = 0; j < fresh.count; ++j) subtract(fresh.part[j], boxes.part[i], left);
      fresh = left;
    }
    boxes.full |= fresh.full;
    for (int j = 0; j < fresh.count; ++j) add_disjoint(fresh.part[j]);
  }
  /// What is written whichever of two paths was taken.
  constexpr void keep_common(tensor_record const& t, written_part const& other) {
    if (other.all) return;
    if (all) {
      *this = other;
      return;
    }
    written_part common;
    common.boxes.full = boxes.full || other.boxes.full;
    common.own = own;
    common.own.keep(other.own);
    for (int i = 0; i < boxes.count; ++i) {
      for (int j = 0; j < other.boxes.count; ++j) common.add(t, intersect(boxes.part[i], other.boxes.part[j]));
      other.add_owned(t, boxes.part[i], common);
    }
    for (int j = 0; j < other.boxes.count; ++j) add_owned(t, other.boxes.part[j], common);
    *this = common;
  }

 private:
  constexpr void add_disjoint(region r) {
    for (int i = 0; i < boxes.count; ++i) {
      if (!join_boxes(r, boxes.part[i])) continue;
      boxes.part[i] = boxes.part[--boxes.count];   // the larger box may join others in turn
      i = -1;
    }
    boxes.add(r);
  }
  /// Adds what of r lies in own blocks that are written here.
  constexpr void add_owned(tensor_record const& t, region const& r, written_part& to) const {
    if (t.map.replicated) return;
    all_owners(t, r, [&](int tile_index) {
      if (own.test(tile_index)) to.add(t, intersect(block_of(t, tile_index), r));
      return true;
    });
  }
};

}  // namespace tessera::detail

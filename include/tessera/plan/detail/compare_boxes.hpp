// SPDX-License-Identifier: Apache-2.0
// Whether the boxes of two accesses of a compute set meet, by the cheapest walk that can tell: tile by tile, by the
// owners of what is touched, against one box that is the same everywhere, or box by box.
#pragma once

#include <tessera/plan/detail/ranges.hpp>
#include <tessera/plan/finding.hpp>
#include <tessera/plan/summary.hpp>

namespace tessera {

/// Tiles up to which boxes are compared one by one.
inline constexpr int most_tiles_compared = 128;

/// Boxes in one row of a grid, at most.
inline constexpr int longest_grid_row = 512;

namespace detail {

/// One access of one execute in a compute set.
struct touch {
  int execute = -1;
  int access = -1;       ///< its number; of a gather's index: the gather's
  access_record record;
  bool own = false;      ///< the tile's own block
  bool inside = false;   ///< inside the tile's own block
  bool same = false;     ///< the same box on every tile
};

constexpr touch touch_of(program_view const& p, at_summaries const& at, int execute, int access) {
  touch t{execute, access, p.accesses[access]};
  bool const split = !p.tensors[t.record.tensor].map.replicated;
  t.own = t.record.kind == access_kind::own && t.record.by == t.record.tensor && split;
  t.inside = t.own || (t.record.kind == access_kind::at && at.of(access).inside_own);
  t.same = t.record.kind == access_kind::whole || t.record.kind == access_kind::block ||
           t.record.kind == access_kind::gather ||
           (t.record.kind != access_kind::at && p.tensors[t.record.by].map.replicated);
  return t;
}

/// The index vector that a gather reads beside the tensor.
constexpr touch index_of(program_view const& p, int execute, int access) {
  touch t{execute, access, {}};
  t.record.tensor = t.record.by = p.accesses[access].index;
  t.record.dim[0].from = 0;
  t.own = t.inside = !p.tensors[t.record.tensor].map.replicated;
  t.same = !t.own;
  return t;
}

/// What a touch covers on a tile where its vertex runs, inside the tensor; a wrapped halo may have several such boxes.
template <class Visit>
constexpr void for_each_box(program_view const& p, touch const& t, int tile_index, Visit&& visit) {
  region const all = whole_of(p.tensors[t.record.tensor]);
  if (t.record.kind == access_kind::gather) {
    if (!covered(p, t.record, tile_index).empty()) visit(all);
    return;
  }
  region const r = covered(p, t.record, tile_index);
  if (t.record.kind == access_kind::halo && t.record.edge == edge_rule::wrap && !all.contains(r)) {
    for_each_piece(p, t.record, tile_index, [&](piece const& part) { visit(part.source); });
    return;
  }
  region const inside = intersect(r, all);
  if (!inside.empty()) visit(inside);
}

constexpr finding race(program_view const&, check what, touch const& a, touch const& b, int tile_a, int tile_b,
                       region const& box) {
  finding f;
  f.what = what;
  f.tensor_index = a.record.tensor;
  f.execute_a = a.execute;
  f.execute_b = b.execute;
  f.tile_a = tile_a;
  f.tile_b = tile_b;
  f.box = box;
  return f;
}

/// Whether two boxes belong to one use of the tensor by one vertex, which may do as it likes with its own elements.
constexpr bool one_vertex(touch const& a, touch const& b, int tile_a, int tile_b, check what) {
  if (a.execute != b.execute || tile_a != tile_b) return false;
  return what == check::nobody_reads_what_another_writes || a.access == b.access;
}

/// Compares boxes tile by tile: a's tile against the same tile of b only.
constexpr finding compare_tiles(program_view const& p, touch const& a, touch const& b, check what) {
  if (one_vertex(a, b, 0, 0, what)) return {};
  execute_record const& ea = p.executes[a.execute];
  execute_record const& eb = p.executes[b.execute];
  execute_tiles const range = range_of(p, ea);
  execute_tiles const other = range_of(p, eb);
  for (int i = 0; i < range.count; ++i) {
    int const t = range.tile_at(i);
    if (!other.has_tile(t)) continue;
    region const shared = intersect(covered(p, a.record, t), covered(p, b.record, t));
    if (!shared.empty() && runs_on(p, ea, t) && runs_on(p, eb, t)) return race(p, what, a, b, t, t, shared);
  }
  return {};
}

/// b's boxes against boxes inside own blocks: only who owns what b touches can meet it.
constexpr finding compare_with_owners(program_view const& p, touch const& owner, touch const& b, check what,
                                      bool swapped) {
  tensor_record const& t = p.tensors[b.record.tensor];
  execute_record const& eo = p.executes[owner.execute];
  execute_record const& eb = p.executes[b.execute];
  execute_tiles const owners = range_of(p, eo);
  execute_tiles const range = range_of(p, eb);
  finding f;
  for (int i = 0; i < range.count && !f.found(); ++i) {
    int const tile_b = range.tile_at(i);
    for_each_box(p, b, tile_b, [&](region const& r) {
      if (f.found()) return;
      int low[max_rank] = {};
      int high[max_rank] = {};
      for (int d = 0; d < t.rank; ++d) {
        low[d] = block_holding(t.extent[d], t.map.grid[d], r[d].first);
        high[d] = block_holding(t.extent[d], t.map.grid[d], r[d].last - 1);
      }
      int c[max_rank] = {low[0], low[1], low[2], low[3]};
      while (true) {
        int const tile_a = t.map.tile_at(c);
        if (owners.has_tile(tile_a) && !one_vertex(owner, b, tile_a, tile_b, what)) {
          region const shared = intersect(owner.own ? block_of(t, tile_a) : covered(p, owner.record, tile_a), r);
          if (!shared.empty() && runs_on(p, eb, tile_b) && runs_on(p, eo, tile_a)) {
            f = swapped ? race(p, what, b, owner, tile_b, tile_a, shared)
                        : race(p, what, owner, b, tile_a, tile_b, shared);
            return;
          }
        }
        int d = max_rank - 1;
        while (d >= 0 && c[d] == high[d]) {
          c[d] = low[d];
          --d;
        }
        if (d < 0) break;
        ++c[d];
      }
    });
  }
  return f;
}

/// The boxes of a touch on the tiles where its vertex runs, ordered by first row.
struct box_list {
  region box[most_tiles_compared] = {};
  int tile_number[most_tiles_compared] = {};
  int count = 0;
  bool complete = true;

  constexpr void add(region const& r, int tile_index) {
    if (count == most_tiles_compared) {
      complete = false;
      return;
    }
    int i = count++;
    for (; i > 0 && box[i - 1][0].first > r[0].first; --i) {
      box[i] = box[i - 1];
      tile_number[i] = tile_number[i - 1];
    }
    box[i] = r;
    tile_number[i] = tile_index;
  }
};

constexpr box_list boxes_of(program_view const& p, touch const& t) {
  box_list list;
  execute_tiles const range = range_of(p, p.executes[t.execute]);
  for (int i = 0; i < range.count && list.complete; ++i) {
    int const tile_index = range.tile_at(i);
    if (!runs_on(p, p.executes[t.execute], tile_index)) continue;
    for_each_box(p, t, tile_index, [&](region const& r) { list.add(r, tile_index); });
  }
  return list;
}

/// (d): every box of a against every box of b, both ordered by first row.
constexpr finding compare_boxes(program_view const& p, touch const& a, touch const& b, check what) {
  box_list const la = boxes_of(p, a);
  box_list const lb = boxes_of(p, b);
  if (!la.complete || !lb.complete) {
    finding f = race(p, check::overlap_can_be_decided, la.complete ? b : a, la.complete ? a : b, -1, -1,
                     empty_region());
    f.available = most_tiles_compared;
    return f;
  }
  for (int i = 0; i < la.count; ++i) {
    for (int j = 0; j < lb.count && lb.box[j][0].first < la.box[i][0].last; ++j) {
      if (lb.box[j][0].last <= la.box[i][0].first) continue;
      if (one_vertex(a, b, la.tile_number[i], lb.tile_number[j], what)) continue;
      region const shared = intersect(la.box[i], lb.box[j]);
      if (shared.empty()) continue;
      int const low = la.tile_number[i] < lb.tile_number[j] ? la.tile_number[i] : lb.tile_number[j];
      int const high = la.tile_number[i] + lb.tile_number[j] - low;
      bool const ordered = a.access == b.access;   // of two that write, name the lower tile first
      return race(p, what, a, b, ordered ? low : la.tile_number[i], ordered ? high : lb.tile_number[j], shared);
    }
  }
  return {};
}

/// A box that is the same on every tile of b: any other vertex that writes in it disturbs.
constexpr finding compare_with_same(program_view const& p, touch const& a, touch const& b, check what) {
  execute_record const& ea = p.executes[a.execute];
  execute_record const& eb = p.executes[b.execute];
  execute_tiles const readers = range_of(p, eb);
  int first_b = -1;
  int second_b = -1;
  for (int i = 0; i < readers.count && second_b < 0; ++i) {
    if (!runs_on(p, eb, readers.tile_at(i)) || covered(p, b.record, readers.tile_at(i)).empty()) continue;
    (first_b < 0 ? first_b : second_b) = readers.tile_at(i);
  }
  if (first_b < 0) return {};
  region const box = b.record.kind == access_kind::gather ? whole_of(p.tensors[b.record.tensor])
                                                          : covered(p, b.record, first_b);
  execute_tiles const writers = range_of(p, ea);
  for (int i = 0; i < writers.count; ++i) {
    int const tile_a = writers.tile_at(i);
    int const tile_b = one_vertex(a, b, tile_a, first_b, what) ? second_b : first_b;
    if (tile_b < 0) continue;
    region const shared = intersect(covered(p, a.record, tile_a), box);
    if (!shared.empty() && runs_on(p, ea, tile_a)) return race(p, what, a, b, tile_a, tile_b, shared);
  }
  return {};
}

/// (c): whether the boxes of an `at` access form a grid: a row of boxes that differ in one dimension only and are in
/// order there, repeated by rows that come one after the other in the other dimensions.
constexpr bool boxes_on_grid(program_view const& p, touch const& t) {
  execute_tiles const range = range_of(p, p.executes[t.execute]);
  tensor_record const& tensor_of = p.tensors[t.record.tensor];
  int const rank = tensor_of.rank;
  int top_first[longest_grid_row] = {};   // the first row's spans in the inner dimension
  int top_last[longest_grid_row] = {};
  at_box here;
  at_box leader;
  int inner = -1;
  int period = 0;   // boxes in a row; 0 while the first row goes on
  int column = 0;
  for (int i = 0; i < range.count; ++i) {
    if (!here.read(t.record, tensor_of, range.tile_at(i), p.target.tiles)) return false;
    if (i == 0) {
      leader = here;
    } else if (i == 1) {
      for (int d = 0; d < rank; ++d)
        if (here.first[d] != leader.first[d] || here.last[d] != leader.last[d]) inner = d;
    }
    bool same_row = i > 0;
    bool next_row = false;
    for (int d = 0; d < rank; ++d) {
      if (d == inner || i == 0) continue;
      same_row &= here.first[d] == leader.first[d] && here.last[d] == leader.last[d];
      if (same_row || next_row) continue;
      if (here.first[d] < leader.last[d]) return false;
      next_row = true;
    }
    if (i > 0 && inner < 0) return false;   // two equal boxes
    if (next_row) {
      if (period == 0) period = column + 1;
      if (column + 1 != period) return false;
      column = 0;
      leader = here;
    } else if (i > 0) {
      ++column;
    }
    if (inner < 0) continue;
    if (i == 1) {
      top_first[0] = leader.first[inner];
      top_last[0] = leader.last[inner];
    }
    if (period > 0) {
      if (column >= period) return false;
      if (here.first[inner] != top_first[column] || here.last[inner] != top_last[column]) return false;
      continue;
    }
    if (column == longest_grid_row || here.first[inner] < top_last[column - 1]) return false;
    top_first[column] = here.first[inner];
    top_last[column] = here.last[inner];
  }
  return true;
}

/// Whether an access follows every split dimension of the mapping that it goes by: boxes of different tiles are apart.
constexpr bool follows_every_split(program_view const& p, access_record const& a) {
  if (a.kind == access_kind::gather || a.kind == access_kind::window || !follows_mapping(p, a)) return false;
  mapping_record const& map = p.tensors[a.by].map;
  bool followed[max_rank] = {};
  for (int d = 0; d < p.tensors[a.tensor].rank; ++d) {
    dim_rule const& rule = a.dim[d];
    if (rule.from >= 0 && rule.fixed < 0 && rule.radius == 0) followed[rule.from] = true;
  }
  for (int d = 0; d < max_rank; ++d)
    if (map.grid[d] > 1 && !followed[d]) return false;
  return true;
}

}  // namespace detail
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// What checks want to know about an access, without walking its tiles in every check: closed forms for the named
// accesses, and for `at` a summary that one walk over the tiles makes.
//
//   at(v, [](ts::tile t) { return ts::box{.rows = {2 * t.index, 2 * t.index + 2}}; }) on 4 tiles
//     ->  hull rows [0, 8), volume 8 rows, in reading order: disjoint
#pragma once

#include <utility>

#include <tessera/program/geometry.hpp>

namespace tessera {

/// Tiles that a compiler walks in one constant evaluation.
inline constexpr int tiles_a_piece = 256;

/// The tiles first, first + stride, ... of `count` tiles, all of them in the machine.
struct execute_tiles {
  int first = 0;
  int count = 0;
  int stride = 1;

  constexpr int tile_at(int i) const { return first + i * stride; }
  constexpr int last() const { return first + (count - 1) * stride; }
  constexpr bool has_tile(int t) const { return t >= first && t <= last() && (t - first) % stride == 0; }
};

/// The tiles of an execute that exist.
constexpr execute_tiles range_of(program_view const& p, execute_record const& e) {
  if (e.stride < 1) return {e.first_tile, 0, 1};
  int const first = e.first_tile < 0 ? (e.stride - e.first_tile % e.stride) % e.stride : e.first_tile;
  int const last = e.last_tile < p.target.tiles ? e.last_tile : p.target.tiles - 1;
  return {first, last < first ? 0 : (last - first) / e.stride + 1, e.stride};
}

/// The smallest region that holds two.
constexpr region hull(region const& a, region const& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  region r;
  for (int d = 0; d < max_rank; ++d)
    r[d] = {a[d].first < b[d].first ? a[d].first : b[d].first, a[d].last > b[d].last ? a[d].last : b[d].last};
  return r;
}

/// Whether b's first element comes after a's last one in row-major order.
constexpr bool comes_after(region const& a, region const& b) {
  for (int d = 0; d < max_rank; ++d) {
    if (b[d].first >= a[d].last) return true;
    if (b[d].first < a[d].last - 1) return false;
  }
  return false;
}

/// What a walk over the tiles of an `at` access finds.
struct at_summary {
  int boxes = 0;                         ///< tiles whose box is not empty
  int outside_tile = -1;                 ///< the first tile that runs and whose box leaves the tensor …
  region outside = empty_region();       ///< … with its box
  bool inside_own = true;                ///< every box lies inside the tile's own block
  bool ordered = true;                   ///< every box comes after the one before, in reading order
  region first = empty_region();         ///< the first box that is not empty …
  region last = empty_region();          ///< … and the last
  region covered = empty_region();       ///< hull of all boxes
  std::int64_t volume = 0;               ///< elements of all boxes together
  std::int64_t largest = 0;              ///< elements of the largest box …
  int largest_tile = -1;                 ///< … and where it is
};

namespace detail {

/// What a tile's box of an `at` access is, in plain numbers: compilers evaluate these much sooner than regions.
struct at_box {
  int first[max_rank] = {};
  int last[max_rank] = {};
  bool beyond = false;   ///< names a dimension that the tensor does not have

  /// Reads the box of a tile. @return false where it is empty
  constexpr bool read(access_record const& a, tensor_record const& t, int tile_index, int tiles) {
    box const b = a.at({tile_index, tiles});
    beyond = false;
    first[0] = b.rows.first;
    last[0] = b.rows.last == end ? t.extent[0] : b.rows.last;
    if (t.rank > 1) {
      first[1] = b.cols.first;
      last[1] = b.cols.last == end ? t.extent[1] : b.cols.last;
    }
    if (t.rank > 2) {
      first[2] = b.third.first;
      last[2] = b.third.last == end ? t.extent[2] : b.third.last;
    }
    if (t.rank > 3) {
      first[3] = b.fourth.first;
      last[3] = b.fourth.last == end ? t.extent[3] : b.fourth.last;
    }
    for (int d = 0; d < t.rank; ++d)
      if (first[d] >= last[d]) return false;
    if (t.rank < max_rank) look_beyond(b, t.rank);
    return true;
  }
  /// A dimension that is not there is [0, 1), or not named.
  constexpr void look_beyond(box const& b, int rank) {
    span const named[max_rank] = {b.rows, b.cols, b.third, b.fourth};
    for (int d = rank; d < max_rank; ++d) {
      bool const there = named[d] != span{} && named[d] != span{0, 1};
      first[d] = there ? named[d].first : 0;
      last[d] = there ? named[d].last : 1;
      beyond |= there;
    }
  }
  constexpr region as_region(int rank) const {
    region r;
    for (int d = 0; d < rank; ++d) r[d] = {first[d], last[d]};
    return r;
  }
};

}  // namespace detail

/// Summary of an `at` access over the tiles number `from` to `to` - 1 of its execute's range.
constexpr at_summary summarize(program_view const& p, execute_record const& e, access_record const& a, int from,
                               int to) {
  at_summary s;
  tensor_record const& t = p.tensors[a.tensor];
  execute_tiles const range = range_of(p, e);
  int const rank = t.rank;
  int inner[max_rank] = {1, 1, 1, 1};   // tiles from one block to the next of a dimension
  for (int d = max_rank - 1; d > 0; --d) inner[d - 1] = inner[d] * t.map.grid[d];
  detail::at_box here;
  detail::at_box last;
  detail::at_box most;
  s.inside_own = !t.map.replicated;
  for (int i = from; i < to; ++i) {
    int const tile_index = range.tile_at(i);
    if (!here.read(a, t, tile_index, p.target.tiles)) continue;
    int const place = tile_index - t.map.first_tile;
    if (s.inside_own) s.inside_own = place >= 0 && place < t.map.tiles();
    std::int64_t volume = 1;
    bool outside = here.beyond;
    bool open = s.boxes > 0 && s.ordered;   // whether this box comes after the last one is not known yet
    for (int d = 0; d < rank; ++d) {
      int const first = here.first[d];
      int const end_of = here.last[d];
      volume *= end_of - first;
      outside |= first < 0 || end_of > t.extent[d];
      if (s.inside_own) {
        std::int64_t const block = place / inner[d] % t.map.grid[d];
        s.inside_own = first >= t.extent[d] * block / t.map.grid[d] &&
                       end_of <= t.extent[d] * (block + 1) / t.map.grid[d];
      }
      if (open && first >= last.last[d]) open = false;
      else if (open && (first < last.last[d] - 1 || d == rank - 1)) open = s.ordered = false;
      if (s.boxes == 0 || first < most.first[d]) most.first[d] = first;
      if (s.boxes == 0 || end_of > most.last[d]) most.last[d] = end_of;
    }
    if (outside && s.outside_tile < 0 && runs_on(p, e, tile_index)) {
      s.outside_tile = tile_index;
      s.outside = here.as_region(here.beyond ? max_rank : rank);
    }
    if (s.boxes == 0) s.first = here.as_region(rank);
    last = here;
    s.volume += volume;
    if (volume > s.largest) {
      s.largest = volume;
      s.largest_tile = tile_index;
    }
    ++s.boxes;
  }
  if (s.boxes == 0) return at_summary{};
  s.last = last.as_region(rank);
  s.covered = most.as_region(rank);
  return s;
}

/// The summary of two consecutive runs of tiles.
constexpr at_summary join(at_summary const& a, at_summary const& b) {
  if (a.boxes == 0) return b;
  if (b.boxes == 0) return a;
  at_summary s = a;
  s.boxes += b.boxes;
  if (s.outside_tile < 0) {
    s.outside_tile = b.outside_tile;
    s.outside = b.outside;
  }
  s.inside_own = a.inside_own && b.inside_own;
  s.ordered = a.ordered && b.ordered && comes_after(a.last, b.first);
  s.last = b.last;
  s.covered = hull(a.covered, b.covered);
  s.volume += b.volume;
  if (b.largest > s.largest) {
    s.largest = b.largest;
    s.largest_tile = b.largest_tile;
  }
  return s;
}

/// The summaries of a program's `at` accesses, as checks see them.
struct at_summaries {
  int const* number = nullptr;           ///< access numbers, ascending
  at_summary const* summary = nullptr;   ///< one for each of them
  int count = 0;

  constexpr at_summary const& of(int access) const {
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int const middle = (low + high) / 2;
      if (number[middle] < access) low = middle + 1;
      else high = middle;
    }
    return summary[low];
  }
};

/// How many accesses of executes are `at`.
constexpr int count_at(program_view const& p) {
  int count = 0;
  for (int i = 0; i < p.execute_count; ++i)
    for (int j = 0; j < p.executes[i].accesses; ++j)
      count += p.accesses[p.executes[i].first_access + j].kind == access_kind::at ? 1 : 0;
  return count;
}

/// Where an `at` access is: its execute and its number.
struct at_place {
  int execute = -1;
  int access = -1;
};

/// The k-th `at` access.
constexpr at_place find_at(program_view const& p, int k) {
  for (int i = 0; i < p.execute_count; ++i)
    for (int j = p.executes[i].first_access; j < p.executes[i].first_access + p.executes[i].accesses; ++j)
      if (p.accesses[j].kind == access_kind::at && k-- == 0) return {i, j};
  return {};
}

/// Up to `Capacity` summaries with the memory that `at_summaries` points to.
template <int Capacity>
struct at_table {
  int number[Capacity + 1] = {};
  at_summary summary[Capacity + 1];
  int count = 0;

  constexpr at_summaries view() const { return {number, summary, count}; }
};

/// All summaries of a program that is not known to the compiler: walks every tile in one go.
template <int Capacity>
constexpr at_table<Capacity> summarize_all(program_view const& p) {
  at_table<Capacity> table;
  table.count = count_at(p);
  for (int k = 0; k < table.count; ++k) {
    at_place const place = find_at(p, k);
    execute_record const& e = p.executes[place.execute];
    table.number[k] = place.access;
    table.summary[k] = summarize(p, e, p.accesses[place.access], 0, range_of(p, e).count);
  }
  return table;
}

/// What an access that is not `at` covers at most on the tiles of a range: exact in each dimension, in closed form,
/// and clipped to the tensor. A wrapped edge and a gather may touch everything.
constexpr region hull_of(program_view const& p, execute_tiles const& range, access_record const& a) {
  tensor_record const& t = p.tensors[a.tensor];
  tensor_record const& by = p.tensors[a.by];
  if (range.count == 0) return empty_region();
  if (by.map.replicated || a.kind == access_kind::whole || a.kind == access_kind::gather) return whole_of(t);
  int const map_last = by.map.first_tile + by.map.tiles() - 1;
  bool const fixed = a.kind == access_kind::block;
  int const first = fixed || range.first < by.map.first_tile ? by.map.first_tile : range.first;
  int const last = fixed || range.last() > map_last ? map_last : range.last();
  if (last < first) return empty_region();
  int low[max_rank] = {};
  int high[max_rank] = {};
  bool same = true;   // the coordinates before this one are those of one place: row-major order goes on
  for (int d = 0; d < max_rank; ++d) {
    low[d] = same ? by.map.coordinate(first, d) : 0;
    high[d] = same ? by.map.coordinate(last, d) : by.map.grid[d] - 1;
    same = same && low[d] == high[d];
  }
  region r;
  for (int d = 0; d < t.rank; ++d) {
    dim_rule const& rule = a.dim[d];
    span const all{0, t.extent[d]};
    r[d] = all;
    if (rule.from < 0) continue;
    int const parts = by.map.grid[rule.from];
    int c0 = rule.fixed >= 0 ? rule.fixed : low[rule.from] + rule.shift;
    int c1 = rule.fixed >= 0 ? rule.fixed : high[rule.from] + rule.shift;
    if (a.edge == edge_rule::wrap && (c0 < 0 || c1 >= parts)) continue;
    c0 = c0 < 0 ? 0 : c0;
    c1 = c1 >= parts ? parts - 1 : c1;
    if (c1 < c0) return empty_region();
    if (a.kind == access_kind::window && d == 0) {
      r[d] = a.window.of({block_span(by.extent[0], parts, c0).first, block_span(by.extent[0], parts, c1).last});
      continue;
    }
    span const s{block_span(by.extent[rule.from], parts, c0).first + rule.offset - rule.radius,
                 block_span(by.extent[rule.from], parts, c1).last + rule.offset + rule.radius};
    if (a.edge == edge_rule::wrap && !all.contains(s)) continue;
    r[d] = intersect(s, all);
  }
  return r.empty() ? empty_region() : r;
}

/// The same for any access of an execute.
constexpr region hull_of(program_view const& p, at_summaries const& at, execute_record const& e, int access) {
  access_record const& a = p.accesses[access];
  return a.kind == access_kind::at ? at.of(access).covered : hull_of(p, range_of(p, e), a);
}

namespace detail {

/// A summary in pieces, each a constant evaluation of its own.
template <class Program, int K, int Piece>
inline constexpr at_summary at_piece = [] {
  constexpr at_place place = find_at(Program::view(), K);
  constexpr execute_record const& e = Program::view().executes[place.execute];
  constexpr int count = range_of(Program::view(), e).count;
  constexpr int last = (Piece + 1) * tiles_a_piece;
  return summarize(Program::view(), e, Program::view().accesses[place.access], Piece * tiles_a_piece,
                   last < count ? last : count);
}();

template <class Program, int K, int... Pieces>
constexpr at_summary join_pieces(std::integer_sequence<int, Pieces...>) {
  at_summary s;
  ((s = join(s, at_piece<Program, K, Pieces>)), ...);
  return s;
}

template <class Program, int K>
inline constexpr int at_pieces = [] {
  execute_record const& e = Program::view().executes[find_at(Program::view(), K).execute];
  return (range_of(Program::view(), e).count + tiles_a_piece - 1) / tiles_a_piece;
}();

template <class Program, int... K>
constexpr at_table<sizeof...(K)> summarize_each(std::integer_sequence<int, K...>) {
  return {{find_at(Program::view(), K).access..., 0},
          {join_pieces<Program, K>(std::make_integer_sequence<int, at_pieces<Program, K>>{})..., at_summary{}},
          sizeof...(K)};
}

}  // namespace detail

/// The summaries of a program that the compiler knows. `Program::view()` is a constant expression.
template <class Program>
inline constexpr auto summaries_of =
    detail::summarize_each<Program>(std::make_integer_sequence<int, count_at(Program::view())>{});

}  // namespace tessera

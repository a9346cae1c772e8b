// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include <tessera/plan/races.hpp>

#include "handmade.hpp"

using namespace tessera;
using handmade_programs::handmade;

namespace {

finding race_in(handmade const& h) {
  at_table<48> const table = summarize_all<48>(h.view());
  return find_races(h.view(), table.view());
}

constexpr direction in = direction::in;
constexpr direction out = direction::out;
constexpr direction inout = direction::inout;

constexpr box two_rows(tile t) { return {{2 * t.index, 2 * t.index + 2}, {}, {}, {}}; }
constexpr box three_rows(tile t) { return {{2 * t.index, 2 * t.index + 3}, {}, {}, {}}; }
constexpr box reversed_rows(tile t) { return {{2 * (t.count - 1 - t.index), 2 * (t.count - t.index)}, {}, {}, {}}; }
constexpr box quarter(tile t) {
  return {{8 * (t.index / 2), 8 * (t.index / 2) + 8}, {8 * (t.index % 2), 8 * (t.index % 2) + 8}, {}, {}};
}
constexpr box wide_quarter(tile t) {
  return {{8 * (t.index / 2), 8 * (t.index / 2) + 8}, {8 * (t.index % 2), 8 * (t.index % 2) + 9}, {}, {}};
}
constexpr box columns(tile t) { return {{}, {t.index, t.index + 1}, {}, {}}; }
constexpr box scattered(tile t) { return {{t.index * 7 % t.count, t.index * 7 % t.count + 1}, {}, {}, {}}; }
constexpr box corner(tile) { return {{0, 1}, {0, 1}, {}, {}}; }

/// What each vertex covers, element by element: the definition of the rule, for tensors of up to two dimensions.
bool races_by_definition(program_view const& p) {
  for (int s = 0; s < p.step_count; ++s) {
    step_record const& step = p.steps[s];
    if (step.kind != step_kind::compute) continue;
    for (int t = 0; t < p.tensor_count; ++t) {
      if (p.tensors[t].map.replicated) continue;
      int const rows = p.tensors[t].extent[0];
      int const cols = p.tensors[t].extent[1];
      std::vector<std::vector<int>> writers(rows * cols);
      std::vector<std::vector<int>> readers(rows * cols);
      auto const mark = [&](std::vector<std::vector<int>>& who, region const& r, int vertex) {
        for (int i = r[0].first; i < r[0].last; ++i)
          for (int j = r[1].first; j < r[1].last; ++j) who[i * cols + j].push_back(vertex);
      };
      for (int i = step.first; i < step.first + step.count; ++i) {
        execute_record const& e = p.executes[i];
        for (int tile_index = 0; tile_index < p.target.tiles; ++tile_index) {
          if (!runs_on(p, e, tile_index)) continue;
          int const vertex = i * p.target.tiles + tile_index;
          for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
            access_record const& a = p.accesses[j];
            if (a.kind == access_kind::gather && a.index == t)
              mark(readers, block_of(p.tensors[t], tile_index), vertex);
            if (a.tensor != t) continue;
            for_each_piece(p, a, tile_index, [&](piece const& part) {
              if (a.dir != in) mark(writers, part.source, vertex);
              if (a.dir != out) mark(readers, part.source, vertex);
            });
          }
        }
      }
      for (int k = 0; k < rows * cols; ++k) {
        if (writers[k].size() > 1) return true;
        for (int writer : writers[k])
          for (int reader : readers[k])
            if (reader != writer) return true;
      }
    }
  }
  return false;
}

}  // namespace

TEST_CASE("Own blocks do not meet, overlapping boxes do") {
  handmade h(8);
  int const u = h.tensor("u", {16, 16}, by_rows::record(2, 8));
  int const v = h.tensor("v", {16, 16}, by_rows::record(2, 8));
  h.compute(h.execute({h.halo(u, 1), h.own(v, out)}));
  CHECK_FALSE(race_in(h).found());
  h.compute(h.execute({h.own(u), h.at(v, two_rows, out)}));
  CHECK_FALSE(race_in(h).found());
  h.compute(h.execute({h.own(u), h.at(v, three_rows, out)}));
  finding const f = race_in(h);
  CHECK(f.what == check::one_writer);
  CHECK(f.step == 2);
  CHECK(f.tensor_index == v);
  CHECK(f.tile_a == 0);
  CHECK(f.tile_b == 1);
  CHECK(f.box == region{{{2, 3}, {0, 16}, {0, 1}, {0, 1}}});
}

TEST_CASE("Ranges of tiles that overlap write twice") {
  handmade h(8);
  int const u = h.tensor("u", {16, 16}, by_rows::record(2, 8));
  int const a = h.execute({h.own(u, out)}, 0, 3);
  h.execute({h.own(u, out)}, 4, 7);
  h.compute(a, 2);
  CHECK_FALSE(race_in(h).found());
  h.records.executes[1].first_tile = 3;
  finding const f = race_in(h);
  CHECK(f.what == check::one_writer);
  CHECK(f.tile_a == 3);
  CHECK(f.tile_b == 3);
  CHECK(f.execute_a == 0);
  CHECK(f.execute_b == 1);
  CHECK(f.box[0] == span{6, 8});
  SUBCASE("interleaved ranges share no tile") {
    for (int i = 0; i < 2; ++i) {
      h.records.executes[i].first_tile = i;
      h.records.executes[i].last_tile = 7;
      h.records.executes[i].stride = 2;
    }
    CHECK_FALSE(race_in(h).found());
  }
}

TEST_CASE("A vertex may read its own inout, but not its neighbour's") {
  handmade h(8);
  int const u = h.tensor("u", {16, 16}, by_rows::record(2, 8));
  h.compute(h.execute({h.own(u, inout), h.own(u)}));
  CHECK_FALSE(race_in(h).found());
  h.compute(h.execute({h.own(u, inout), h.halo(u, 1)}));
  finding const f = race_in(h);
  CHECK(f.what == check::nobody_reads_what_another_writes);
  CHECK(f.step == 1);
  CHECK(f.tile_a == 1);   // writes
  CHECK(f.tile_b == 0);   // reads
  CHECK(f.box[0] == span{2, 3});
}

TEST_CASE("A wrapped halo meets the other end") {
  handmade h(4);
  int const u = h.tensor("u", {16, 4}, by_rows::record(2, 4));
  int const v = h.tensor("v", {16, 4}, by_rows::record(2, 4));
  // Tile 0 reads; tile 3 writes: they meet across the edge only.
  int const a = h.execute({h.halo(u, 1, edge_rule::wrap), h.own(v, out)}, 0, 0);
  h.execute({h.own(u, out)}, 3, 3);
  h.compute(a, 2);
  finding const f = race_in(h);
  CHECK(f.what == check::nobody_reads_what_another_writes);
  CHECK(f.tile_a == 3);
  CHECK(f.tile_b == 0);
  CHECK(f.box[0] == span{15, 16});
  h.records.accesses[0].edge = edge_rule::clip;
  CHECK_FALSE(race_in(h).found());
}

TEST_CASE("A gather reads everything, and its index") {
  handmade h(4);
  int const table = h.tensor("table", {16, 4}, by_rows::record(2, 4));
  int const ids = h.tensor("ids", {8}, by_rows::record(1, 4), element::int32);
  int const rows = h.tensor("rows", {8, 4}, by_rows::record(2, 4));
  h.compute(h.execute({h.gather(table, ids), h.own(rows, out)}));
  CHECK_FALSE(race_in(h).found());
  SUBCASE("the table is written in the same set") {
    h.compute(h.execute({h.gather(table, ids), h.own(table, inout)}));
    finding const f = race_in(h);
    CHECK(f.what == check::nobody_reads_what_another_writes);
    CHECK(f.tensor_index == table);
    CHECK(f.tile_a == 0);
    CHECK(f.tile_b == 1);
  }
  SUBCASE("one vertex on one tile may gather from what it writes") {
    h.compute(h.execute({h.gather(table, ids), h.own(table, inout)}, 2, 2));
    CHECK_FALSE(race_in(h).found());
  }
  SUBCASE("the index is written in the same set by another vertex") {
    int const a = h.execute({h.gather(table, ids), h.own(rows, out)});
    h.execute({h.own(ids, out)});
    h.compute(a, 2);
    finding const f = race_in(h);
    CHECK(f.what == check::nobody_reads_what_another_writes);
    CHECK(f.tensor_index == ids);
  }
}

TEST_CASE("What is the same on every tile has one writer at most") {
  handmade h(4);
  int const u = h.tensor("u", {16, 16}, by_blocks<2, 2>::record(2, 4));
  int const v = h.tensor("v", {16, 16}, by_blocks<2, 2>::record(2, 4));
  SUBCASE("whole") {
    h.compute(h.execute({h.own(u), h.whole(v, out)}));
    CHECK(race_in(h).what == check::one_writer);
    h.records.executes[0].last_tile = 0;
    CHECK_FALSE(race_in(h).found());
  }
  SUBCASE("bands of a grid") {
    h.compute(h.execute({h.own(u), h.band(v, 0, out)}));
    finding const f = race_in(h);
    CHECK(f.what == check::one_writer);
    CHECK(f.tile_a == 0);
    CHECK(f.tile_b == 1);
  }
  SUBCASE("a neighbour's block") {
    h.compute(h.execute({h.own(u), h.neighbour(v, 1, out)}));
    CHECK_FALSE(race_in(h).found());
  }
  SUBCASE("one element") {
    h.compute(h.execute({h.own(u), h.at(v, corner, out)}));
    CHECK(race_in(h).what == check::one_writer);
  }
}

TEST_CASE("Boxes in order or on a grid are disjoint on any machine") {
  handmade h(512);
  int const narrow = h.tensor("n", {1024, 4}, by_rows::record(2, 512));
  int const wide = h.tensor("w", {4, 1024}, by_cols::record(2, 512));
  int const square = h.tensor("s", {2048, 16}, by_rows::record(2, 512));
  int const ones = h.tensor("o", {512, 4}, by_rows::record(2, 512));
  auto const alone = [&](access_record const& a) {
    handmade one = h;
    one.compute(one.execute({a}));
    return race_in(one).what;
  };
  CHECK(alone(h.at(narrow, two_rows, out)) == check::none);
  CHECK(alone(h.at(wide, columns, out)) == check::none);
  CHECK(alone(h.at(square, quarter, out)) == check::none);
  CHECK(alone(h.at(narrow, three_rows, out)) == check::overlap_can_be_decided);
  CHECK(alone(h.at(square, wide_quarter, out)) == check::overlap_can_be_decided);
  CHECK(alone(h.at(narrow, reversed_rows, out)) == check::overlap_can_be_decided);
  CHECK(alone(h.at(ones, scattered, out)) == check::overlap_can_be_decided);
}

TEST_CASE("Up to 128 tiles any boxes are compared") {
  handmade h(128);
  int const narrow = h.tensor("n", {257, 4}, by_rows::record(2, 128));
  int const square = h.tensor("s", {512, 17}, by_rows::record(2, 128));
  int const ones = h.tensor("o", {128, 4}, by_rows::record(2, 128));
  auto const alone = [&](access_record const& a) {
    handmade one = h;
    one.compute(one.execute({a}));
    return race_in(one).what;
  };
  CHECK(alone(h.at(narrow, reversed_rows, out)) == check::none);
  CHECK(alone(h.at(ones, scattered, out)) == check::none);
  CHECK(alone(h.at(narrow, three_rows, out)) == check::one_writer);
  CHECK(alone(h.at(square, wide_quarter, out)) == check::one_writer);
}

TEST_CASE("Closed forms leave open what they cannot tell, and never find a race that is none") {
  handmade h(8);
  int const u = h.tensor("u", {16, 16}, by_rows::record(2, 8));
  int const v = h.tensor("v", {16, 16}, by_rows::record(2, 8));
  h.compute(h.execute({h.halo(u, 1), h.own(v, out)}));
  h.compute(h.execute({h.halo(u, 1), h.own(u, out)}));
  h.compute(h.execute({h.own(v), h.at(u, reversed_rows, out)}));
  at_table<48> const table = summarize_all<48>(h.view());
  auto const open = find_races_in_closed_form<48>(h.view(), table.view());
  CHECK_FALSE(open.first.found());
  CHECK(open.count == 2);
  CHECK(open.step[0] == 1);
  CHECK(open.step[1] == 2);
}

TEST_CASE("The checks agree with the definition on random compute sets") {
  std::mt19937 random(20240817);
  auto const pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int racing = 0;
  for (int round = 0; round < 4000; ++round) {
    int const tiles = 1 + pick(7);
    handmade h(tiles);
    mapping_record maps[] = {by_rows::record(2, tiles), by_cols::record(2, tiles), on_tile<0>::record(2, tiles),
                             {0, {1 + (tiles > 3), tiles / (1 + (tiles > 3)), 1, 1}, false}};
    maps[2].first_tile = pick(tiles);
    int const count = 1 + pick(2);
    for (int t = 0; t < count; ++t) h.tensor("t", {1 + pick(9), 1 + pick(9)}, maps[pick(4)]);
    int const ids = h.tensor("ids", {1 + pick(9), 1}, by_rows::record(1, tiles), element::int32);
    box (*const boxes[])(tile) = {
        [](tile t) { return box{{t.index, t.index + 1}, {}, {}, {}}; },
        [](tile t) { return box{{t.index / 2, t.index / 2 + 1}, {t.index % 2, t.index % 2 + 1}, {}, {}}; },
        [](tile t) { return box{{t.count - 1 - t.index, t.count - t.index}, {0, 2}, {}, {}}; },
        [](tile t) { return box{{t.index, t.index + 2}, {0, 1}, {}, {}}; },
        [](tile t) { return box{{0, 1}, {t.index, t.index + 1}, {}, {}}; },
        [](tile t) { return box{{t.index % 3, t.index % 3 + 1}, {t.index / 3, t.index / 3 + 1}, {}, {}}; }};
    auto const inside = [&](access_record const& a) {
      for (int t = 0; t < tiles; ++t)
        if (!whole_of(h.records.tensors[a.tensor]).contains(covered(h.view(), a, t))) return false;
      return true;
    };
    auto const some_access = [&](bool written) {
      while (true) {
        int const t = pick(count);
        direction const dir = written ? (pick(2) == 0 ? out : inout) : in;
        switch (pick(10)) {
          case 9:
            if (!written)
              return h.window(t, pick(count), 1 + pick(3), 1 + pick(3), 1 + pick(3),
                              {.stride = pick(3), .before = pick(3), .reach = 1 + pick(4)});
            break;
          case 0:
          case 1: return h.own(t, dir);
          case 2: return h.whole(t, dir);
          case 3: return h.band(t, pick(2), dir);
          case 4: return h.neighbour(t, pick(3) - 1, dir);
          case 5: {
            access_record a = h.access(access_kind::halo, t);
            a.dim[0].radius = static_cast<std::int8_t>(pick(2));
            a.dim[1].radius = static_cast<std::int8_t>(pick(2));
            a.edge = static_cast<edge_rule>(pick(4));
            if (!written) return a;
            break;
          }
          case 6:
            if (!written) return h.gather(t, ids);
            break;
          default: {
            access_record const a = h.at(t, boxes[pick(6)], dir);
            if (inside(a)) return a;
          }
        }
      }
    };
    int const first = h.executes;
    int const vertices = 1 + pick(2);
    for (int i = 0; i < vertices; ++i) {
      int const from = pick(tiles);
      int const last = from + pick(tiles - from);
      access_record const written = some_access(true);
      int const extra = pick(3);
      if (extra == 0) h.execute({written}, from, last, 1 + pick(2));
      else if (extra == 1) h.execute({written, some_access(false)}, from, last, 1 + pick(2));
      else h.execute({some_access(false), written, some_access(pick(4) == 0)}, from, last, 1 + pick(2));
    }
    h.compute(first, vertices);
    bool const expected = races_by_definition(h.view());
    racing += expected ? 1 : 0;
    CAPTURE(round);
    CHECK(race_in(h).found() == expected);
  }
  CHECK(racing > 800);
  CHECK(racing < 3200);
}

namespace {

struct many_tiles {
  static constexpr handmade records = [] {
    handmade h(1472);
    int const u = h.tensor("u", {2944, 16}, by_rows::record(2, 1472));
    int const v = h.tensor("v", {2944, 16}, by_rows::record(2, 1472));
    int const w = h.tensor("w", {8 * 736, 16}, by_rows::record(2, 1472));
    h.compute(h.execute({h.halo(u, 1), h.own(v, out)}));
    h.compute(h.execute({h.own(v), h.at(u, two_rows, out)}));
    h.compute(h.execute({h.own(v), h.at(w, quarter, out)}));
    return h;
  }();
  static constexpr program_view view() { return records.view(); }
};
static_assert(!race_of<many_tiles>.found());

struct race_on_many_tiles {
  static constexpr handmade records = [] {
    handmade h(1472);
    int const u = h.tensor("u", {2944, 16}, by_rows::record(2, 1472));
    h.compute(h.execute({h.halo(u, 1), h.own(u, inout)}));
    return h;
  }();
  static constexpr program_view view() { return records.view(); }
};
static_assert(race_of<race_on_many_tiles>.what == check::nobody_reads_what_another_writes);

}  // namespace

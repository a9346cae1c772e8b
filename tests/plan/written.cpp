// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include <tessera/plan/written.hpp>

#include "handmade.hpp"

using namespace tessera;
using handmade_programs::handmade;

namespace {

finding unwritten(handmade const& h) {
  at_table<48> const table = summarize_all<48>(h.view());
  return find_unwritten<16, 8>(h.view(), table.view());
}

constexpr direction in = direction::in;
constexpr direction out = direction::out;
constexpr direction inout = direction::inout;

constexpr box first_half(tile t) { return {{t.index, t.index + 1}, {0, 2}, {}, {}}; }
constexpr box second_half(tile t) { return {{t.index, t.index + 1}, {2, 4}, {}, {}}; }

struct square {
  handmade h{8};
  int u = h.tensor("u", {16, 16}, by_rows::record(2, 8));
  int v = h.tensor("v", {16, 16}, by_rows::record(2, 8));
};

}  // namespace

TEST_CASE("What nothing wrote cannot be read") {
  square s;
  s.h.compute(s.h.execute({s.h.halo(s.u, 1), s.h.own(s.v, out)}));
  finding const f = unwritten(s.h);
  CHECK(f.what == check::written_before_read);
  CHECK(f.step == 0);
  CHECK(f.tensor_index == s.u);
  CHECK(f.tile_a == 0);
  CHECK(f.box == region{{{0, 3}, {0, 16}, {0, 1}, {0, 1}}});
  SUBCASE("an input is written by the host") { s.h.records.tensors[s.u].input = true; }
  SUBCASE("a parameter too") { s.h.records.tensors[s.u].parameter = true; }
  SUBCASE("a vertex may have written it") {
    handmade h = square{}.h;
    h.compute(h.execute({h.own(s.u, out)}));
    h.compute(h.execute({h.halo(s.u, 1), h.own(s.v, out)}));
    s.h = h;
  }
  CHECK_FALSE(unwritten(s.h).found());
}

TEST_CASE("An inout is read before it is written") {
  square s;
  s.h.compute(s.h.execute({s.h.own(s.u, inout)}));
  CHECK(unwritten(s.h).what == check::written_before_read);
}

TEST_CASE("A copy and a predicate read everything") {
  square s;
  s.h.compute(s.h.execute({s.h.own(s.u, out)}, 0, 6));
  s.h.copy(s.u, s.v);
  finding f = unwritten(s.h);
  CHECK(f.what == check::written_before_read);
  CHECK(f.step == 1);
  CHECK(f.tile_a == -1);

  handmade h(4);
  int const go = h.tensor("go", {1}, on_tile<2>::record(1, 4), element::boolean);
  int const loop = h.begin(step_kind::while_begin, go);
  h.finish(loop, step_kind::while_end);
  f = unwritten(h);
  CHECK(f.what == check::written_before_read);
  CHECK(f.tensor_index == go);
  h.records.tensors[go].input = true;
  CHECK_FALSE(unwritten(h).found());
}

TEST_CASE("Ranges of tiles write parts, which add up") {
  square s;
  s.h.compute(s.h.execute({s.h.own(s.u, out)}, 0, 7, 2));
  SUBCASE("the parts suffice") {
    s.h.compute(s.h.execute({s.h.own(s.u), s.h.own(s.v, out)}, 0, 7, 2));
    CHECK_FALSE(unwritten(s.h).found());
  }
  SUBCASE("a halo wants the other tiles' too") {
    s.h.compute(s.h.execute({s.h.halo(s.u, 1), s.h.own(s.v, out)}, 2, 2));
    finding const f = unwritten(s.h);
    CHECK(f.what == check::written_before_read);
    CHECK(f.tile_a == 2);
    CHECK(f.box[0] == span{3, 7});
  }
  SUBCASE("the odd tiles follow") {
    s.h.compute(s.h.execute({s.h.own(s.u, out)}, 1, 7, 2));
    s.h.compute(s.h.execute({s.h.halo(s.u, 9), s.h.own(s.v, out)}));
    CHECK_FALSE(unwritten(s.h).found());
  }
}

TEST_CASE("Boxes of at() add up, too") {
  handmade h(8);
  int const u = h.tensor("u", {8, 4}, by_rows::record(2, 8));
  int const v = h.tensor("v", {8, 4}, by_rows::record(2, 8));
  h.compute(h.execute({h.at(u, first_half, out)}));
  handmade only_half = h;
  only_half.compute(only_half.execute({only_half.own(u), only_half.own(v, out)}));
  CHECK(unwritten(only_half).what == check::written_before_read);
  h.compute(h.execute({h.at(u, second_half, out)}));
  h.compute(h.execute({h.whole(u), h.own(v, out)}));
  CHECK_FALSE(unwritten(h).found());
}

TEST_CASE("A branch has written what both sides wrote") {
  square s;
  int const go = s.h.tensor("go", {1}, on_tile<0>::record(1, 8), element::boolean);
  s.h.records.tensors[go].input = true;
  int const branch = s.h.begin(step_kind::if_begin, go);
  s.h.compute(s.h.execute({s.h.own(s.u, out)}));
  int const middle = s.h.otherwise(branch);
  SUBCASE("only one side") {
    s.h.end_if(branch, middle);
    s.h.compute(s.h.execute({s.h.own(s.u), s.h.own(s.v, out)}));
    CHECK(unwritten(s.h).what == check::written_before_read);
  }
  SUBCASE("both") {
    s.h.compute(s.h.execute({s.h.own(s.u, out)}, 0, 3));
    s.h.compute(s.h.execute({s.h.own(s.u, out)}, 4, 7));
    s.h.end_if(branch, middle);
    s.h.compute(s.h.execute({s.h.own(s.u), s.h.own(s.v, out)}));
    CHECK_FALSE(unwritten(s.h).found());
  }
  SUBCASE("both, as far as the vertex reads") {
    s.h.compute(s.h.execute({s.h.own(s.u, out)}, 0, 3));
    s.h.end_if(branch, middle);
    s.h.compute(s.h.execute({s.h.own(s.u), s.h.own(s.v, out)}, 1, 3));
    CHECK_FALSE(unwritten(s.h).found());
    s.h.compute(s.h.execute({s.h.own(s.u), s.h.own(s.v, out)}, 1, 4));
    CHECK(unwritten(s.h).tile_a == 4);
  }
}

TEST_CASE("A while loop may never run; a repeat runs at least once") {
  square s;
  int const go = s.h.tensor("go", {1}, on_tile<0>::record(1, 8), element::boolean);
  s.h.records.tensors[go].input = true;
  handmade looped = s.h;
  int const loop = looped.begin(step_kind::while_begin, go);
  looped.compute(looped.execute({looped.own(s.u, out)}));
  looped.finish(loop, step_kind::while_end);
  looped.compute(looped.execute({looped.own(s.u), looped.own(s.v, out)}));
  CHECK(unwritten(looped).what == check::written_before_read);

  handmade repeated = s.h;
  int const begin = repeated.begin(step_kind::repeat_begin, -1, 3);
  repeated.compute(repeated.execute({repeated.own(s.u, out)}));
  repeated.finish(begin, step_kind::repeat_end);
  repeated.compute(repeated.execute({repeated.own(s.u), repeated.own(s.v, out)}));
  CHECK_FALSE(unwritten(repeated).found());
}

TEST_CASE("Outputs are written when the program ends") {
  square s;
  s.h.records.tensors[s.u].output = true;
  finding f = unwritten(s.h);
  CHECK(f.what == check::outputs_are_written);
  CHECK(f.tensor_index == s.u);
  CHECK(f.tile_a == 0);
  s.h.compute(s.h.execute({s.h.own(s.u, out)}, 0, 5));
  f = unwritten(s.h);
  CHECK(f.what == check::outputs_are_written);
  CHECK(f.tile_a == 6);
  CHECK(f.box[0] == span{12, 14});
  s.h.records.tensors[s.u].input = true;
  CHECK_FALSE(unwritten(s.h).found());
}

TEST_CASE("A gather reads all rows and its index") {
  handmade h(8);
  int const table = h.tensor("table", {16, 4}, by_rows::record(2, 8));
  int const ids = h.tensor("ids", {8}, by_rows::record(1, 8), element::int32);
  int const rows = h.tensor("rows", {8, 4}, by_rows::record(2, 8));
  h.records.tensors[table].input = true;
  h.compute(h.execute({h.gather(table, ids), h.own(rows, out)}));
  CHECK(unwritten(h).tensor_index == ids);
  h.records.tensors[ids].input = true;
  CHECK_FALSE(unwritten(h).found());
  h.records.tensors[table].input = false;
  CHECK(unwritten(h).tensor_index == table);
}

namespace {

/// The written elements of every tensor, and whether something else was read.
struct memory_image {
  std::vector<std::vector<char>> written;
  bool bad = false;
};

bool mark(memory_image const& image, int t, region const& r, int cols, std::vector<std::vector<char>>* to) {
  bool all = true;
  for (int i = r[0].first; i < r[0].last; ++i)
    for (int j = r[1].first; j < r[1].last; ++j) {
      all &= image.written[t][i * cols + j] != 0;
      if (to != nullptr) (*to)[t][i * cols + j] = 1;
    }
  return all;
}

/// The definition: walks the steps with one flag an element; both sides of branches, loops at their least.
void walk(program_view const& p, memory_image& image, int from, int to) {
  auto const cols = [&](int t) { return p.tensors[t].extent[1]; };
  auto const read = [&](int t, region const& r) { image.bad |= !mark(image, t, r, cols(t), nullptr); };
  for (int i = from; i < to; ++i) {
    step_record const& s = p.steps[i];
    if (s.kind == step_kind::compute) {
      std::vector<std::vector<char>> after = image.written;
      for (int k = s.first; k < s.first + s.count; ++k) {
        execute_record const& e = p.executes[k];
        for (int tile_index = 0; tile_index < p.target.tiles; ++tile_index) {
          if (!runs_on(p, e, tile_index)) continue;
          for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
            access_record const& a = p.accesses[j];
            for_each_piece(p, a, tile_index, [&](piece const& part) {
              if (a.dir != out) read(a.tensor, part.source);
              if (a.dir != in) mark(image, a.tensor, part.source, cols(a.tensor), &after);
            });
          }
        }
      }
      image.written = after;
    } else if (s.kind == step_kind::copy) {
      read(p.accesses[s.first].tensor, whole_of(p.tensors[p.accesses[s.first].tensor]));
      int const t = p.accesses[s.first + 1].tensor;
      std::vector<std::vector<char>> after = image.written;
      mark(image, t, whole_of(p.tensors[t]), cols(t), &after);
      image.written = after;
    } else if (s.kind == step_kind::while_begin) {
      read(s.tensor, whole_of(p.tensors[s.tensor]));
      memory_image body = image;
      walk(p, body, i + 1, s.other);
      image.bad |= body.bad;
      i = s.other;
    } else if (s.kind == step_kind::if_begin) {
      read(s.tensor, whole_of(p.tensors[s.tensor]));
      int const middle = s.other;
      memory_image otherwise = image;
      walk(p, image, i + 1, middle);
      walk(p, otherwise, middle + 1, p.steps[middle].other);
      image.bad |= otherwise.bad;
      for (std::size_t t = 0; t < image.written.size(); ++t)
        for (std::size_t k = 0; k < image.written[t].size(); ++k) image.written[t][k] &= otherwise.written[t][k];
      i = p.steps[middle].other;
    }
  }
}

bool unwritten_by_definition(program_view const& p) {
  memory_image image;
  for (int t = 0; t < p.tensor_count; ++t)
    image.written.emplace_back(p.tensors[t].extent[0] * p.tensors[t].extent[1], p.tensors[t].input ? 1 : 0);
  walk(p, image, 0, p.step_count);
  for (int t = 0; t < p.tensor_count; ++t)
    if (p.tensors[t].output)
      for (char written : image.written[t]) image.bad |= written == 0;
  return image.bad;
}

struct generator {
  std::mt19937 random{7};
  int pick(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

  void step(handmade& h, int depth) {
    int const tensors = h.tensors - 1;
    int const predicate = h.tensors - 1;
    int const kind = pick(depth > 0 ? 9 : 6);
    if (h.steps > 30 || kind < 5) {
      int const from = pick(h.records.target.tiles);
      int const last = from + pick(h.records.target.tiles - from);
      int const t = pick(tensors);
      access_record written = pick(3) == 0 ? h.neighbour(t, pick(2), out) : h.own(t, out);
      if (pick(4) == 0) written = h.band(t, 0, out);
      if (pick(4) == 0) written = h.at(t, pick(2) == 0 ? first_half : second_half, out);
      if (pick(8) == 0) written.dir = inout;
      int const u = pick(tensors);
      access_record read = pick(2) == 0 ? h.own(u) : h.halo(u, pick(3), static_cast<edge_rule>(pick(4)));
      if (pick(8) == 0) read = h.whole(u);
      if (pick(8) == 0)
        read = h.window(u, t, 1 + pick(2), 1 + pick(3), 1 + pick(2), {.stride = pick(3), .before = pick(2), .reach = 1 + pick(3)});
      bool const all = pick(3) > 0;
      if (pick(3) > 0) h.compute(h.execute({written}, all ? 0 : from, all ? -1 : last, 1 + (pick(4) == 0)));
      else h.compute(h.execute({read, written}, all ? 0 : from, all ? -1 : last, 1 + (pick(4) == 0)));
    } else if (kind == 5) {
      int const a = pick(tensors);
      int const b = pick(tensors);
      if (a != b) h.copy(a, b);
    } else if (kind == 6) {
      int const begin = h.begin(step_kind::repeat_begin, -1, 2);
      for (int i = pick(3); i >= 0; --i) step(h, depth - 1);
      h.finish(begin, step_kind::repeat_end);
    } else if (kind == 7) {
      int const begin = h.begin(step_kind::while_begin, predicate);
      for (int i = pick(3); i >= 0; --i) step(h, depth - 1);
      h.finish(begin, step_kind::while_end);
    } else {
      int const begin = h.begin(step_kind::if_begin, predicate);
      for (int i = pick(3); i >= 0; --i) step(h, depth - 1);
      int const middle = h.otherwise(begin);
      for (int i = pick(3); i >= 0; --i) step(h, depth - 1);
      h.end_if(begin, middle);
    }
  }
};

}  // namespace

TEST_CASE("The checks agree with the definition on random programs") {
  generator g;
  int bad = 0;
  int rounds = 0;
  for (int round = 0; round < 6000; ++round) {
    int const tiles = 1 + g.pick(6);
    handmade h(tiles);
    int const count = 2 + g.pick(2);
    for (int t = 0; t < count; ++t) {
      mapping_record const maps[] = {by_rows::record(2, tiles), by_cols::record(2, tiles),
                                     {0, {1 + (tiles > 3), tiles / (1 + (tiles > 3)), 1, 1}, false}};
      h.tensor("t", {tiles, 4}, maps[g.pick(3)]);
    }
    int const go = h.tensor("go", {1, 1}, on_tile<0>::record(2, tiles), element::boolean);
    h.records.tensors[go].input = true;
    if (g.pick(3) > 0) h.records.tensors[0].input = true;
    if (g.pick(2) == 0) h.records.tensors[g.pick(count)].output = true;
    for (int i = 1 + g.pick(4); i > 0; --i) g.step(h, 2);
    if (h.executes > 22 || h.accesses > 44 || h.steps > 44) continue;
    ++rounds;
    bool const expected = unwritten_by_definition(h.view());
    bad += expected ? 1 : 0;
    CAPTURE(round);
    CHECK(unwritten(h).found() == expected);
  }
  CHECK(rounds > 4000);
  CHECK(bad > rounds / 4);
  CHECK(bad < rounds * 9 / 10);
}

namespace {

struct many_tiles {
  static constexpr handmade records = [] {
    handmade h(1472);
    int const u = h.tensor("u", {2944, 16}, by_rows::record(2, 1472));
    int const v = h.tensor("v", {2944, 16}, by_rows::record(2, 1472));
    h.records.tensors[v].output = true;
    h.compute(h.execute({h.own(u, out)}, 0, 1471, 2));
    h.compute(h.execute({h.own(u, out)}, 1, 1471, 2));
    int const begin = h.begin(step_kind::repeat_begin, -1, 50);
    h.compute(h.execute({h.halo(u, 1), h.own(v, out)}));
    h.compute(h.execute({h.halo(v, 1), h.own(u, out)}));
    h.finish(begin, step_kind::repeat_end);
    return h;
  }();
  static constexpr program_view view() { return records.view(); }
};
static_assert(!unwritten_of<many_tiles>.found());

struct half_written {
  static constexpr handmade records = [] {
    handmade h(1472);
    int const u = h.tensor("u", {2944, 16}, by_rows::record(2, 1472));
    int const v = h.tensor("v", {2944, 16}, by_rows::record(2, 1472));
    h.compute(h.execute({h.own(u, out)}, 0, 735));
    h.compute(h.execute({h.halo(u, 1), h.own(v, out)}));
    return h;
  }();
  static constexpr program_view view() { return records.view(); }
};
static_assert(unwritten_of<half_written>.what == check::written_before_read);
static_assert(unwritten_of<half_written>.tile_a == 735);

}  // namespace

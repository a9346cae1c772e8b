// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tessera/plan/bounds.hpp>

#include "handmade.hpp"

using namespace tessera;
using handmade_programs::handmade;

namespace {

finding outside(handmade const& h) {
  at_table<48> const table = summarize_all<48>(h.view());
  return find_outside(h.view(), table.view());
}

box row_of_tile(tile t) { return {{t.index, t.index + 1}, {}, {}, {}}; }
box next_row(tile t) { return {{t.index + 1, t.index + 2}, {}, {}, {}}; }
box before_first(tile t) { return {{t.index - 1, t.index}, {}, {}, {}}; }

}  // namespace

TEST_CASE("A mapping lies on tiles that the machine has") {
  handmade h(4);
  h.tensor("a", {8, 8}, by_rows::record(2, 4));
  CHECK_FALSE(outside(h).found());
  int const grid = h.tensor("g", {8, 8}, by_blocks<2, 3>::record(2, 4));
  finding const f = outside(h);
  CHECK(f.what == check::mapping_fits_machine);
  CHECK(f.tensor_index == grid);
  CHECK(f.needed == 6);
  CHECK(f.available == 4);
  h.records.tensors[grid].map = on_tile<4>::record(2, 4);
  CHECK(outside(h).what == check::mapping_fits_machine);
  h.records.tensors[grid].map = on_tile<3>::record(2, 4);
  CHECK_FALSE(outside(h).found());
  h.records.tensors[grid].map = replicated::record(2, 4);
  CHECK_FALSE(outside(h).found());
}

TEST_CASE("A mapping splits only dimensions that the tensor has") {
  handmade h(4);
  int const t = h.tensor("a", {8}, by_blocks<2, 2>::record(1, 4));
  CHECK(outside(h).what == check::mapping_fits_rank);
  h.records.tensors[t].map = by_cols::record(1, 4);
  CHECK_FALSE(outside(h).found());
}

TEST_CASE("An execute runs on tiles that the machine has") {
  handmade h(4);
  int const a = h.tensor("a", {8, 8}, by_rows::record(2, 4));
  h.compute(h.execute({h.own(a, direction::out)}, 1, 4));
  finding const f = outside(h);
  CHECK(f.what == check::range_inside_machine);
  CHECK(f.step == 0);
  CHECK(f.tile_a == 1);
  CHECK(f.tile_b == 4);
  CHECK(f.available == 4);
  h.records.executes[0].last_tile = 3;
  CHECK_FALSE(outside(h).found());
}

TEST_CASE("A block is one of the grid") {
  handmade h(4);
  int const a = h.tensor("a", {8, 8}, by_blocks<2, 2>::record(2, 4));
  int const b = h.tensor("b", {8, 8}, by_blocks<2, 2>::record(2, 4));
  h.compute(h.execute({h.block(a, 1, 1), h.own(b, direction::out)}));
  CHECK_FALSE(outside(h).found());
  h.compute(h.execute({h.block(a, 1, 2), h.own(b, direction::out)}));
  finding const f = outside(h);
  CHECK(f.what == check::block_inside_grid);
  CHECK(f.step == 1);
  CHECK(f.needed == 2);
  CHECK(f.available == 2);
}

TEST_CASE("Boxes are inside their tensors") {
  handmade h(4);
  int const a = h.tensor("a", {4, 8}, by_rows::record(2, 4));
  int const b = h.tensor("b", {4, 8}, by_rows::record(2, 4));
  SUBCASE("named accesses are, whatever the radius") {
    for (edge_rule edge : {edge_rule::clip, edge_rule::zero, edge_rule::clamp, edge_rule::wrap})
      h.compute(h.execute({h.halo(a, 3, edge), h.own(b, direction::out)}));
    h.compute(h.execute({h.neighbour(a, 1), h.own(b, direction::out)}));
    h.compute(h.execute({h.whole(a), h.own(b, direction::out)}));
    CHECK_FALSE(outside(h).found());
  }
  SUBCASE("a wrapped halo goes round once") {
    h.compute(h.execute({h.halo(a, 4, edge_rule::wrap), h.own(b, direction::out)}));
    CHECK_FALSE(outside(h).found());
    h.compute(h.execute({h.halo(a, 5, edge_rule::wrap), h.own(b, direction::out)}));
    finding const f = outside(h);
    CHECK(f.what == check::wrap_fits_tensor);
    CHECK(f.needed == 5);
    CHECK(f.available == 4);
  }
  SUBCASE("a function may return a box that is not") {
    h.compute(h.execute({h.at(a, row_of_tile), h.own(b, direction::out)}));
    CHECK_FALSE(outside(h).found());
    h.compute(h.execute({h.at(a, next_row), h.own(b, direction::out)}));
    finding f = outside(h);
    CHECK(f.what == check::access_inside_tensor);
    CHECK(f.step == 1);
    CHECK(f.tensor_index == a);
    CHECK(f.tile_a == 3);
    CHECK(f.box == region{{{4, 5}, {0, 8}, {0, 1}, {0, 1}}});
    h.records.accesses[2].at = before_first;
    f = outside(h);
    CHECK(f.tile_a == 0);
    CHECK(f.box[0] == span{-1, 0});
  }
  SUBCASE("where the vertex does not run, nobody looks") {
    h.compute(h.execute({h.at(a, next_row), h.own(b, direction::out)}, 0, 2));
    CHECK_FALSE(outside(h).found());
    int const c = h.tensor("c", {8}, on_tiles<0, 2, by_rows>::record(1, 4));
    h.compute(h.execute({h.at(a, next_row), h.own(c, direction::out)}));
    CHECK_FALSE(outside(h).found());
  }
  SUBCASE("a band that follows a larger tensor's blocks may not be") {
    int const c = h.tensor("c", {8, 8}, by_rows::record(2, 4));
    access_record follow = h.own(a);
    follow.by = static_cast<std::int16_t>(c);
    h.compute(h.execute({follow, h.own(c, direction::out)}));
    finding const f = outside(h);
    CHECK(f.what == check::access_inside_tensor);
    CHECK(f.tile_a == 2);
    CHECK(f.box[0] == span{4, 6});
  }
}

TEST_CASE("Pieces of 256 tiles are one summary") {
  handmade h(1000);
  int const a = h.tensor("a", {1000, 2}, by_rows::record(2, 1000));
  h.compute(h.execute({h.at(a, row_of_tile, direction::out)}));
  program_view const p = h.view();
  at_summary const whole = summarize(p, p.executes[0], p.accesses[0], 0, 1000);
  at_summary pieces;
  for (int from = 0; from < 1000; from += tiles_a_piece)
    pieces = join(pieces, summarize(p, p.executes[0], p.accesses[0], from,
                                    from + tiles_a_piece < 1000 ? from + tiles_a_piece : 1000));
  for (at_summary const& s : {whole, pieces}) {
    CHECK(s.boxes == 1000);
    CHECK(s.outside_tile == -1);
    CHECK(s.inside_own);
    CHECK(s.ordered);
    CHECK(s.first == region{{{0, 1}, {0, 2}, {0, 1}, {0, 1}}});
    CHECK(s.last == region{{{999, 1000}, {0, 2}, {0, 1}, {0, 1}}});
    CHECK(s.covered == whole_of(p.tensors[a]));
    CHECK(s.volume == 2000);
    CHECK(s.largest == 2);
    CHECK(s.largest_tile == 0);
  }
}

TEST_CASE("A hull holds every box of its range and is tight in each dimension") {
  handmade h(24);
  int const a = h.tensor("a", {9, 10, 5}, by_blocks<3, 4>::record(3, 24));
  h.records.tensors[a].map.grid[2] = 2;
  program_view const p = h.view();
  access_record neighbour = h.access(access_kind::neighbour, a);
  neighbour.dim[1].shift = 1;
  access_record halo = h.access(access_kind::halo, a);
  halo.dim[0].radius = 1;
  halo.dim[2].radius = 2;
  for (access_record const& access : {h.own(a), neighbour, halo}) {
    for (int first = 0; first < 24; ++first) {
      for (int last = first; last < 24; ++last) {
        region exact = empty_region();
        for (int t = first; t <= last; ++t) exact = hull(exact, covered(p, access, t));
        region const said = hull_of(p, {first, last - first + 1, 1}, access);
        CHECK(said.contains(exact));
        if (first == last) CHECK(said == exact);
      }
    }
    CHECK(hull_of(p, {0, 24, 1}, h.own(a)) == whole_of(p.tensors[a]));
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tessera/plan/uniform.hpp>

#include "handmade.hpp"

using namespace tessera;
using handmade_programs::handmade;

namespace {

check rule_broken(handmade const& h) { return find_nonuniform(h.view()).what; }

}  // namespace

TEST_CASE("A predicate is one integer in one place") {
  handmade h(4);
  int const go = h.tensor("go", {1}, on_tile<2>::record(1, 4), element::boolean);
  int const loop = h.begin(step_kind::while_begin, go);
  h.finish(loop, step_kind::while_end);
  for (element type : {element::boolean, element::int32, element::int64}) {
    h.records.tensors[go].type = type;
    CHECK(rule_broken(h) == check::none);
  }
  for (element type : {element::float32, element::float64, element::float16, element::bfloat16}) {
    h.records.tensors[go].type = type;
    CHECK(rule_broken(h) == check::predicate_is_integer);
  }
  h.records.tensors[go].type = element::boolean;
  h.records.tensors[go].map = replicated::record(1, 4);
  CHECK(rule_broken(h) == check::none);
  h.records.tensors[go].map = by_rows::record(1, 4);
  CHECK(rule_broken(h) == check::predicate_is_uniform);
  h.records.tensors[go].map = on_tile<2>::record(1, 4);
  h.records.tensors[go].extent[0] = 4;
  finding const f = find_nonuniform(h.view());
  CHECK(f.what == check::predicate_is_uniform);
  CHECK(f.tensor_index == go);
  CHECK(f.step == 0);
  CHECK(f.available == 4);

  h.records.steps[0].kind = step_kind::if_begin;
  CHECK(rule_broken(h) == check::predicate_is_uniform);
}

TEST_CASE("Blocks that one vertex sees belong together") {
  handmade h(8);
  int const u = h.tensor("u", {16, 16}, by_rows::record(2, 8));
  int const v = h.tensor("v", {16, 16}, by_cols::record(2, 8));
  int const w = h.tensor("w", {16}, by_rows::record(1, 8));
  int const grid = h.tensor("g", {16, 16}, by_blocks<2, 4>::record(2, 8));
  int const moved = h.tensor("m", {16, 16}, on_tiles<4, 7, by_rows>::record(2, 8));
  int const everywhere = h.tensor("r", {16, 16}, replicated::record(2, 8));
  auto const together = [&](access_record const& a, access_record const& b) {
    handmade one = h;
    one.compute(one.execute({a, b}));
    return rule_broken(one);
  };
  direction const out = direction::out;
  CHECK(together(h.own(u), h.own(w, out)) == check::none);
  CHECK(together(h.own(w), h.own(u, out)) == check::none);
  CHECK(together(h.own(w), h.own(v, out)) == check::none);            // a vector along the columns
  CHECK(together(h.own(everywhere), h.own(v, out)) == check::none);
  CHECK(together(h.whole(u), h.own(v, out)) == check::none);
  CHECK(together(h.own(u), h.own(v, out)) == check::mappings_correspond);
  CHECK(together(h.halo(u, 1), h.own(v, out)) == check::mappings_correspond);
  CHECK(together(h.band(u, 0), h.own(grid, out)) == check::mappings_correspond);
  CHECK(together(h.own(w), h.own(grid, out)) == check::mappings_correspond);
  CHECK(together(h.own(moved), h.own(u, out)) == check::mappings_correspond);

  h.compute(h.execute({h.own(v), h.own(w), h.own(u, out)}));
  finding const f = find_nonuniform(h.view());
  CHECK(f.tensor_index == v);
  CHECK(f.other_tensor == u);
}

TEST_CASE("A gather's rows belong to its index's blocks") {
  handmade h(4);
  int const table = h.tensor("table", {64, 8}, by_cols::record(2, 4));
  int const ids = h.tensor("ids", {16}, by_rows::record(1, 4), element::int32);
  int const rows = h.tensor("rows", {16, 8}, by_rows::record(2, 4));
  h.compute(h.execute({h.gather(table, ids), h.own(rows, direction::out)}));
  CHECK(rule_broken(h) == check::none);
  h.records.tensors[ids].map = on_tiles<0, 1, by_rows>::record(1, 4);
  CHECK(rule_broken(h) == check::mappings_correspond);
}

TEST_CASE("Vertices write neither parameters nor replicated tensors") {
  handmade h(4);
  int const a = h.tensor("a", {8}, by_rows::record(1, 4));
  h.compute(h.execute({h.own(a, direction::inout)}));
  CHECK(rule_broken(h) == check::none);
  h.records.tensors[a].parameter = true;
  CHECK(rule_broken(h) == check::parameter_is_constant);
  h.records.tensors[a].parameter = false;
  h.records.tensors[a].map = replicated::record(1, 4);
  CHECK(rule_broken(h) == check::output_is_not_replicated);
}

TEST_CASE("A copy changes neither shape nor type") {
  handmade h(4);
  int const a = h.tensor("a", {8, 4}, by_rows::record(2, 4));
  int const b = h.tensor("b", {8, 4}, replicated::record(2, 4));
  h.copy(a, b);
  CHECK(rule_broken(h) == check::none);
  h.records.tensors[b].parameter = true;
  CHECK(rule_broken(h) == check::parameter_is_constant);
  h.records.tensors[b].parameter = false;
  h.records.tensors[b].type = element::float64;
  CHECK(rule_broken(h) == check::copies_match);
  h.records.tensors[b].type = element::float32;
  h.records.tensors[b].extent[1] = 5;
  CHECK(rule_broken(h) == check::copies_match);
  h.records.tensors[b].extent[1] = 4;
  h.copy(a, a);
  CHECK(rule_broken(h) == check::copy_has_two_tensors);
}

// SPDX-License-Identifier: Apache-2.0
#include "plan/random_program.hpp"

#include <doctest/doctest.h>

using namespace plan_test;

namespace {

constexpr bool is(advice_record const& a, advice_kind kind, int step, int tensor) {
  return a.kind == kind && a.step == step && a.tensor == tensor;
}

struct ping_pong {
  constexpr void operator()(builder& b) const {
    int const u = b.rows("u", 64, 64), v = b.rows("v", 64, 64);
    int const k = b.kernel("k");
    b.input(u);
    b.output(u);
    b.repeat(50);
    b.compute(k, {halo(u), out(v)});
    b.compute(k, {halo(v), out(u)});
    b.end_repeat();
  }
};
static_assert(planned_records<ping_pong>::advice.empty());

struct wasteful {
  constexpr void operator()(builder& b) const {
    b.target.working_set = 4096;
    int const u = b.rows("u", 64, 64), v = b.rows("v", 64, 64), dead = b.rows("dead", 16, 16);
    int const w = b.rows("w", 64, 64), one = b.on_tile("one", 0, 4, 4), y = b.rows("y", 16, 16);
    int const k = b.kernel("k");
    b.input(u);
    b.output(one);
    b.output(y);
    b.compute(k, {out(dead), own(y)});  // 0: nothing reads it
    b.copy(u, v);                       // 1: neither u nor v ever changes
    b.compute(k, {out(w), own(v)});     // 2: 8 KiB on a tile
    b.compute(k, {out(one)});           // 3: one tile of four
    b.compute(k, {out(y), whole(w)});   // 4: 16 KiB
  }
};
using W = planned_records<wasteful>;
static_assert(W::advice.size() == 5);
static_assert(is(W::advice[0], advice_kind::dead_write, 0, 2));
static_assert(is(W::advice[1], advice_kind::needless_copy, 1, 0));
static_assert(is(W::advice[2], advice_kind::working_set, 2, -1) && W::advice[2].value == 8192);
static_assert(is(W::advice[3], advice_kind::idle_tiles, 3, -1) && W::advice[3].value == 3 && W::advice[3].bound == 4);
static_assert(is(W::advice[4], advice_kind::working_set, 4, -1) && W::advice[4].bound == 4096);

struct crowded {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("k");
    int const u = b.rows("u", 32, 64), v = b.rows("v", 32, 64), w = b.rows("w", 32, 64);
    b.input(u);
    b.output(u);
    b.compute(k, {own(u), out(v)});
    b.copy(v, u);  // a swap would keep v's memory beside w's
    b.compute(k, {own(u), out(w)});
    b.compute(k, {own(w), inout(u)});
  }
};
static_assert(planned_records<crowded>::advice.size() == 1);
static_assert(is(planned_records<crowded>::advice[0], advice_kind::ping_pong, 1, 1));

}  // namespace

TEST_CASE("findings end at the list's capacity") {
  auto const b = std::make_unique<builder>();
  int const k = b->kernel("k");
  int const dead = b->rows("dead", 8, 8);
  for (int i = 0; i < 60; ++i) b->compute(k, {out(dead)}), b->compute(k, {inout(dead)});
  constexpr record_counts n{1, 120, 120, 120, 1};
  auto const records = std::make_unique<program_records<n>>(to_records<n>(*b));
  program_view const p = records->view();
  auto const exchange = plan_exchange<n>(p);
  auto const cost = std::make_unique<cost_plan<n>>();
  auto const liveness = std::make_unique<liveness_plan<n>>(plan_liveness<n>(p, exchange));
  CHECK(give_advice<n>(p, *liveness, {}, *cost).size() == 64);
}

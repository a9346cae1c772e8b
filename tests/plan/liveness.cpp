// SPDX-License-Identifier: Apache-2.0
#include "plan/random_program.hpp"

#include <doctest/doctest.h>

using namespace plan_test;

namespace {

// Which steps a tensor occupies, as a picture.
template <record_counts N>
constexpr bool lives(liveness_plan<N> const& plan, int tensor, char const* picture) {
  for (int s = 0; s <= N.steps; ++s)
    if (plan.occupied[s].test(tensor) != (picture[s] == '#')) return false;
  return picture[N.steps + 1] == 0;
}

struct straight {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("k");
    int const u = b.rows("u", 8, 8), v = b.rows("v", 8, 8), w = b.rows("w", 8, 8), dead = b.rows("dead", 8, 8);
    b.input(u);
    b.output(u);
    b.compute(k, {halo(u), out(v)});
    b.compute(k, {own(v), out(w)});
    b.compute(k, {own(w), out(dead)});
    b.compute(k, {own(w), out(u)});
  }
};
static_assert(lives(planned_records<straight>::liveness, 0, "#..##"));
static_assert(lives(planned_records<straight>::liveness, 1, "##..."));
static_assert(lives(planned_records<straight>::liveness, 2, ".###."));
static_assert(lives(planned_records<straight>::liveness, 3, "..#.."));  // a dead write needs memory where it happens

struct loop {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("k");
    int const carried = b.rows("carried", 8, 8), inner = b.rows("inner", 8, 8), x = b.rows("x", 8, 8);
    b.input(x);
    b.compute(k, {own(x), out(carried)});      // 0
    b.repeat(3);                               // 1
    b.compute(k, {own(carried), out(inner)});  // 2
    b.compute(k, {own(inner), out(x)});        // 3
    b.end_repeat();                            // 4
  }
};
static_assert(lives(planned_records<loop>::liveness, 0, "#####."));  // read again in the next round
static_assert(lives(planned_records<loop>::liveness, 1, "..##.."));
static_assert(lives(planned_records<loop>::liveness, 2, "#..#.#"));

struct partial {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("k");
    int const t = b.rows("t", 8, 8), y = b.rows("y", 8, 8);
    b.output(y);
    b.run(k, {out(t)}, 0, 1);
    b.end_set();  // 0: half of the tiles
    b.run(k, {out(t)}, 2, 3);
    b.end_set();                     // 1: the other half; the first must still be there
    b.compute(k, {own(t), out(y)});  // 2
    b.run(k, {out(t)}, 0, 1);
    b.run(k, {out(t)}, 2, 3);
    b.end_set();                     // 3: together all of it
    b.compute(k, {own(t), out(y)});  // 4
  }
};
static_assert(lives(planned_records<partial>::liveness, 0, "#####."));
static_assert(!planned_records<partial>::liveness.live_after[2].test(0) &&
              planned_records<partial>::liveness.live_after[1].test(0));

struct branches {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("k");
    int const go = b.on_tile("go", 0, 1, 1), a = b.rows("a", 8, 8), t = b.rows("t", 8, 8), y = b.rows("y", 8, 8);
    b.input(go);
    b.input(a);
    b.output(y);
    b.begin_if(go);                  // 0
    b.compute(k, {own(a), out(t)});  // 1
    b.compute(k, {own(t), out(y)});  // 2
    b.begin_else();                  // 3
    b.compute(k, {own(a), out(y)});  // 4
    b.end_if();                      // 5
    b.begin_while(go);               // 6
    b.compute(k, {own(y), out(t)});  // 7
    b.compute(k, {own(t), out(y)});  // 8
    b.end_while();                   // 9
  }
};
static_assert(lives(planned_records<branches>::liveness, 2, ".##....##.."));
static_assert(lives(planned_records<branches>::liveness, 3, "..########") == false);
static_assert(lives(planned_records<branches>::liveness, 1, "###########"));  // an input that no step writes stays

}  // namespace

TEST_CASE("what a run reads has been kept since it was written") {
  std::mt19937 chance(3);
  for (int seed = 0; seed < 400; ++seed) {
    random_program const random(seed);
    program_view const p = random.view();
    constexpr record_counts n = random_program::capacity;
    auto const plans = std::make_unique<run_time_plans>(p);
    auto const effects = std::make_unique<step_effects<n>>(effects_of<n>(p));
    std::vector<std::vector<bool>> complete(static_cast<std::size_t>(p.step_count));
    for (int s = 0; s < p.step_count; ++s)
      for (int t = 0; t < p.tensor_count; ++t) {
        complete[static_cast<std::size_t>(s)].push_back(effects->kills[s].test(t) && writes_every_element(p, s, t));
        REQUIRE(complete[static_cast<std::size_t>(s)].back() == effects->kills[s].test(t));
      }
    for (int run = 0; run < 8; ++run) {
      std::vector<int> const trace = random_run(p, chance);
      if (trace.size() >= 4000) continue;
      std::vector<int> since(static_cast<std::size_t>(p.tensor_count), -1);  // place in the trace of the oldest value
      auto const kept = [&](int t, std::size_t until) {
        int const from = since[static_cast<std::size_t>(t)];
        if (from < 0) return;  // read before written: another proof's business
        for (std::size_t i = static_cast<std::size_t>(from); i < until; ++i)
          REQUIRE(plans->liveness.occupied[trace[i]].test(t));
      };
      for (int t = 0; t < p.tensor_count; ++t)
        if (p.tensors[t].input) since[static_cast<std::size_t>(t)] = 0;
      for (std::size_t i = 0; i < trace.size(); ++i) {
        effects->reads[trace[i]].for_each([&](int t) { kept(t, i + 1); });
        effects->writes[trace[i]].for_each([&](int t) {
          REQUIRE(plans->liveness.occupied[trace[i]].test(t));
          int& from = since[static_cast<std::size_t>(t)];
          if (from < 0 || complete[static_cast<std::size_t>(trace[i])][static_cast<std::size_t>(t)])
            from = static_cast<int>(i);
        });
      }
      for (int t = 0; t < p.tensor_count; ++t)
        if (p.tensors[t].output) kept(t, trace.size());
    }
  }
}

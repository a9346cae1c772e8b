// SPDX-License-Identifier: Apache-2.0
#include "plan/random_program.hpp"

#include <doctest/doctest.h>

using namespace plan_test;

namespace {

template <int Which>
struct copies {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("k");
    int const u = b.rows("u", 64, 64), v = b.rows("v", 64, 64);
    b.input(u);
    b.output(u);
    b.compute(k, {halo(u), out(v)});
    b.copy(v, u);
    if (Which == 1) b.output(v);                                             // the source is read by the host
    if (Which == 2) b.tensors[v].map = {0, {1, 4, 1, 1}, false};             // another mapping
    if (Which == 3) b.compute(k, {own(v), inout(u)});                        // the source is read afterwards
    if (Which == 4) b.tensors[v].type = b.tensors[u].type = element::int32;  // any type will do
    if (Which == 5) b.parameter(v);
  }
};
static_assert(planned_records<copies<0>>::swaps.swap[1]);
static_assert(!planned_records<copies<1>>::swaps.swap[1]);
static_assert(!planned_records<copies<2>>::swaps.swap[1]);
static_assert(!planned_records<copies<3>>::swaps.swap[1]);
static_assert(planned_records<copies<4>>::swaps.swap[1]);
static_assert(!planned_records<copies<5>>::swaps.swap[1]);
// Both memories are kept while either tensor is live.
static_assert(planned_records<copies<0>>::values.occupied[2].test(0) &&
              !planned_records<copies<0>>::values.occupied[2].test(1));
static_assert(planned_records<copies<0>>::liveness.occupied[2].test(1));

struct crowded {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("k");
    int const u = b.rows("u", 64, 64), v = b.rows("v", 64, 64), w = b.rows("w", 64, 128);
    b.input(u);
    b.output(u);
    b.compute(k, {own(u), out(v)});
    b.copy(v, u);
    b.compute(k, {own(u), out(w)});  // with the swap, v's memory would be kept beside w's
    b.compute(k, {own(w), inout(u)});
  }
};
static_assert(!planned_records<crowded>::swaps.swap[1]);

struct triangle {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("k");
    int const u = b.rows("u", 64, 64), v = b.rows("v", 64, 64), w = b.rows("w", 64, 64);
    b.input(u);
    b.input(w);
    b.output(u);
    b.output(w);
    b.compute(k, {own(u), out(v)});
    b.copy(v, u);
    b.compute(k, {own(w), out(v)});
    b.copy(v, w);  // v already exchanges memory with u
  }
};
static_assert(planned_records<triangle>::swaps.swap[1] && !planned_records<triangle>::swaps.swap[3]);

}  // namespace

TEST_CASE("nothing reads what a swap left behind") {
  std::mt19937 chance(11);
  int swapped = 0;
  for (int seed = 0; seed < 1500; ++seed) {
    random_program const random(seed);
    program_view const p = random.view();
    auto const plans = std::make_unique<run_time_plans>(p);
    if (std::none_of(plans->swaps.swap, plans->swaps.swap + p.step_count, [](bool s) { return s; })) continue;
    auto const effects = std::make_unique<step_effects<run_time_plans::n>>(effects_of<run_time_plans::n>(p));
    for (int run = 0; run < 4; ++run) {
      std::vector<int> const trace = random_run(p, chance);
      if (trace.size() >= 4000) continue;
      std::vector<bool> stale(static_cast<std::size_t>(p.tensor_count));
      for (int s : trace) {
        effects->reads[s].for_each([&](int t) { CHECK(!stale[static_cast<std::size_t>(t)]); });
        for (int t = 0; t < p.tensor_count; ++t)
          if (effects->writes[s].test(t) && writes_every_element(p, s, t)) stale[static_cast<std::size_t>(t)] = false;
        if (!plans->swaps.swap[s]) continue;
        stale[static_cast<std::size_t>(p.accesses[p.steps[s].first].tensor)] = true;
        ++swapped;
      }
      for (int t = 0; t < p.tensor_count; ++t)
        if (p.tensors[t].output) CHECK(!stale[static_cast<std::size_t>(t)]);
    }
  }
  CHECK(swapped > 50);
}

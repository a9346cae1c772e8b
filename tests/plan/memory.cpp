// SPDX-License-Identifier: Apache-2.0
#include "plan/random_program.hpp"

#include <doctest/doctest.h>

using namespace plan_test;

namespace {

struct chain {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("step");
    int last = b.rows("a", 64, 64);
    b.input(last);
    for (int i = 0; i < 6; ++i) {
      int const next = b.rows("t", 64, 64);
      b.compute(k, {own(last), out(next)});
      last = next;
    }
    b.output(last);
  }
};
using chained = planned_records<chain>;
// The input stays, for another run; between runs input and output are there; two temporaries take turns beside them.
static_assert(chained::memory.arena_bytes[0] == 3 * 64 * 64 * 4);
static_assert(chained::memory.live_bytes[0] == 3 * 64 * 64 * 4);

struct parts {
  constexpr void operator()(builder& b) const {
    b.target = private_machine(8);
    int const k = b.kernel("step", 24, 100);
    int const a = b.rows("a", 64, 16);
    int const t = b.on_tile("t", 3, 4, 16);
    b.input(a);
    b.output(t);
    b.run(k, {whole(a), out(t)});
    b.end_set();
  }
};
using parted = planned_records<parts>;
static_assert(parted::memory.classes == 3);
static_assert(parted::memory.tiles[1].first == 3 && parted::memory.tiles[1].last == 3);
static_assert(parted::memory.arena_bytes[0] == 8 * 16 * 4);
// Tile 3: its part of a, t, all of a in a buffer, scratch of 100 bytes, and outside the arena 24 bytes of state.
static_assert(parted::memory.arena_bytes[1] == 512 + 256 + 4096 + 128);
static_assert(parted::memory.tile_bytes[1] == 512 + 256 + 4096 + 128 + 24);
static_assert(largest_resident<parted::counts>(parted::view(), parted::exchange, parted::liveness,
                                               parted::memory.tiles[1], 0)
                  .bytes == 4096);

struct weights {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("gemm");
    int const w = b.rows("w", 64, 32);
    int const x = b.rows("x", 16, 64);
    int const y = b.rows("y", 16, 32);
    b.parameter(w);
    b.input(x);
    b.output(y);
    b.compute(k, {out(y), own(x), with_layout(whole(w), {layout_kind::panels, 16})});
  }
};
using weighted = planned_records<weights>;
static_assert(weighted::exchange.access[2].form == field_form::resident);
// Only the packed form is ever read, so only that is kept.
static_assert(weighted::memory.offset[0][0] == -1 && weighted::memory.parameter_offset[0] == -1);
static_assert(weighted::memory.parameter_offset[3 + 2] == 0);
static_assert(weighted::memory.parameter_bytes == 64 * 32 * 4);
// A tile sees its blocks of x and y and the whole packed matrix.
static_assert(weighted::memory.tile_bytes[0] == 4 * 64 * 4 + 4 * 32 * 4 + 64 * 32 * 4);

}  // namespace

TEST_CASE("items that occupy memory at the same step do not overlap, and little is wasted") {
  double worst = 1;
  int tight = 0;
  int gaps = 0;
  int const programs = 400;
  for (int seed = 0; seed < programs; ++seed) {
    auto const random = std::make_unique<random_program>(seed);
    auto const plans = std::make_unique<run_time_plans>(random->view());
    program_view const p = random->view();
    constexpr record_counts n = random_program::capacity;
    for (int c = 0; c < plans->memory.classes; ++c) {
      CHECK(plans->memory.arena_bytes[c] >= plans->memory.live_bytes[c]);
      if (plans->memory.live_bytes[c] > 0) {
        double const arena = static_cast<double>(plans->memory.arena_bytes[c]);
        double ratio = arena / static_cast<double>(plans->memory.live_bytes[c]);
        tight += ratio <= 1.0 ? 1 : 0;
        if (ratio > 1.10) {
          ++gaps;
          auto const blocks = std::make_unique<memory_blocks<n>>(plan_blocks<n>(p, plans->exchange, plans->liveness));
          std::vector<std::int64_t> bytes(static_cast<std::size_t>(blocks->count));
          for (int b = 0; b < blocks->count; ++b)
            if (blocks->length[b] > 0)
              bytes[static_cast<std::size_t>(b)] = detail::arena_item_bytes<n>(
                  p, plans->exchange, plans->memory.tiles[c], blocks->item[b], blocks->execute[b]);
          ratio = arena / static_cast<double>(heaviest_conflicting(blocks->count, bytes.data(), blocks->conflicts));
        }
        worst = std::max(worst, ratio);
      }
      for (int s = 0; s <= p.step_count; ++s) {
        struct held {
          std::int64_t first, last;
        };
        std::vector<held> items;
        plans->liveness.occupied[s].for_each([&](int t) {
          std::int64_t const from = plans->memory.offset[c][t];
          std::int64_t const bytes = detail::arena_item_bytes<n>(p, plans->exchange, plans->memory.tiles[c], t, -1);
          if (bytes > 0) REQUIRE(from >= 0);
          if (from >= 0) items.push_back({from, from + bytes});
        });
        if (s < p.step_count)
          detail::for_each_buffer<n>(p, plans->exchange, plans->memory, c, s,
                                     [&](detail::byte_range r) { items.push_back({r.first, r.last}); });
        for (std::size_t i = 0; i < items.size(); ++i) {
          REQUIRE(items[i].last <= plans->memory.arena_bytes[c]);
          for (std::size_t j = 0; j < i; ++j)
            REQUIRE((items[i].last <= items[j].first || items[j].last <= items[i].first));
        }
      }
    }
  }
  MESSAGE("largest arena over live bytes: " << worst << ", " << tight << " arenas without any waste, " << gaps
                                            << " held against items that cannot share");
  CHECK(worst <= 1.10);
}

TEST_CASE("first fit on random sets of intervals wastes at most a tenth") {
  std::mt19937 random(7);
  auto const pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  double worst = 1;
  double sum = 0;
  int const sets = 4000;
  for (int i = 0; i < sets; ++i) {
    constexpr int capacity = 80;
    detail::placement_problem<capacity> problem;
    detail::bit_row<capacity> conflicts[capacity + 1];
    problem.count = 3 + static_cast<int>(random() % 60);
    int const steps = 4 + static_cast<int>(random() % 40);
    int first[capacity];
    int last[capacity];
    std::vector<std::int64_t> live(static_cast<std::size_t>(steps));
    for (int b = 0; b < problem.count; ++b) {
      first[b] = static_cast<int>(random() % static_cast<unsigned>(steps));
      last[b] = std::min(steps - 1, first[b] + pick(pick(8) == 0 ? 30 : 4));
      problem.bytes[b] = 64 * std::int64_t{1 + pick(pick(3) == 0 ? 4 : 300)};
      problem.first[b] = first[b];
      problem.length[b] = last[b] - first[b] + 1;
      for (int s = first[b]; s <= last[b]; ++s) {
        live[static_cast<std::size_t>(s)] += problem.bytes[b];
        problem.lower_bound = std::max(problem.lower_bound, live[static_cast<std::size_t>(s)]);
      }
      for (int o = 0; o < b; ++o)
        if (first[o] <= last[b] && first[b] <= last[o]) conflicts[o].set(b), conflicts[b].set(o);
    }
    auto found = detail::place(problem, conflicts, detail::placement_budget);
    if (static_cast<double>(found.arena_bytes) > 1.09 * static_cast<double>(problem.lower_bound))
      found = detail::place(problem, conflicts, detail::placement_budget, &found);
    for (int b = 0; b < problem.count; ++b)
      for (int o = 0; o < b; ++o)
        if (conflicts[b].test(o))
          REQUIRE((found.offset[b] + problem.bytes[b] <= found.offset[o] ||
                   found.offset[o] + problem.bytes[o] <= found.offset[b]));
    double const ratio = static_cast<double>(found.arena_bytes) / static_cast<double>(problem.lower_bound);
    worst = std::max(worst, ratio);
    sum += ratio;
  }
  MESSAGE("arena over lower bound: largest " << worst << ", mean " << sum / sets);
  CHECK(worst <= 1.10);
}

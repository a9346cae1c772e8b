// SPDX-License-Identifier: Apache-2.0
// Programs as large as whole networks, and machines of 1472 tiles, are planned within the compilers' default limits.
#include "plan/random_program.hpp"

#include <doctest/doctest.h>

using namespace plan_test;

namespace {

/// 348 compute sets on 583 tensors, a third of them parameters: a network of 116 blocks.
template <bool Shared>
struct network {
  constexpr void operator()(builder& b) const {
    b.target = Shared ? shared_machine(64) : private_machine(64);
    b.target.bytes_per_tile = std::int64_t{1} << 40;
    int const k = b.kernel("layer", 8, 1024);
    int x = b.rows("x", 384, 1024);
    b.input(x);
    layout_record const panels{layout_kind::panels, 16};
    for (int l = 0; l < 116; ++l) {
      int const w1 = b.rows("w1", 1024, 512), w2 = b.rows("w2", 512, 1024);
      b.parameter(w1);
      b.parameter(w2);
      int const h = b.rows("h", 384, 512), g = b.rows("g", 384, 512), y = b.rows("y", 384, 1024);
      b.compute(k, {out(h), l % 2 ? own(x) : halo(x), with_layout(whole(w1), panels)});
      b.compute(k, {out(g), own(h)});
      b.compute(k, {out(y), with_layout(band(g, y), panels), with_layout(whole(w2), panels), own(x)});
      x = y;
    }
    b.output(x);
  }
};

using on_shared = planned_records<network<true>>;
static_assert(on_shared::memory.arena_bytes[0] == on_shared::memory.live_bytes[0]);
static_assert(on_shared::cost.cycles > 0);

using on_private = planned_records<network<false>>;
static_assert(on_private::blocks.buffers_by_step);
static_assert(on_private::memory.arena_bytes[0] * 10 <= on_private::memory.live_bytes[0] * 11);
static_assert(on_private::cost.exchange > 0);

constexpr box first_rows(tile t) { return {{0, t.index + 1}, {0, 64}, {}, {}}; }

/// Halos, parts of the machine, bands of a grid and functions of the tile on 1472 tiles.
struct wide {
  constexpr void operator()(builder& b) const {
    b.target = private_machine(1472);
    b.target.bytes_per_tile = 638976;
    int const k = b.kernel("k", 16);
    int const u = b.rows("u", 2944, 2944), v = b.rows("v", 2944, 2944), few = b.on_tile("few", 700, 64, 64);
    int const g = b.tensor("g", 1000, 1000, {0, {46, 32, 1, 1}, false});
    int const h = b.tensor("h", 1000, 1000, {0, {46, 32, 1, 1}, false});
    for (int t : {u, few, g}) b.input(t);
    for (int t : {u, h}) b.output(t);
    b.repeat(50);
    b.compute(k, {halo(u), out(v)});
    b.compute(k, {halo(v), out(u)});
    b.end_repeat();
    b.run(k, {own(few), inout(few)}, 700, 700);
    b.run(k, {own(u), inout(v)}, 0, 699);
    b.end_set();
    for (int i = 0; i < 6; ++i) {
      b.compute(k, {band(g, g), inout(h)});
      b.compute(k, {at(v, &first_rows), inout(u)});
    }
  }
};
using on_wide = planned_records<wide>;
static_assert(on_wide::memory.classes == 3);
static_assert(on_wide::sync.before[1] && on_wide::sync.before[2]);
static_assert(on_wide::cost.step[1].running_tiles == 1472);
static_assert(on_wide::cost.step[1].exchange_bytes == 2 * 2944 * 4);  // a row on either side

}  // namespace

TEST_CASE("buffers that are placed by step overlap nothing that is live there") {
  constexpr record_counts n = on_private::counts;
  program_view const p = on_private::view();
  memory_plan<n> const& memory = on_private::memory;
  for (int c = 0; c < memory.classes; ++c)
    for (int s = 0; s < p.step_count; ++s) {
      std::vector<detail::byte_range> items;
      detail::for_each_buffer<n>(p, on_private::exchange, memory, c, s,
                                 [&](detail::byte_range r) { items.push_back(r); });
      CHECK(!items.empty());
      on_private::liveness.occupied[s].for_each(
          [&](int t) { items.push_back(detail::item_range<n>(p, on_private::exchange, memory, c, t, -1)); });
      for (std::size_t i = 0; i < items.size(); ++i) {
        REQUIRE(items[i].last <= memory.arena_bytes[c]);
        for (std::size_t j = 0; j < i; ++j) REQUIRE(!items[i].meets(items[j]));
      }
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "plan/random_program.hpp"

#include <doctest/doctest.h>

using namespace plan_test;

namespace {

struct forms {
  constexpr void operator()(builder& b) const {
    b.target = shared_machine(8);
    int const k = b.kernel("k");
    int const u = b.rows("u", 64, 32), v = b.rows("v", 64, 32), w = b.rows("w", 64, 32),
              all = b.replicated("all", 4, 4);
    b.parameter(w);
    layout_record const panels{layout_kind::panels, 16};
    b.compute(k, {out(v), own(u), halo(u), halo(u, 1, edge_rule::zero), whole(u), own(all)});  // 0 … 5
    b.compute(k, {out(v), with_layout(own(u), panels), with_layout(whole(u), panels),          // 6, 7, 8
                  with_layout(whole(w), panels)});                                             // 9
    b.compute(k, {inout(v), halo(v)});                                                         // 10, 11
  }
};
using P = planned_records<forms>;
constexpr auto form = [](int access) { return P::exchange.access[access].form; };
static_assert(form(0) == field_form::view && form(1) == field_form::view && form(2) == field_form::view);
static_assert(form(3) == field_form::bordered && form(4) == field_form::view && form(5) == field_form::view);
static_assert(form(7) == field_form::gathered && form(8) == field_form::shared && form(9) == field_form::resident);
static_assert(form(10) == field_form::view);
static_assert(form(11) == field_form::gathered);  // the vertex writes v: its input keeps the old values
static_assert(P::exchange.access[8].boxes == 1 && P::exchange.access[8].box_bytes == 64 * 32 * 4);
static_assert(P::exchange.access[7].boxes == 8 && P::exchange.access[7].box_bytes == 8 * 32 * 4);
static_assert(P::exchange.access[11].box_bytes == 10 * 32 * 4);

constexpr std::int64_t whole_row = 32 * 4;
struct apart {
  constexpr void operator()(builder& b) const {
    b.target = private_machine(8);
    int const k = b.kernel("k");
    int const u = b.rows("u", 64, 32), v = b.rows("v", 64, 32), few = b.on_tile("few", 2, 1, 16);
    b.compute(k, {out(v), own(u), halo(u, 20), whole(few)});
    b.run(k, {at(v, [](tile t) { return box{{t.index, t.index + 1}, {}, {}, {}}; }, direction::out), own(u)});
    b.end_set();
  }
};
using Q = planned_records<apart>;
static_assert(Q::exchange.access[1].form == field_form::view && Q::exchange.access[2].form == field_form::gathered);
static_assert(Q::exchange.access[2].box_bytes == 48 * whole_row);  // 20 + 8 + 20 rows
static_assert(Q::exchange.access[3].box_bytes == 64);
static_assert(Q::exchange.access[4].form == field_form::staged && Q::exchange.access[4].box_bytes == whole_row);

}  // namespace

TEST_CASE("the closed form of a buffer's size is never less than any tile needs, and rarely more") {
  std::mt19937 random(17);
  auto const pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int exact = 0;
  int const trials = 3000;
  for (int i = 0; i < trials; ++i) {
    auto const b = std::make_unique<builder>();
    b->target = private_machine(1 + pick(12));
    int const rows = 1 + pick(40), cols = 1 + pick(24);
    int const grid_rows = 1 + pick(b->target.tiles);
    int const t = b->tensor("t", rows, cols, {0, {grid_rows, b->target.tiles / grid_rows, 1, 1}, false});
    access_record a = halo(t, pick(6), std::array{edge_rule::clip, edge_rule::zero, edge_rule::wrap}[pick(3)]);
    a.dim[1].radius = static_cast<std::int8_t>(pick(4));
    if (pick(3) == 0) a = band(t, t);
    if (pick(4) == 0) {   // over images of lines of one pixel
      a = band(t, t);
      a.kind = access_kind::window;
      a.dim[0].from = 0;
      a.dim[1].from = -1;
      a.window = {.height = rows, .in_height = rows, .stride = pick(3), .before = pick(4), .reach = 1 + pick(5)};
    }
    if (pick(4) == 0) a.layout = {layout_kind::panels, 8};
    b->run(b->kernel("k"), {a, out(t)});
    program_view p{.target = b->target,
                   .tensors = b->tensors.begin(),
                   .accesses = b->accesses.begin(),
                   .executes = b->executes.begin(),
                   .steps = nullptr,
                   .kernels = nullptr,
                   .tensor_count = 1,
                   .access_count = 2,
                   .execute_count = 1,
                   .step_count = 0,
                   .kernel_count = 1};
    std::int64_t most = 0;
    for (int tile = 0; tile < p.target.tiles; ++tile) most = std::max(most, buffer_bytes(p, p.accesses[0], tile));
    std::int64_t const closed = largest_buffer(p, p.executes[0], p.accesses[0]);
    CHECK(closed >= most);
    exact += closed == most ? 1 : 0;
  }
  MESSAGE(exact << " of " << trials << " exact");
  CHECK(exact > trials * 8 / 10);
}

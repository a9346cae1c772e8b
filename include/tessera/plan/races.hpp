// SPDX-License-Identifier: Apache-2.0
// Proof 1: in a compute set, an element is written by at most one vertex, and no other vertex reads it.
//
//   inout u, read halo<1>(u) in one vertex on by_rows tiles  ->  nobody_reads_what_another_writes, tiles 1 and 0
//
// Decided by (a) writes of own blocks, (b) boxes inside the tile's own block, (c) boxes in reading order or on a grid,
// in closed form; what remains is (d) pairs of boxes, up to 128 tiles.
#pragma once

#include <tessera/plan/detail/compare_boxes.hpp>
#include <tessera/plan/finding.hpp>
#include <tessera/plan/summary.hpp>

namespace tessera {

/// A finding, or that the question is left to the step's own evaluation.
struct race_result {
  finding first;
  bool undecided = false;
};

namespace detail {

/// One writing access against itself on other tiles. `deep`: walks are allowed.
constexpr race_result compare_with_itself(program_view const& p, at_summaries const& at, touch const& a, bool deep) {
  if (a.inside || follows_every_split(p, a.record)) return {};
  if (a.record.kind == access_kind::at && at.of(a.access).ordered) return {};
  if (range_of(p, p.executes[a.execute]).count < 2) return {};
  if (!deep) return {{}, true};
  if (a.same) return {compare_with_same(p, a, a, check::one_writer)};
  if (a.record.kind == access_kind::at && boxes_on_grid(p, a)) return {};
  return {compare_boxes(p, a, a, check::one_writer)};
}

/// Two accesses of one tensor, of which the first writes.
constexpr race_result compare(program_view const& p, at_summaries const& at, touch const& a, touch const& b,
                              check what, bool deep) {
  if (a.execute == b.execute && a.inside && b.inside && what == check::nobody_reads_what_another_writes) return {};
  execute_record const& ea = p.executes[a.execute];
  execute_record const& eb = p.executes[b.execute];
  execute_tiles const ra = range_of(p, ea);
  execute_tiles const rb = range_of(p, eb);
  if (ra.count == 0 || rb.count == 0) return {};
  if (a.inside && b.inside) {
    if (ra.last() < rb.first || rb.last() < ra.first) return {};
    if (!deep) return {{}, true};
    return {compare_tiles(p, a, b, what)};
  }
  region const ha = a.record.kind == access_kind::at ? at.of(a.access).covered : hull_of(p, ra, a.record);
  region const hb = b.record.kind == access_kind::at ? at.of(b.access).covered : hull_of(p, rb, b.record);
  if (!overlap(ha, hb)) return {};
  if (!deep) return {{}, true};
  if (b.same) return {compare_with_same(p, a, b, what)};
  if (a.same && what == check::one_writer) return {compare_with_same(p, b, a, what)};
  if (a.inside) return {compare_with_owners(p, a, b, what, false)};
  if (b.inside) return {compare_with_owners(p, b, a, what, true)};
  return {compare_boxes(p, a, b, what)};
}

}  // namespace detail

/// The first race of a compute set. Without `deep`, only what closed forms can tell.
constexpr race_result find_race_in(program_view const& p, at_summaries const& at, int step, bool deep) {
  race_result result;
  step_record const& s = p.steps[step];
  auto const merge = [&](race_result const& r) {
    if (!result.first.found()) result.first = r.first;
    result.undecided |= r.undecided;
  };
  for (int i = s.first; i < s.first + s.count; ++i) {
    execute_record const& e = p.executes[i];
    for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
      if (p.accesses[j].dir == direction::in || p.tensors[p.accesses[j].tensor].map.replicated) continue;
      detail::touch const a = detail::touch_of(p, at, i, j);
      merge(detail::compare_with_itself(p, at, a, deep));
      for (int k = s.first; k < s.first + s.count; ++k) {
        execute_record const& other = p.executes[k];
        for (int l = other.first_access; l < other.first_access + other.accesses; ++l) {
          access_record const& b = p.accesses[l];
          if (b.kind == access_kind::gather && b.index == a.record.tensor)
            merge(detail::compare(p, at, a, detail::index_of(p, k, l), check::nobody_reads_what_another_writes, deep));
          if (b.tensor != a.record.tensor) continue;
          detail::touch const other_touch = detail::touch_of(p, at, k, l);
          if (b.dir != direction::in && l > j) merge(detail::compare(p, at, a, other_touch, check::one_writer, deep));
          if (b.dir == direction::in || (b.dir == direction::inout && !(l == j && a.inside)))
            merge(detail::compare(p, at, a, other_touch, check::nobody_reads_what_another_writes, deep));
          if (result.first.found()) {
            result.first.step = step;
            return result;
          }
        }
      }
      if (result.first.found()) {
        result.first.step = step;
        return result;
      }
    }
  }
  return result;
}

/// The compute sets of a program that closed forms leave open.
template <int Steps>
struct open_steps {
  int step[Steps + 1] = {};
  int count = 0;
  finding first;
};

/// Closed forms for all steps. @return the first race, or the steps that have to be looked at
template <int Steps>
constexpr open_steps<Steps> find_races_in_closed_form(program_view const& p, at_summaries const& at) {
  open_steps<Steps> open;
  for (int s = 0; s < p.step_count; ++s) {
    if (p.steps[s].kind != step_kind::compute) continue;
    race_result const r = find_race_in(p, at, s, false);
    if (r.first.found()) {
      open.first = r.first;
      return open;
    }
    if (r.undecided) open.step[open.count++] = s;
  }
  return open;
}

/// The first race of a program that is not known to the compiler.
constexpr finding find_races(program_view const& p, at_summaries const& at) {
  for (int s = 0; s < p.step_count; ++s) {
    if (p.steps[s].kind != step_kind::compute) continue;
    race_result const r = find_race_in(p, at, s, true);
    if (r.first.found()) return r.first;
  }
  return {};
}

namespace detail {

/// One compute set in an evaluation of its own.
template <class Program, int Step>
inline constexpr finding race_in_step =
    find_race_in(Program::view(), summaries_of<Program>.view(), Step, true).first;

template <class Program>
inline constexpr auto open_steps_of =
    find_races_in_closed_form<Program::view().step_count>(Program::view(), summaries_of<Program>.view());

template <class Program, int... I>
constexpr finding first_race(std::integer_sequence<int, I...>) {
  finding f = open_steps_of<Program>.first;
  ((f.found() ? void() : void(f = race_in_step<Program, open_steps_of<Program>.step[I]>)), ...);
  return f;
}

}  // namespace detail

/// The first race of a program that the compiler knows; a compute set that needs a walk is an evaluation of its own.
template <class Program>
inline constexpr finding race_of =
    detail::first_race<Program>(std::make_integer_sequence<int, detail::open_steps_of<Program>.count>{});

}  // namespace tessera

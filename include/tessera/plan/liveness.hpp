// SPDX-License-Identifier: Apache-2.0
// Liveness: at which steps each memory item needs its memory.
//
//   execute(halo(u), v); execute(own(v), w); execute(own(w), u)     ->   u: 0, 2    v: 0, 1    w: 1, 2
//
// A tensor is live where a later step may read a value that an earlier one may have written. This is the classic pair
// of dataflow problems (Aho, Lam, Sethi, Ullman, "Compilers", 2nd ed., section 9.2) on the bracketed list of steps,
// with one set of tensors, a few words, for each step.
#pragma once

#include <tessera/plan/detail/bit_row.hpp>
#include <tessera/plan/detail/ranges.hpp>
#include <tessera/plan/fault.hpp>
#include <tessera/plan/plan.hpp>

namespace tessera {

/// Which tensors each step reads, may write, and certainly writes completely.
template <record_counts N>
struct step_effects {
  using tensor_set = detail::bit_row<N.tensors>;
  tensor_set reads[N.steps + 1];
  tensor_set writes[N.steps + 1];
  tensor_set kills[N.steps + 1];
};

/// At which steps memory is occupied. Row step_count is the time between two runs, when the host reads and writes.
template <record_counts N>
struct liveness_plan {
  using tensor_set = detail::bit_row<N.tensors>;
  tensor_set occupied[N.steps + 1];    ///< tensors that hold a value before or after the step, or are touched by it
  tensor_set live_after[N.steps + 1];  ///< tensors whose value is read after the step
  int step_of_access[N.accesses + 1] = {};   ///< the step whose buffer an access has; -1: it has none
  int step_of_execute[N.executes + 1] = {};  ///< the step of an execute

  /// Whether a memory item (numbered as in plan.hpp) occupies memory at a step.
  constexpr bool occupies(int item, int step) const {
    if (item < N.tensors) return occupied[step].test(item);
    if (item < N.tensors + N.accesses) return step_of_access[item - N.tensors] == step;
    return step_of_execute[item - N.tensors - N.accesses] == step;
  }
};

namespace detail {

/// Whether the executes of a compute set together write all elements of the tensor of `a`, an access of `e` that is
/// written only.
constexpr bool writes_all(program_view const& p, step_record const& s, execute_record const& e,
                          access_record const& a) {
  if (!boxes_cover_tensor(p, a)) return false;
  if (!follows_mapping(p, a)) return !running_range(p, e).empty();
  mapping_record const& map = p.tensors[a.by].map;
  int const last = map.first_tile + map.tiles() - 1;
  if (within({e.first_tile, e.last_tile, e.stride}, map.first_tile, last).count() == map.tiles()) return true;
  // Several executes, each on its own tiles; where blocks may be empty, ranges may leave them out, so do not count.
  int tiles = 0;
  for (int i = s.first; i < s.first + s.count; ++i) {
    execute_record const& other = p.executes[i];
    for (int j = other.first_access; j < other.first_access + other.accesses; ++j) {
      access_record const& b = p.accesses[j];
      if (b.tensor != a.tensor || b.dir != direction::out || b.by != a.by || !boxes_cover_tensor(p, b)) continue;
      tiles += within({other.first_tile, other.last_tile, other.stride}, map.first_tile, last).count();
      break;
    }
  }
  return tiles == map.tiles();
}

}  // namespace detail

/// What each step does to tensors.
template <record_counts N>
constexpr step_effects<N> effects_of(program_view const& p) {
  step_effects<N> out;
  for (int s = 0; s < p.step_count; ++s) {
    step_record const& step = p.steps[s];
    if (step.kind == step_kind::copy) {
      out.reads[s].set(p.accesses[step.first].tensor);
      out.writes[s].set(p.accesses[step.first + 1].tensor);
      out.kills[s].set(p.accesses[step.first + 1].tensor);
      continue;
    }
    if (step.kind == step_kind::while_begin || step.kind == step_kind::if_begin) out.reads[s].set(step.tensor);
    if (step.kind != step_kind::compute) continue;
    for (int i = step.first; i < step.first + step.count; ++i) {
      execute_record const& e = p.executes[i];
      for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
        access_record const& a = p.accesses[j];
        if (a.dir != direction::out) out.reads[s].set(a.tensor);
        if (a.kind == access_kind::gather) out.reads[s].set(a.index);
        if (a.dir == direction::in) continue;
        out.writes[s].set(a.tensor);
        if (a.dir == direction::out && (planted_fault == 8 || detail::writes_all(p, step, e, a)))
          out.kills[s].set(a.tensor);
      }
    }
  }
  return out;
}

namespace detail {

/// Tensors that may hold a value before and after each step, from the start of a run on.
template <record_counts N>
struct reach_plan {
  bit_row<N.tensors> before[N.steps + 1];
  bit_row<N.tensors> after[N.steps + 1];
};

template <record_counts N>
constexpr reach_plan<N> plan_reach(program_view const& p, step_effects<N> const& effects) {
  reach_plan<N> out;
  bit_row<N.tensors> now;
  for (int t = 0; t < p.tensor_count; ++t)
    if (p.tensors[t].input || p.tensors[t].parameter) now.set(t);
  for (int s = 0; s < p.step_count; ++s) {
    step_record const& step = p.steps[s];
    out.before[s] = now;
    // Nothing takes a value away: what a loop's body writes anywhere may be there when it begins again.
    if (step.kind == step_kind::while_begin || (step.kind == step_kind::repeat_begin && step.count > 1))
      for (int i = s; i < step.other; ++i) now.add(effects.writes[i]);
    if (step.kind == step_kind::if_else) now = out.before[p.steps[step.other].other];  // the branch not taken first
    if (step.kind == step_kind::if_end) now.add(out.before[p.steps[step.other].other]);
    now.add(effects.writes[s]);
    out.after[s] = now;
  }
  return out;
}

}  // namespace detail

/// At which steps each memory item occupies memory.
///
/// Inputs that no step writes keep their values from run to run and are live throughout, as parameters are; between
/// runs every input and output occupies memory. A buffer or scratch occupies its own step. A tensor that is written
/// and never read occupies memory where it is written.
template <record_counts N>
constexpr liveness_plan<N> plan_liveness(program_view const& p, exchange_plan<N> const& exchange) {
  using tensor_set = detail::bit_row<N.tensors>;
  liveness_plan<N> plan;
  step_effects<N> const effects = effects_of<N>(p);
  detail::reach_plan<N> const reach = detail::plan_reach<N>(p, effects);

  tensor_set written;
  for (int s = 0; s < p.step_count; ++s) written.add(effects.writes[s]);
  tensor_set at_exit;
  for (int t = 0; t < p.tensor_count; ++t) {
    tensor_record const& tensor = p.tensors[t];
    if (tensor.output || tensor.parameter || (tensor.input && !written.test(t))) at_exit.set(t);
    if (tensor.input || tensor.output || tensor.parameter) plan.occupied[p.step_count].set(t);
  }
  plan.live_after[p.step_count] = at_exit;

  tensor_set before[N.steps + 1];  // live before a step; of a loop's begin: the last pass's until this one gets there
  tensor_set behind[N.steps + 1];  // of an end bracket: live behind it
  for (bool changed = true; changed;) {
    changed = false;
    tensor_set live = at_exit;
    for (int s = p.step_count - 1; s >= 0; --s) {
      step_record const& step = p.steps[s];
      tensor_set after = live;
      switch (step.kind) {
        case step_kind::repeat_end:
        case step_kind::while_end:
          behind[s] = live;
          if (planted_fault != 9 && !(step.kind == step_kind::repeat_end && p.steps[step.other].count <= 1))
            after.add(before[step.other]);
          live = after;
          break;
        case step_kind::while_begin:
          live.add(behind[step.other]);
          after = live;
          break;
        case step_kind::if_end: behind[s] = live; break;
        case step_kind::if_else:
          behind[s] = live;  // live before the second branch
          live = behind[step.other];
          break;
        case step_kind::if_begin:
          live.add(behind[step.other]);
          after = live;
          break;
        default: break;
      }
      live.remove(effects.kills[s]);
      live.add(effects.reads[s]);
      plan.live_after[s] = after;
      bool const loop = step.kind == step_kind::repeat_begin || step.kind == step_kind::while_begin;
      if (loop && !(before[s] == live)) changed = true;
      before[s] = live;
    }
  }

  for (int s = 0; s < p.step_count; ++s) {
    tensor_set& row = plan.occupied[s];
    row = before[s];
    row.keep(reach.before[s]);
    tensor_set after = plan.live_after[s];
    after.keep(reach.after[s]);
    row.add(after);
    row.add(effects.reads[s]);
    row.add(effects.writes[s]);
    if constexpr (planted_fault == 4) {
      tensor_set last = effects.reads[s];
      last.remove(plan.live_after[s]);
      last.remove(effects.writes[s]);
      row.remove(last);
    }
    for (int t = 0; t < p.tensor_count; ++t)
      if (p.tensors[t].parameter) row.set(t);
  }

  for (int& step : plan.step_of_access) step = -1;
  for (int s = 0; s < p.step_count; ++s) {
    if (p.steps[s].kind != step_kind::compute) continue;
    for (int i = p.steps[s].first; i < p.steps[s].first + p.steps[s].count; ++i) {
      plan.step_of_execute[i] = s;
      for (int j = p.executes[i].first_access; j < p.executes[i].first_access + p.executes[i].accesses; ++j)
        if (exchange.access[j].form != field_form::view && exchange.access[j].form != field_form::resident)
          plan.step_of_access[j] = s;
    }
  }
  return plan;
}

}  // namespace tessera

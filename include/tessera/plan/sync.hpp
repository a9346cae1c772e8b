// SPDX-License-Identifier: Apache-2.0
// Barriers: where all threads must meet, and nowhere else. Compute sets between two barriers run back to back on each
// tile (superstep fusion).
//
//   repeat<50>(execute(halo(u), v), execute(halo(v), u))   ->   one barrier before each step
//   execute(own(u), v), execute(own(v), w)                 ->   none: a tile reads only what it wrote itself
//
// A tile always belongs to the same thread. An access is *near* if on every tile it stays within the tile's own block,
// else *far*. Two accesses of the same memory need a barrier between them if one of them writes, unless both are near.
#pragma once

#include <tessera/plan/overlaps.hpp>

namespace tessera {

namespace detail {

/// What has happened since the last barrier: four sets of tensors, and the steps whose buffers were used.
template <record_counts N>
struct pending_accesses {
  bit_row<N.tensors> near_read;
  bit_row<N.tensors> far_read;
  bit_row<N.tensors> near_write;
  bit_row<N.tensors> far_write;
  bit_row<N.steps> buffers;

  constexpr void add(pending_accesses const& other) {
    near_read.add(other.near_read);
    far_read.add(other.far_read);
    near_write.add(other.near_write);
    far_write.add(other.far_write);
    buffers.add(other.buffers);
  }
  constexpr bool contains(pending_accesses const& other) const {
    return near_read.contains(other.near_read) && far_read.contains(other.far_read) &&
           near_write.contains(other.near_write) && far_write.contains(other.far_write) &&
           buffers.contains(other.buffers);
  }
};

constexpr void exchange_bits(auto& row, int a, int b) {
  bool const had_a = row.test(a);
  bool const had_b = row.test(b);
  if (had_a == had_b) return;
  if (had_a) row.clear(a), row.set(b);
  else row.clear(b), row.set(a);
}

/// What one step does to memory before any of its phases must wait, and what of it is left behind its last barrier.
template <record_counts N>
struct step_accesses {
  pending_accesses<N> checked;  ///< must not conflict with what is pending
  pending_accesses<N> left;     ///< is pending afterwards
  bool inside = false;          ///< has shared buffers: a barrier between filling them and running vertices
};

/// The accesses of every step; a pass of its own, since loops make the barrier pass walk steps several times.
template <record_counts N>
struct access_sets {
  step_accesses<N> step[N.steps + 1];
};

template <record_counts N>
constexpr void collect_execute(program_view const& p, exchange_plan<N> const& exchange, at_summaries const& summaries,
                               execute_record const& e, pending_accesses<N>& pack, pending_accesses<N>& run,
                               bool& shared_buffers, bool& own_buffers) {
  auto const read = [&](pending_accesses<N>& phase, int tensor, bool near) {
    if (!p.tensors[tensor].parameter) (near ? phase.near_read : phase.far_read).set(tensor);
  };
  for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
    access_record const& a = p.accesses[j];
    field_form const form = exchange.access[j].form;
    if (form == field_form::resident) continue;
    bool const known = a.kind == access_kind::at && summaries.count > 0;
    bool const near = stays_on_tile(p, e, a, known ? &summaries.of(j) : nullptr);
    if (a.kind == access_kind::gather)
      read(form == field_form::shared ? pack : run, a.index, a.by == a.index && !p.tensors[a.index].map.replicated);
    if (form == field_form::shared) {
      shared_buffers = true;
      read(pack, a.tensor, false);
      continue;
    }
    own_buffers |= form != field_form::view;
    if (a.dir != direction::out) read(run, a.tensor, near);
    if (a.dir != direction::in) (near ? run.near_write : run.far_write).set(a.tensor);
  }
  own_buffers |= scratch_bytes(p, e) > 0;
}

template <record_counts N>
constexpr void collect_copy(program_view const& p, step_record const& step, pending_accesses<N>& run) {
  int const source = p.accesses[step.first].tensor;
  int const destination = p.accesses[step.first + 1].tensor;
  tensor_record const& from = p.tensors[source];
  tensor_record const& to = p.tensors[destination];
  bool const one_copy = p.target.shared && to.map.replicated;  // everybody's, so nobody's own
  bool const near_source = from.map.replicated ? !p.target.shared : from.map == to.map;
  if (!from.parameter) (near_source && !one_copy ? run.near_read : run.far_read).set(source);
  (one_copy ? run.far_write : run.near_write).set(destination);
}

}  // namespace detail

/// What every step reads and writes, near and far. Copies that are swaps touch nothing.
template <record_counts N>
constexpr detail::access_sets<N> plan_accesses(program_view const& p, exchange_plan<N> const& exchange,
                                               swap_plan<N> const& swaps, at_summaries const& summaries = {}) {
  detail::access_sets<N> out;
  for (int s = 0; s < p.step_count; ++s) {
    step_record const& step = p.steps[s];
    detail::step_accesses<N>& now = out.step[s];
    if (step.kind == step_kind::while_begin || step.kind == step_kind::if_begin) {
      if (!p.tensors[step.tensor].parameter) now.checked.far_read.set(step.tensor);
    } else if (step.kind == step_kind::copy) {
      if (!swaps.swap[s]) detail::collect_copy<N>(p, step, now.checked);
    } else if (step.kind == step_kind::compute) {
      detail::pending_accesses<N> pack;
      bool own_buffers = false;
      for (int e = step.first; e < step.first + step.count; ++e)
        detail::collect_execute<N>(p, exchange, summaries, p.executes[e], pack, now.left, now.inside, own_buffers);
      // Buffers of its own a tile fills and uses in its own memory; where memory is shared, a thread's workspace.
      if (now.inside || (own_buffers && !p.target.shared)) now.left.buffers.set(s);
      if (now.inside) pack.buffers.set(s);
      now.checked = now.inside ? pack : now.left;
      continue;
    }
    now.left = now.checked;
  }
  return out;
}

namespace detail {

/// Whether two sets of accesses need a barrier between them.
template <record_counts N>
constexpr bool conflict(program_view const& p, overlap_plan<N> const& overlaps, exchange_plan<N> const& exchange,
                        memory_plan<N> const& memory, pending_accesses<N> const& before,
                        pending_accesses<N> const& now) {
  // The same tensor.
  if (planted_fault != 1)
    if (before.far_write.meets(now.near_read) || before.far_write.meets(now.far_read) ||
        before.near_write.meets(now.far_read))
      return true;
  if (planted_fault != 2)
    if (before.far_read.meets(now.near_write) || before.far_read.meets(now.far_write) ||
        before.near_read.meets(now.far_write))
      return true;
  if (before.far_write.meets(now.near_write) || before.far_write.meets(now.far_write) ||
      before.near_write.meets(now.far_write))
    return true;

  // Other tensors in the same memory. In private memory near accesses stay in the tile's own; in shared memory the
  // blocks of two tensors do not correspond, and every access is far.
  bit_row<N.tensors> written = before.near_write;
  written.add(before.far_write);
  bit_row<N.tensors> used = before.near_read;
  used.add(before.far_read);
  used.add(written);
  bit_row<N.tensors> far_written = before.far_write;
  bit_row<N.tensors> far_used = before.far_read;
  far_used.add(before.far_write);
  bool const shared = p.target.shared;
  bool found = false;
  now.near_read.for_each([&](int t) { found |= overlaps.tensors[t].meets(shared ? written : far_written); });
  now.near_write.for_each([&](int t) { found |= overlaps.tensors[t].meets(shared ? used : far_used); });
  now.far_read.for_each([&](int t) { found |= overlaps.tensors[t].meets(written); });
  now.far_write.for_each([&](int t) { found |= overlaps.tensors[t].meets(used); });
  if (found) return true;

  // Buffers, which are always written: near in private memory, far in shared memory.
  bit_row<N.tensors> reaching = now.far_read;
  reaching.add(now.far_write);
  if (shared) {
    reaching.add(now.near_read);
    reaching.add(now.near_write);
  }
  before.buffers.for_each([&](int s) { found |= overlaps.buffers[s].meets(reaching); });
  now.buffers.for_each([&](int s) {
    found |= overlaps.buffers[s].meets(shared ? used : far_used);
    if (!shared || found) return;
    before.buffers.for_each([&](int other) {
      for_each_buffer<N>(p, exchange, memory, 0, s, [&](byte_range mine) {
        for_each_buffer<N>(p, exchange, memory, 0, other, [&](byte_range theirs) { found |= mine.meets(theirs); });
      });
    });
  });
  return found;
}

}  // namespace detail

/// The barriers of a program: each as late as possible, which makes them fewest on every straight piece. Loops are
/// walked until what the end of a body leaves pending is what its beginning was checked against.
template <record_counts N>
constexpr sync_plan<N> plan_sync(program_view const& p, exchange_plan<N> const& exchange, memory_plan<N> const& memory,
                                 swap_plan<N> const& swaps, overlap_plan<N> const& overlaps,
                                 detail::access_sets<N> const& accesses) {
  using pending = detail::pending_accesses<N>;
  sync_plan<N> plan{};
  pending assumed[N.steps + 1];  // of a loop's begin: what the end of its body leaves
  pending kept[N.steps + 1];     // of if_begin and if_else: what the first branch starts with, and leaves
  bool changed = true;
  for (int walk = 0; changed; ++walk) {
    changed = false;
    pending now;
    for (int s = 0; s < p.step_count; ++s) {
      step_record const& step = p.steps[s];
      bool const loop = step.kind == step_kind::while_begin || (step.kind == step_kind::repeat_begin && step.count > 1);
      if (loop) now.add(assumed[s]);
      detail::step_accesses<N> const& mine = accesses.step[s];
      plan.before[s] = detail::conflict<N>(p, overlaps, exchange, memory, now, mine.checked);
      plan.inside[s] = mine.inside;
      if (plan.before[s] || mine.inside) now = pending{};
      now.add(mine.left);
      switch (step.kind) {
        case step_kind::copy:
          if (swaps.swap[s]) {
            int const a = p.accesses[step.first].tensor;
            int const b = p.accesses[step.first + 1].tensor;
            for (auto* row : {&now.near_read, &now.far_read, &now.near_write, &now.far_write})
              detail::exchange_bits(*row, a, b);
          }
          break;
        case step_kind::if_begin: kept[s] = now; break;
        case step_kind::if_else:
          kept[s] = now;
          now = kept[p.steps[step.other].other];
          break;
        case step_kind::if_end: now.add(kept[p.steps[step.other].other]); break;
        case step_kind::while_begin: kept[s] = now; break;
        case step_kind::while_end:
        case step_kind::repeat_end: {
          pending& back = assumed[step.other];
          bool const again = step.kind == step_kind::while_end || p.steps[step.other].count > 1;
          if (again && !back.contains(now)) {
            changed = true;
            // The first walks take what is really left; should that not settle, sets only grow from then on.
            if (walk < 3) back = now;
            else back.add(now);
          }
          if (step.kind == step_kind::while_end) now = kept[step.other];
          break;
        }
        default: break;
      }
    }
  }
  return plan;
}

/// The barriers of a program, in one go.
template <record_counts N>
constexpr sync_plan<N> plan_sync(program_view const& p, exchange_plan<N> const& exchange, memory_plan<N> const& memory,
                                 swap_plan<N> const& swaps) {
  return plan_sync<N>(p, exchange, memory, swaps, plan_overlaps<N>(p, exchange, memory, swaps),
                      plan_accesses<N>(p, exchange, swaps));
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Cost: cycles of each superstep by the machine's constants, before anything has run.
//
//   compute    the slowest tile: a vertex takes the longer of its operations and of its traffic with its own memory
//   exchange   the busiest tile: bytes that it receives, or sends, over the bytes a tile moves in a cycle
//   sync       the barriers
//
// This is the bulk-synchronous cost model (Valiant, "A bridging model for parallel computation", CACM 33(8), 1990):
// the sum over supersteps of w + g h + l. Maxima over tiles are taken over the tiles that stand for all others
// (detail/sample_tiles.hpp).
#pragma once

#include <tessera/plan/detail/sample_tiles.hpp>
#include <tessera/plan/memory.hpp>
#include <tessera/plan/swap.hpp>

namespace tessera {

/// The cost of one step, each time it runs.
struct step_cost {
  double compute = 0;               ///< cycles
  double exchange = 0;              ///< cycles
  double sync = 0;                  ///< cycles
  double times = 1;                 ///< how often a run gets there; bodies of while loops count once
  bool counted = true;              ///< false in the cheaper branch of an if_
  bool guessed = false;             ///< a vertex does not state its cost
  int critical_tile = -1;           ///< the tile that computes longest
  int exchange_tile = -1;           ///< the tile that receives most
  int running_tiles = 0;            ///< tiles that run a vertex
  std::int64_t exchange_bytes = 0;  ///< what the busiest tile receives or sends
  std::int64_t vertex_bytes = 0;    ///< the most that one vertex touches: fields, scratch and state
  int vertex = -1;                  ///< the execute of that vertex

  constexpr double cycles() const { return compute + exchange + sync; }
};

/// The cost of a run.
template <record_counts N>
struct cost_plan {
  step_cost step[N.steps + 1];
  double cycles = 0;
  double compute = 0;
  double exchange = 0;
  double sync = 0;
  double seconds = 0;           ///< cycles at the machine's clock
  int critical_step = -1;       ///< the step that takes most of the cycles, all its times together …
  int critical_tile = -1;       ///< … and the tile that is slowest there
  std::int64_t tile_bytes = 0;  ///< what the fullest tile needs
  int fullest_tile = 0;
  bool guessed = false;     ///< a vertex does not state its cost
  bool open_ended = false;  ///< there is a while loop, whose body is counted once
};

namespace detail {

/// Bytes that a tile receives for one access, and bytes that the busiest tile sends for it.
struct traffic {
  double received = 0;
  double sent = 0;
};

/// The exchange of one access on a tile. A tile sends an element at most once for an access (all that want it listen):
/// for halos and neighbours it sends what it receives, for anything else at most its own block.
constexpr traffic access_traffic(program_view const& p, execute_record const& e, access_record const& a,
                                 access_plan const& plan, int tile, region const& box) {
  tensor_record const& t = p.tensors[a.tensor];
  if (plan.form == field_form::resident || box.empty() || is_view(p, a, plan, tile)) return {};
  double const size = bytes_of(t.type);
  if (p.target.shared) {
    if (plan.form == field_form::shared)
      return {static_cast<double>(plan.boxes) * static_cast<double>(plan.box_bytes) / running_range(p, e).count(), 0};
    return {static_cast<double>(box.volume()) * size, 0};
  }
  std::int64_t own = a.kind == access_kind::gather ? 0 : intersect(box, block_of(t, tile)).volume();
  double const moved = static_cast<double>(box.volume() - own) * size;
  if (a.dir == direction::out) return {0, moved};
  double sent = moved;
  if (a.kind != access_kind::halo && a.kind != access_kind::neighbour) {
    double const block = static_cast<double>(largest_block(t)) * size;
    double const all = moved * running_range(p, e).count();
    sent = block < all ? block : all;
  }
  return {moved, a.dir == direction::inout ? sent + moved : sent};
}

/// On how many tiles an execute's vertex runs.
constexpr int running_tiles(program_view const& p, execute_record const& e) {
  tile_range const tiles = running_range(p, e);
  int most = 0;
  for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
    access_record const& a = p.accesses[j];
    if (a.dir == direction::in || !follows_mapping(p, a)) continue;
    tensor_record const& by = p.tensors[a.by];
    if (no_block_is_empty(by)) return tiles.count();
    int filled = 1;
    for (int d = 0; d < max_rank; ++d) filled *= by.map.grid[d] < by.extent[d] ? by.map.grid[d] : by.extent[d];
    if (filled > most) most = filled;
  }
  if (tiles.count() <= few_tiles) {
    int count = 0;
    for (int i = tiles.first; i <= tiles.last; i += tiles.stride) count += runs_on(p, e, i) ? 1 : 0;
    return count;
  }
  return most == 0 || most > tiles.count() ? tiles.count() : most;
}

constexpr double larger(double a, double b) { return a > b ? a : b; }

inline constexpr int most_fields = 16;

constexpr step_cost compute_step_cost(program_view const& p, access_plan const* exchange, step_record const& step) {
  step_cost out;
  machine const& m = p.target;
  tile_samples tiles;
  for (int i = step.first; i < step.first + step.count; ++i) {
    add_execute_samples(p, p.executes[i], tiles);
    out.running_tiles += running_tiles(p, p.executes[i]);
    out.guessed |= !p.kernels[p.executes[i].kernel].cost_stated;
  }
  if (out.running_tiles > m.tiles) out.running_tiles = m.tiles;
  double busiest_received = 0;
  double busiest_sent = 0;
  for (int tile : tiles) {
    double compute = 0;
    traffic moved;
    for (int i = step.first; i < step.first + step.count; ++i) {
      execute_record const& e = p.executes[i];
      if (!e.has_tile(tile)) continue;
      region fields[most_fields];
      for (region& r : fields) r = empty_region();
      std::int64_t touched = 0;
      bool runs = false;
      traffic mine;
      for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
        access_record const& a = p.accesses[j];
        region& box = fields[a.field];
        box = covered(p, a, tile);
        if (box.empty()) continue;
        runs |= a.dir != direction::in;
        touched += box.volume() * bytes_of(p.tensors[a.tensor].type);
        traffic const one = access_traffic(p, e, a, exchange[j], tile, box);
        mine.received += one.received;
        mine.sent += one.sent;
      }
      if (!runs) continue;
      kernel_record const& k = p.kernels[e.kernel];
      work const w = k.cost(fields);
      compute += larger(w.flops / m.flops_per_cycle, w.bytes / m.local_bytes_per_cycle);
      moved.received += mine.received;
      moved.sent += mine.sent;
      touched += scratch_bytes(p, e) + k.state_bytes;
      if (touched > out.vertex_bytes) {
        out.vertex_bytes = touched;
        out.vertex = i;
      }
    }
    if (out.critical_tile < 0 || compute > out.compute) {
      out.compute = compute;
      out.critical_tile = tile;
    }
    if (moved.received > busiest_received) {
      busiest_received = moved.received;
      out.exchange_tile = tile;
    }
    busiest_sent = larger(busiest_sent, moved.sent);
  }
  double const busiest = larger(busiest_received, busiest_sent);
  out.exchange_bytes = static_cast<std::int64_t>(busiest);
  out.exchange = busiest / m.exchange_bytes_per_cycle;
  return out;
}

/// A copy between equal mappings stays on each tile and counts as computing; any other is an exchange.
constexpr step_cost copy_step_cost(program_view const& p, step_record const& step) {
  step_cost out;
  tensor_record const& from = p.tensors[p.accesses[step.first].tensor];
  tensor_record const& to = p.tensors[p.accesses[step.first + 1].tensor];
  machine const& m = p.target;
  double const size = bytes_of(to.type);
  if (from.map == to.map) {
    out.compute = 2 * size * static_cast<double>(largest_block(to)) / m.local_bytes_per_cycle;
    out.critical_tile = to.map.first_tile;
    out.running_tiles = to.map.replicated ? m.tiles : to.map.tiles();
    return out;
  }
  tile_samples tiles;
  tile_range const all{0, m.tiles - 1, 1};
  if (to.map.replicated) tiles.add(0), tiles.add(m.tiles - 1);
  else add_mapping_samples(to, all, tiles);
  double received = 0;
  for (int tile : tiles) {
    region const box = block_of(to, tile);
    std::int64_t const own = m.shared ? 0 : intersect(box, block_of(from, tile)).volume();
    double const bytes = static_cast<double>(box.volume() - own) * size;
    if (bytes <= received) continue;
    received = bytes;
    out.exchange_tile = tile;
  }
  int const receivers = to.map.replicated ? m.tiles : to.map.tiles();
  double const block = static_cast<double>(largest_block(from)) * size;
  double sent = m.shared || from.map.replicated ? 0 : received * receivers;
  if (sent > block) sent = block;
  out.running_tiles = receivers;
  out.exchange_bytes = static_cast<std::int64_t>(larger(received, sent));
  out.exchange = larger(received, sent) / m.exchange_bytes_per_cycle;
  return out;
}

}  // namespace detail

/// The cost of one step, barriers left out.
template <record_counts N>
constexpr step_cost estimate_step(program_view const& p, exchange_plan<N> const& exchange, swap_plan<N> const& swaps,
                                  int s) {
  step_record const& step = p.steps[s];
  if (step.kind == step_kind::compute) return detail::compute_step_cost(p, exchange.access, step);
  if (step.kind == step_kind::copy && !swaps.swap[s]) return detail::copy_step_cost(p, step);
  return {};
}

/// Steps that are estimated in one constant evaluation.
inline constexpr int steps_a_piece = 32;

/// The costs of steps [first, first + steps_a_piece).
struct cost_piece {
  step_cost step[steps_a_piece];
};

/// A piece of the steps of a program, for large ones to estimate in constants of their own.
template <record_counts N>
constexpr cost_piece estimate_piece(program_view const& p, exchange_plan<N> const& exchange, swap_plan<N> const& swaps,
                                    int first) {
  cost_piece out;
  for (int i = 0; i < steps_a_piece && first + i < p.step_count; ++i)
    out.step[i] = estimate_step<N>(p, exchange, swaps, first + i);
  return out;
}

/// The cost of a run from the costs of its steps; `pieces` has an element for each steps_a_piece steps.
/// Of the branches of an if_ the dearer one counts.
template <record_counts N>
constexpr cost_plan<N> join_costs(program_view const& p, memory_plan<N> const& memory, sync_plan<N> const& sync,
                                  cost_piece const* const* pieces) {
  cost_plan<N> plan{};
  double times = 1;
  double spent = 0;                   // cycles, all times together, of what has been walked
  double at_begin[N.steps + 1] = {};  // of if_begin and if_else: `spent` there
  for (int s = 0; s < p.step_count; ++s) {
    step_record const& step = p.steps[s];
    step_cost& cost = plan.step[s];
    cost = pieces[s / steps_a_piece]->step[s % steps_a_piece];
    if (step.kind == step_kind::repeat_begin) times *= step.count;
    if (step.kind == step_kind::repeat_end) times /= p.steps[step.other].count;
    if (step.kind == step_kind::while_begin) plan.open_ended = true;
    cost.times = times;
    cost.sync = ((sync.before[s] ? 1 : 0) + (sync.inside[s] ? 1 : 0)) * static_cast<double>(p.target.sync_cycles);
    spent += times * cost.cycles();
    if (step.kind == step_kind::if_begin || step.kind == step_kind::if_else) at_begin[s] = spent;
    if (step.kind == step_kind::if_end) {
      int const begin = step.other;
      int const middle = p.steps[begin].other;
      double const first = at_begin[middle] - at_begin[begin];
      double const second = spent - at_begin[middle];
      for (int i = first < second ? begin + 1 : middle + 1; i < (first < second ? middle : s); ++i)
        plan.step[i].counted = false;
      spent -= first < second ? first : second;
    }
  }
  double most = -1;
  for (int s = 0; s < p.step_count; ++s) {
    step_cost const& cost = plan.step[s];
    if (!cost.counted) continue;
    plan.compute += cost.times * cost.compute;
    plan.exchange += cost.times * cost.exchange;
    plan.sync += cost.times * cost.sync;
    plan.guessed |= cost.guessed;
    if (cost.times * cost.cycles() > most && cost.running_tiles > 0) {
      most = cost.times * cost.cycles();
      plan.critical_step = s;
      plan.critical_tile =
          cost.compute >= cost.exchange || cost.exchange_tile < 0 ? cost.critical_tile : cost.exchange_tile;
    }
  }
  plan.cycles = plan.compute + plan.exchange + plan.sync;
  plan.seconds = plan.cycles / p.target.clock_hz;
  for (int c = 0; c < memory.classes; ++c)
    if (memory.tile_bytes[c] > plan.tile_bytes) {
      plan.tile_bytes = memory.tile_bytes[c];
      plan.fullest_tile = memory.tile_bytes_tiles[c].first;
    }
  return plan;
}

/// The cost of a program, in one go.
template <record_counts N>
constexpr cost_plan<N> estimate_program(program_view const& p, exchange_plan<N> const& exchange,
                                        memory_plan<N> const& memory, swap_plan<N> const& swaps,
                                        sync_plan<N> const& sync) {
  constexpr int count = N.steps / steps_a_piece + 1;
  cost_piece pieces[count];
  cost_piece const* each[count] = {};
  for (int i = 0; i < count; ++i) {
    pieces[i] = estimate_piece<N>(p, exchange, swaps, i * steps_a_piece);
    each[i] = &pieces[i];
  }
  return join_costs<N>(p, memory, sync, each);
}

}  // namespace tessera

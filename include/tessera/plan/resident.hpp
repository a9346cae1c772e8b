// SPDX-License-Identifier: Apache-2.0
// What a tile holds at a step, item by item: the byte table of reports and of the proof that memory suffices.
//
//   step 2 of heat on tile 3   ->   tensor u 131072, tensor v 131072, buffer of u (halo) 139264, state of jacobi 4
//
// Where memory is shared, elided views do not count, a shared buffer counts once for each tile that reads it, and
// parameters count as the boxes that a vertex sees.
#pragma once

#include <tessera/plan/liveness.hpp>

namespace tessera {

enum class resident_kind : std::uint8_t { tensor, buffer, scratch, state };

/// One line of the byte table.
struct resident_row {
  resident_kind kind = resident_kind::tensor;
  int index = -1;  ///< the tensor, the access whose buffer it is, or the execute whose scratch or state it is
  std::int64_t bytes = 0;
};

namespace detail {

constexpr std::int64_t align_up(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

constexpr bool runs_in(program_view const& p, execute_record const& e, tile_class tiles) {
  return running_range(p, e).meets(tiles.first, tiles.last);
}

/// Bytes of a memory item on a tile of a run of tiles; `execute` is the one whose buffer or scratch it is. A
/// parameter in shared memory does not count itself: what vertices see of it does.
template <record_counts N>
constexpr std::int64_t tile_item_bytes(program_view const& p, exchange_plan<N> const& exchange, tile_class tiles,
                                       int item, int execute = -1) {
  if (item < N.tensors) {
    tensor_record const& t = p.tensors[item];
    if (t.parameter && p.target.shared) return 0;
    if (!t.map.replicated && (t.map.first_tile > tiles.last || t.map.first_tile + t.map.tiles() <= tiles.first))
      return 0;
    return align_up(largest_block(t) * bytes_of(t.type));
  }
  execute_record const& e = p.executes[execute];
  std::int64_t const bytes =
      item < N.tensors + N.accesses ? exchange.access[item - N.tensors].box_bytes : align_up(scratch_bytes(p, e));
  return bytes > 0 && runs_in(p, e, tiles) ? bytes : 0;
}

/// Bytes that one access of an execute adds to each tile that runs it.
template <record_counts N>
constexpr std::int64_t access_bytes(program_view const& p, exchange_plan<N> const& exchange, execute_record const& e,
                                    int access) {
  access_plan const& plan = exchange.access[access];
  if (plan.form == field_form::view)
    return p.target.shared && p.tensors[p.accesses[access].tensor].parameter ? largest_box(p, e, p.accesses[access])
                                                                             : 0;
  return plan.box_bytes;
}

/// Bytes of the states of all vertices that may run on tiles of a class.
constexpr std::int64_t state_bytes(program_view const& p, tile_class tiles) {
  std::int64_t sum = 0;
  for (int e = 0; e < p.execute_count; ++e)
    if (p.kernels[p.executes[e].kernel].state_bytes > 0 && runs_in(p, p.executes[e], tiles))
      sum += p.kernels[p.executes[e].kernel].state_bytes;
  return sum;
}

/// The largest sum of live bytes and the first step at which it is reached (p.step_count: between runs).
struct live_peak {
  std::int64_t bytes = 0;
  int step = 0;
};

/// Tensors of `bytes` where liveness says so, and `extra` at each step. Only changes from step to step are added up.
template <record_counts N>
constexpr live_peak largest_live_sum(program_view const& p, liveness_plan<N> const& liveness, std::int64_t const* bytes,
                                     std::int64_t const* extra) {
  live_peak peak;
  bit_row<N.tensors> before;
  std::int64_t sum = 0;
  for (int s = 0; s <= p.step_count; ++s) {
    auto const& now = liveness.occupied[s];
    for (int w = 0; w < now.words; ++w)
      for (std::uint64_t rest = before.word[w] ^ now.word[w]; rest != 0; rest &= rest - 1) {
        int const t = w * 64 + std::countr_zero(rest);
        sum += now.test(t) ? bytes[t] : -bytes[t];
      }
    before = now;
    if (sum + extra[s] > peak.bytes) peak = {sum + extra[s], s};
  }
  return peak;
}

/// The most that a tile of a class holds at a step, states left out, where memory is shared.
template <record_counts N>
constexpr live_peak tile_peak(program_view const& p, exchange_plan<N> const& exchange, liveness_plan<N> const& liveness,
                              tile_class tiles) {
  std::int64_t bytes[N.tensors + 1] = {};
  std::int64_t extra[N.steps + 1] = {};
  for (int t = 0; t < p.tensor_count; ++t) bytes[t] = tile_item_bytes<N>(p, exchange, tiles, t);
  for (int e = 0; e < p.execute_count; ++e) {
    execute_record const& execute = p.executes[e];
    if (!runs_in(p, execute, tiles)) continue;
    std::int64_t& sum = extra[liveness.step_of_execute[e]];
    for (int j = execute.first_access; j < execute.first_access + execute.accesses; ++j)
      sum += access_bytes<N>(p, exchange, execute, j);
    sum += align_up(scratch_bytes(p, execute));
  }
  return largest_live_sum<N>(p, liveness, bytes, extra);
}

}  // namespace detail

/// Calls visit(resident_row) for everything that a tile of a run of tiles holds at a step (step_count: between runs).
template <record_counts N, class Visit>
constexpr void for_each_resident(program_view const& p, exchange_plan<N> const& exchange,
                                 liveness_plan<N> const& liveness, tile_class tiles, int step, Visit&& visit) {
  auto const show = [&](resident_kind kind, int index, std::int64_t bytes) {
    if (bytes > 0) visit(resident_row{kind, index, bytes});
  };
  liveness.occupied[step].for_each(
      [&](int t) { show(resident_kind::tensor, t, detail::tile_item_bytes<N>(p, exchange, tiles, t)); });
  for (int e = 0; e < p.execute_count; ++e) {
    execute_record const& execute = p.executes[e];
    bool const here = liveness.step_of_execute[e] == step && step < p.step_count;
    if (!here && p.kernels[execute.kernel].state_bytes == 0) continue;
    if (!detail::runs_in(p, execute, tiles)) continue;
    if (here) {
      for (int j = execute.first_access; j < execute.first_access + execute.accesses; ++j)
        show(resident_kind::buffer, j, detail::access_bytes<N>(p, exchange, execute, j));
      show(resident_kind::scratch, e, detail::align_up(scratch_bytes(p, execute)));
    }
    show(resident_kind::state, e, p.kernels[execute.kernel].state_bytes);
  }
}

/// The largest single item that a tile of a run of tiles holds at a step.
template <record_counts N>
constexpr resident_row largest_resident(program_view const& p, exchange_plan<N> const& exchange,
                                        liveness_plan<N> const& liveness, tile_class tiles, int step) {
  resident_row most;
  for_each_resident<N>(p, exchange, liveness, tiles, step, [&](resident_row row) {
    if (row.bytes > most.bytes) most = row;
  });
  return most;
}

}  // namespace tessera

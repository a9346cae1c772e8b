// SPDX-License-Identifier: Apache-2.0
// Memory: where tensors, exchange buffers and scratch lie, overlaid where their live ranges allow.
//
//   constexpr auto memory = ts::plan_memory<N>(view, exchange, liveness);   memory.offset[0][item],
//   memory.arena_bytes[0]
//
// Large programs plan in pieces, each a constant of its own: plan_blocks, then for each class place_blocks and
// place_step_buffers, then join_classes.
#pragma once

#include <tessera/plan/detail/placement.hpp>
#include <tessera/plan/detail/tile_classes.hpp>
#include <tessera/plan/resident.hpp>

namespace tessera {

/// What is placed, and what must not share memory. Block t < N.tensors is tensor t; behind them come buffers and
/// scratch, unless there are very many: then those of a step are placed as one, after all tensors.
template <record_counts N>
struct memory_blocks {
  static constexpr int few = 256;
  static constexpr int capacity = N.tensors > few ? N.tensors : (item_count(N) < few ? item_count(N) : few);
  using block_set = detail::bit_row<capacity>;

  detail::tile_classes classes;  ///< of the machine; a shared memory is planned as one class
  int count = N.tensors;
  bool buffers_by_step = false;
  int item[capacity + 1] = {};     ///< the memory item of a block
  int execute[capacity + 1] = {};  ///< of a buffer or scratch: the execute that has it
  int first[capacity + 1] = {};    ///< the first step at which a block is occupied …
  int length[capacity + 1] = {};   ///< … and at how many steps
  block_set conflicts[capacity + 1];
};

/// Where the items of one class lie.
template <record_counts N>
struct class_memory {
  std::int64_t offset[item_count(N) + 1] = {};
  std::int64_t arena_bytes = 0;
  std::int64_t live_bytes = 0;
  std::int64_t floor_bytes = 0;  ///< the part of the arena below, with what is always live
  int live_step = 0;             ///< a step at which live_bytes are live
};

namespace detail {

/// Bytes of an item in the arena of a class: of a tile where memory is private, of the machine where it is shared.
template <record_counts N>
constexpr std::int64_t arena_item_bytes(program_view const& p, exchange_plan<N> const& exchange, tile_class tiles,
                                        int item, int execute) {
  if (!p.target.shared) return tile_item_bytes<N>(p, exchange, tiles, item, execute);
  if (item < N.tensors) {
    tensor_record const& t = p.tensors[item];
    return t.parameter ? 0 : align_up(t.bytes());
  }
  if (item >= N.tensors + N.accesses) return 0;
  access_plan const& plan = exchange.access[item - N.tensors];
  return plan.form == field_form::shared ? plan.boxes * plan.box_bytes : 0;
}

/// The tiles whose arena a class has.
template <record_counts N>
constexpr tile_class arena_tiles(program_view const& p, memory_blocks<N> const& blocks, int c) {
  return p.target.shared ? tile_class{0, p.target.tiles - 1} : blocks.classes.of[c];
}

/// Bytes of all buffers and scratch of each step in the arena of a class.
template <record_counts N>
struct step_bytes {
  std::int64_t of[N.steps + 1] = {};
};

template <record_counts N>
constexpr step_bytes<N> arena_step_bytes(program_view const& p, exchange_plan<N> const& exchange,
                                         liveness_plan<N> const& liveness, tile_class tiles) {
  step_bytes<N> out;
  for (int e = 0; e < p.execute_count; ++e) {
    std::int64_t& sum = out.of[liveness.step_of_execute[e]];
    for (int j = p.executes[e].first_access; j < p.executes[e].first_access + p.executes[e].accesses; ++j)
      if (liveness.step_of_access[j] >= 0) sum += arena_item_bytes<N>(p, exchange, tiles, N.tensors + j, e);
    sum += arena_item_bytes<N>(p, exchange, tiles, N.tensors + N.accesses + e, e);
  }
  return out;
}

}  // namespace detail

/// The blocks of a program and their conflicts: two tensors conflict if both occupy memory at some step, which is
/// where one of them begins to.
template <record_counts N>
constexpr memory_blocks<N> plan_blocks(program_view const& p, exchange_plan<N> const& exchange,
                                       liveness_plan<N> const& liveness) {
  memory_blocks<N> out;
  out.classes = detail::plan_tile_classes<N>(p);
  detail::bit_row<N.tensors> always;  // parameters conflict with everything: they are left out of the walk
  for (int t = 0; t < N.tensors; ++t) out.item[t] = t;
  for (int t = 0; t < p.tensor_count; ++t)
    if (p.tensors[t].parameter) always.set(t);
  detail::bit_row<N.tensors> before;
  int begin[N.tensors + 1] = {};
  for (int s = 0; s <= p.step_count + 1; ++s) {
    detail::bit_row<N.tensors> now;
    if (s <= p.step_count) now = liveness.occupied[s];
    now.remove(always);
    for (int w = 0; w < now.words; ++w)
      for (std::uint64_t rest = now.word[w] ^ before.word[w]; rest != 0; rest &= rest - 1) {
        int const t = w * 64 + std::countr_zero(rest);
        if (!now.test(t)) {
          out.length[t] += s - begin[t];
          continue;
        }
        begin[t] = s;
        if (!out.conflicts[t].any()) out.first[t] = s;
        for (int v = 0; v < now.words; ++v) out.conflicts[t].word[v] |= now.word[v];
        now.for_each([&](int other) { out.conflicts[other].set(t); });
      }
    before = now;
  }
  if (!p.target.shared)
    for (int t = 0; t < p.tensor_count; ++t) {
      for (int w = 0; w < always.words; ++w) out.conflicts[t].word[w] |= always.word[w];
      if (!always.test(t)) continue;
      out.length[t] = p.step_count + 1;
      for (auto& word : out.conflicts[t].word) word = ~std::uint64_t{0};
    }

  tile_class const all{0, p.target.tiles - 1};
  auto const add = [&](int item, int execute) {
    if (out.buffers_by_step || detail::arena_item_bytes<N>(p, exchange, all, item, execute) == 0) return;
    if (out.count == out.capacity) {
      out.buffers_by_step = true;
      return;
    }
    out.first[out.count] = liveness.step_of_execute[execute];
    out.length[out.count] = 1;
    out.execute[out.count] = execute;
    out.item[out.count++] = item;
  };
  for (int e = 0; e < p.execute_count; ++e) {
    for (int j = p.executes[e].first_access; j < p.executes[e].first_access + p.executes[e].accesses; ++j)
      if (liveness.step_of_access[j] >= 0) add(N.tensors + j, e);
    add(N.tensors + N.accesses + e, e);
  }
  if (out.buffers_by_step) out.count = N.tensors;
  for (int b = N.tensors; b < out.count; ++b) {
    auto const& now = liveness.occupied[out.first[b]];
    for (int w = 0; w < now.words; ++w) out.conflicts[b].word[w] |= now.word[w];
    now.for_each([&](int t) { out.conflicts[t].set(b); });
    for (int other = b; other >= N.tensors && out.first[other] == out.first[b]; --other) {
      out.conflicts[b].set(other);
      out.conflicts[other].set(b);
    }
  }
  return out;
}

namespace detail {

/// The problem of placing a class's blocks above its floor, which is laid in `out`.
template <record_counts N>
constexpr placement_problem<memory_blocks<N>::capacity> arena_problem(program_view const& p,
                                                                      exchange_plan<N> const& exchange,
                                                                      liveness_plan<N> const& liveness,
                                                                      memory_blocks<N> const& blocks, int c,
                                                                      class_memory<N>& out) {
  tile_class const tiles = arena_tiles<N>(p, blocks, c);
  placement_problem<memory_blocks<N>::capacity> problem;
  problem.count = blocks.count;
  for (int b = 0; b < blocks.count; ++b) {
    problem.bytes[b] = arena_item_bytes<N>(p, exchange, tiles, blocks.item[b], blocks.execute[b]);
    problem.first[b] = blocks.first[b];
    problem.length[b] = blocks.length[b];
    if (blocks.length[b] == 0) problem.bytes[b] = 0;  // no step touches it
  }
  auto const extra = arena_step_bytes<N>(p, exchange, liveness, tiles);
  live_peak const peak = largest_live_sum<N>(p, liveness, problem.bytes, extra.of);
  out.live_bytes = peak.bytes;
  out.live_step = peak.step;
  // What is always live forms a floor under the rest: nothing can ever use its place.
  for (int b = 0; b < N.tensors; ++b) {
    if (blocks.length[b] != p.step_count + 1 || problem.bytes[b] == 0) continue;
    out.offset[b] = out.floor_bytes;
    out.floor_bytes += problem.bytes[b];
    problem.bytes[b] = 0;
  }
  problem.lower_bound = peak.bytes - out.floor_bytes;
  return problem;
}

/// Looks at pairs of blocks in one evaluation.
inline constexpr std::int64_t placement_budget = 40000;

}  // namespace detail

/// Offsets of the blocks of class `c`; buffers too, unless they are placed by step.
template <record_counts N>
constexpr class_memory<N> place_blocks(program_view const& p, exchange_plan<N> const& exchange,
                                       liveness_plan<N> const& liveness, memory_blocks<N> const& blocks, int c) {
  class_memory<N> out;
  for (std::int64_t& offset : out.offset) offset = -1;
  auto const problem = detail::arena_problem<N>(p, exchange, liveness, blocks, c, out);
  auto const best = detail::place(problem, blocks.conflicts, blocks.buffers_by_step ? 0 : detail::placement_budget);
  for (int b = 0; b < blocks.count; ++b)
    if (best.offset[b] >= 0) out.offset[blocks.item[b]] = out.floor_bytes + best.offset[b];
  out.arena_bytes = out.floor_bytes + best.arena_bytes;
  return out;
}

namespace detail {

/// A second search from an arrangement that wastes more than a few per cent.
template <record_counts N>
constexpr class_memory<N> tighten(program_view const& p, exchange_plan<N> const& exchange,
                                  liveness_plan<N> const& liveness, memory_blocks<N> const& blocks, int c,
                                  class_memory<N> const& placed) {
  class_memory<N> out;
  for (std::int64_t& offset : out.offset) offset = -1;
  auto const problem = arena_problem<N>(p, exchange, liveness, blocks, c, out);
  placement<memory_blocks<N>::capacity> start;
  for (int b = 0; b < blocks.count; ++b)
    start.offset[b] = problem.bytes[b] > 0 ? placed.offset[blocks.item[b]] - out.floor_bytes : -1;
  start.arena_bytes = placed.arena_bytes - out.floor_bytes;
  auto const best = place(problem, blocks.conflicts, placement_budget, &start);
  for (int b = 0; b < blocks.count; ++b)
    if (best.offset[b] >= 0) out.offset[blocks.item[b]] = out.floor_bytes + best.offset[b];
  out.arena_bytes = out.floor_bytes + best.arena_bytes;
  return out;
}

}  // namespace detail

/// Offsets of the buffers and scratch of each step as one block, where there are too many to place one by one; else a
/// second search where the first one was not good enough.
template <record_counts N>
constexpr class_memory<N> place_step_buffers(program_view const& p, exchange_plan<N> const& exchange,
                                             liveness_plan<N> const& liveness, memory_blocks<N> const& blocks, int c,
                                             class_memory<N> out) {
  if (!blocks.buffers_by_step) {
    bool const good = out.arena_bytes <= out.live_bytes + out.live_bytes / 100 * 9;
    return good ? out : detail::tighten<N>(p, exchange, liveness, blocks, c, out);
  }
  tile_class const tiles = detail::arena_tiles<N>(p, blocks, c);
  auto const bytes = detail::arena_step_bytes<N>(p, exchange, liveness, tiles);
  int order[N.tensors + 1] = {};  // tensors by ascending offset
  std::int64_t key[N.tensors + 1] = {};
  std::int64_t size[N.tensors + 1] = {};
  int count = 0;
  for (int t = 0; t < p.tensor_count; ++t) {
    if (out.offset[t] < out.floor_bytes) continue;
    key[t] = -out.offset[t];
    size[t] = detail::arena_item_bytes<N>(p, exchange, tiles, t, -1);
    order[count++] = t;
  }
  detail::sort_descending(order, count, key);
  for (int s = 0; s < p.step_count; ++s) {
    if (bytes.of[s] == 0) continue;
    auto const& row = liveness.occupied[s];
    std::int64_t cursor = out.floor_bytes;
    for (int i = 0; i < count; ++i) {
      int const t = order[i];
      if (((row.word[t >> 6] >> (t & 63)) & 1u) == 0) continue;
      if (out.offset[t] - cursor >= bytes.of[s]) break;
      if (out.offset[t] + size[t] > cursor) cursor = out.offset[t] + size[t];
    }
    if (cursor + bytes.of[s] > out.arena_bytes) out.arena_bytes = cursor + bytes.of[s];
    auto const put = [&](int item, int execute) {
      std::int64_t const part = detail::arena_item_bytes<N>(p, exchange, tiles, item, execute);
      if (part == 0) return;
      out.offset[item] = cursor;
      cursor += part;
    };
    for (int e = p.steps[s].first; e < p.steps[s].first + p.steps[s].count; ++e) {
      for (int j = p.executes[e].first_access; j < p.executes[e].first_access + p.executes[e].accesses; ++j)
        if (liveness.step_of_access[j] >= 0) put(N.tensors + j, e);
      put(N.tensors + N.accesses + e, e);
    }
  }
  return out;
}

/// The number of classes that are placed.
template <record_counts N>
constexpr int placed_classes(program_view const& p, memory_blocks<N> const& blocks) {
  return p.target.shared ? 1 : blocks.classes.count;
}

/// The plan of all classes, with what each tile needs. `placed` has an element for each class that is placed.
template <record_counts N>
constexpr memory_plan<N> join_classes(program_view const& p, exchange_plan<N> const& exchange,
                                      liveness_plan<N> const& liveness, memory_blocks<N> const& blocks,
                                      class_memory<N> const* const* placed) {
  memory_plan<N> plan{};
  plan.classes = placed_classes(p, blocks);
  for (std::int64_t& offset : plan.parameter_offset) offset = -1;
  for (int c = 0; c < plan.classes; ++c) {
    plan.tiles[c] = detail::arena_tiles<N>(p, blocks, c);
    for (int i = 0; i <= item_count(N); ++i) plan.offset[c][i] = placed[c]->offset[i];
    plan.arena_bytes[c] = placed[c]->arena_bytes;
    plan.live_bytes[c] = placed[c]->live_bytes;
  }
  for (int k = 0; k < blocks.classes.count; ++k) {
    tile_class const tiles = blocks.classes.of[k];
    std::int64_t const state = detail::state_bytes(p, tiles);
    detail::live_peak need;
    if (p.target.shared) {
      need = detail::tile_peak<N>(p, exchange, liveness, tiles);
    } else {
      need = {placed[k]->arena_bytes, placed[k]->live_step};
    }
    int const c = p.target.shared ? 0 : k;
    if (k > 0 && c == 0 && need.bytes + state <= plan.tile_bytes[0]) continue;
    plan.tile_bytes[c] = need.bytes + state;
    plan.tile_bytes_step[c] = need.step;
    plan.tile_bytes_tiles[c] = tiles;
  }
  if (p.target.shared) {
    auto const put = [&](int item, std::int64_t bytes) {
      plan.parameter_offset[item] = plan.parameter_bytes;
      plan.parameter_bytes += detail::align_up(bytes);
    };
    auto const unpacked = find_unpacked<N>(p, exchange);
    for (int t = 0; t < p.tensor_count; ++t)
      if (p.tensors[t].parameter && unpacked.has[t]) put(t, p.tensors[t].bytes());
    for (int j = 0; j < p.access_count; ++j)
      if (exchange.access[j].form == field_form::resident)
        put(N.tensors + j, exchange.access[j].boxes * exchange.access[j].box_bytes);
  }
  return plan;
}

/// The memory of a program, in one go. `liveness` is the one with swaps.
/// @post two items that occupy memory at the same step do not overlap; arena_bytes[c] >= live_bytes[c]
template <record_counts N>
constexpr memory_plan<N> plan_memory(program_view const& p, exchange_plan<N> const& exchange,
                                     liveness_plan<N> const& liveness) {
  memory_blocks<N> const blocks = plan_blocks<N>(p, exchange, liveness);
  class_memory<N> placed[max_tile_classes];
  class_memory<N> const* each[max_tile_classes] = {};
  for (int c = 0; c < placed_classes(p, blocks); ++c) {
    placed[c] =
        place_step_buffers<N>(p, exchange, liveness, blocks, c, place_blocks<N>(p, exchange, liveness, blocks, c));
    each[c] = &placed[c];
  }
  return join_classes<N>(p, exchange, liveness, blocks, each);
}

}  // namespace tessera

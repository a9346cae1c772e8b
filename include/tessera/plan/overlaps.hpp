// SPDX-License-Identifier: Apache-2.0
// Overlaps: which memory items share bytes, at whatever time. A barrier may be needed between their uses.
#pragma once

#include <tessera/plan/memory.hpp>
#include <tessera/plan/swap.hpp>

namespace tessera {

/// Items that share memory. The buffers and scratch of a step are taken together.
template <record_counts N>
struct overlap_plan {
  using tensor_set = detail::bit_row<N.tensors>;
  tensor_set tensors[N.tensors + 1];  ///< of a tensor: the other tensors in its memory
  tensor_set buffers[N.steps + 1];    ///< of a step: the tensors in the memory of its buffers and scratch
};

namespace detail {

/// A part of an arena; empty where an item has none.
struct byte_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  constexpr bool meets(byte_range other) const { return first < other.last && other.first < last; }
};

template <record_counts N>
constexpr byte_range item_range(program_view const& p, exchange_plan<N> const& exchange, memory_plan<N> const& memory,
                                int c, int item, int execute) {
  std::int64_t const from = memory.offset[c][item];
  if (from < 0) return {};
  return {from, from + arena_item_bytes<N>(p, exchange, memory.tiles[c], item, execute)};
}

/// Calls visit(range) for the buffers and scratch of a step that lie in the arena of a class.
template <record_counts N, class Visit>
constexpr void for_each_buffer(program_view const& p, exchange_plan<N> const& exchange, memory_plan<N> const& memory,
                               int c, int step, Visit&& visit) {
  if (p.steps[step].kind != step_kind::compute) return;
  for (int e = p.steps[step].first; e < p.steps[step].first + p.steps[step].count; ++e) {
    for (int j = p.executes[e].first_access; j < p.executes[e].first_access + p.executes[e].accesses; ++j)
      if (memory.offset[c][N.tensors + j] >= 0) visit(item_range<N>(p, exchange, memory, c, N.tensors + j, e));
    int const scratch = N.tensors + N.accesses + e;
    if (memory.offset[c][scratch] >= 0) visit(item_range<N>(p, exchange, memory, c, scratch, e));
  }
}

}  // namespace detail

/// Which items share memory. Tensors that swap their memories share what either of them shares.
template <record_counts N>
constexpr overlap_plan<N> plan_overlaps(program_view const& p, exchange_plan<N> const& exchange,
                                        memory_plan<N> const& memory, swap_plan<N> const& swaps) {
  overlap_plan<N> out;
  auto const partners = detail::partners_of<N>(p, swaps);
  for (int c = 0; c < memory.classes; ++c) {
    int order[N.tensors + 1] = {};  // by ascending offset: what meets a tensor and begins later stands behind it
    std::int64_t key[N.tensors + 1] = {};
    detail::byte_range range[N.tensors + 1];
    int count = 0;
    for (int t = 0; t < p.tensor_count; ++t) {
      if (memory.offset[c][t] < 0) continue;
      range[t] = detail::item_range<N>(p, exchange, memory, c, t, -1);
      key[t] = -range[t].first;
      order[count++] = t;
    }
    detail::sort_descending(order, count, key);
    for (int i = 0; i < count; ++i)
      for (int j = i + 1; j < count && range[order[j]].first < range[order[i]].last; ++j) {
        out.tensors[order[i]].set(order[j]);
        out.tensors[order[j]].set(order[i]);
      }
    for (int s = 0; s < p.step_count; ++s)
      detail::for_each_buffer<N>(p, exchange, memory, c, s, [&](detail::byte_range buffer) {
        for (int i = 0; i < count && range[order[i]].first < buffer.last; ++i)
          if (range[order[i]].last > buffer.first) out.buffers[s].set(order[i]);
      });
  }
  for (int t = 0; t < p.tensor_count; ++t) {
    int const partner = partners.of[t];
    if (partner < t) continue;
    out.tensors[t].add(out.tensors[partner]);
    out.tensors[partner] = out.tensors[t];
    for (int other = 0; other < p.tensor_count; ++other)
      if (out.tensors[t].test(other)) {
        out.tensors[other].set(t);
        out.tensors[other].set(partner);
      }
    for (auto& row : out.buffers) {
      if (row.test(t)) row.set(partner);
      else if (row.test(partner)) row.set(t);
    }
  }
  return out;
}

}  // namespace tessera

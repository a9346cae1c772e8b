// SPDX-License-Identifier: Apache-2.0
// Swaps: a copy whose source is dead afterwards need not move an element; the two tensors exchange their memory.
//
//   repeat<50>(execute(halo(u), v), copy(v, u))   ->   no bytes moved: v becomes u, and u's old memory becomes v's
#pragma once

#include <tessera/plan/liveness.hpp>

namespace tessera {

namespace detail {

/// The other tensor of the pair that a tensor exchanges memory with, or -1.
template <record_counts N>
struct swap_partners {
  int of[N.tensors + 1];
};

template <record_counts N>
constexpr swap_partners<N> partners_of(program_view const& p, swap_plan<N> const& swaps) {
  swap_partners<N> out{};
  for (int& partner : out.of) partner = -1;
  for (int s = 0; s < p.step_count; ++s) {
    if (!swaps.swap[s]) continue;
    int const source = p.accesses[p.steps[s].first].tensor;
    int const destination = p.accesses[p.steps[s].first + 1].tensor;
    out.of[source] = destination;
    out.of[destination] = source;
  }
  return out;
}

/// Whether two tensors' memories are interchangeable.
constexpr bool alike(tensor_record const& a, tensor_record const& b) {
  for (int d = 0; d < max_rank; ++d)
    if (a.extent[d] != b.extent[d]) return false;
  return a.type == b.type && a.rank == b.rank && a.map == b.map && !a.map.replicated && !a.parameter && !b.parameter &&
         a.valid == b.valid;
}

}  // namespace detail

/// Which copies become swaps: source and destination are alike, the source is not read afterwards, each of them is in
/// one pair only. Either memory must then be kept wherever one of the two tensors is live; where that would raise the
/// program's largest sum of live bytes above 1.05 times what it is without swaps, the copy stays a copy.
template <record_counts N>
constexpr swap_plan<N> plan_swaps(program_view const& p, liveness_plan<N> const& liveness) {
  swap_plan<N> plan{};
  std::int64_t bytes[N.tensors + 1] = {};
  for (int t = 0; t < p.tensor_count; ++t) {
    tensor_record const& tensor = p.tensors[t];
    bytes[t] = p.target.shared ? tensor.bytes() : largest_block(tensor) * bytes_of(tensor.type);
  }
  std::int64_t live[N.steps + 1] = {};  // sums of live bytes, with the swaps accepted so far
  std::int64_t peak = 0;
  bool counted = false;
  int partner[N.tensors + 1];
  for (int& other : partner) other = -1;

  for (int s = 0; s < p.step_count; ++s) {
    if (p.steps[s].kind != step_kind::copy) continue;
    int const source = p.accesses[p.steps[s].first].tensor;
    int const destination = p.accesses[p.steps[s].first + 1].tensor;
    if (source == destination || !detail::alike(p.tensors[source], p.tensors[destination])) continue;
    if (planted_fault != 10 && liveness.live_after[s].test(source)) continue;
    if (partner[source] == destination) {
      plan.swap[s] = true;
      continue;
    }
    if (partner[source] >= 0 || partner[destination] >= 0) continue;
    if (!counted) {
      counted = true;
      detail::bit_row<N.tensors> current;
      std::int64_t sum = 0;
      for (int row = 0; row <= p.step_count; ++row) {
        for (int w = 0; w < current.words; ++w) {
          std::uint64_t const now = liveness.occupied[row].word[w];
          for (std::uint64_t rest = current.word[w] ^ now; rest != 0; rest &= rest - 1) {
            int const t = w * 64 + std::countr_zero(rest);
            sum += liveness.occupied[row].test(t) ? bytes[t] : -bytes[t];
          }
          current.word[w] = now;
        }
        live[row] = sum;
        if (sum > peak) peak = sum;
      }
    }
    bool affordable = true;
    for (int row = 0; row <= p.step_count && affordable; ++row)
      if (liveness.occupied[row].test(source) != liveness.occupied[row].test(destination))
        affordable = live[row] + bytes[source] <= peak + peak / 20;
    if (!affordable) continue;
    for (int row = 0; row <= p.step_count; ++row)
      if (liveness.occupied[row].test(source) != liveness.occupied[row].test(destination)) live[row] += bytes[source];
    partner[source] = destination;
    partner[destination] = source;
    plan.swap[s] = true;
  }
  return plan;
}

/// Liveness with swaps: of two tensors that exchange memory, both occupy theirs wherever one of them does.
template <record_counts N>
constexpr liveness_plan<N> with_swaps(program_view const& p, liveness_plan<N> liveness, swap_plan<N> const& swaps) {
  detail::swap_partners<N> const partners = detail::partners_of<N>(p, swaps);
  for (int t = 0; t < p.tensor_count; ++t) {
    if (partners.of[t] < t) continue;
    for (auto& row : liveness.occupied) {
      if (row.test(t)) row.set(partners.of[t]);
      else if (row.test(partners.of[t])) row.set(t);
    }
  }
  return liveness;
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// First fit: blocks of memory with conflicts get offsets, in several orders, and the tightest arrangement is kept.
// (Dynamic storage allocation; first fit by decreasing size is what most compilers for this kind of problem do, see
// Pisarchyk and Lee, "Efficient memory management for deep neural net inference", 2020.)
#pragma once

#include <tessera/plan/detail/bit_row.hpp>

#include <limits>

namespace tessera::detail {

/// Blocks to place: sizes (multiples of 64), conflicts (symmetric), and when each is used first and how long.
template <int Capacity>
struct placement_problem {
  int count = 0;
  std::int64_t bytes[Capacity + 1] = {};
  int first[Capacity + 1] = {};
  int length[Capacity + 1] = {};
  std::int64_t lower_bound = 0;  ///< the largest sum of blocks that are live together
};

/// An arrangement; offset -1 where a block has no bytes.
template <int Capacity>
struct placement {
  std::int64_t offset[Capacity + 1];
  std::int64_t arena_bytes = 0;
};

/// Sorts indices by descending key, ties by ascending index. Shell's sort: short, and cheap in constant evaluation.
template <class Key>
constexpr void sort_descending(int* index, int count, Key const* key) {
  int gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap >= 1; gap /= 3)
    for (int i = gap; i < count; ++i) {
      int const moved = index[i];
      int j = i;
      for (; j >= gap; j -= gap) {
        int const other = index[j - gap];
        if (key[other] > key[moved] || (key[other] == key[moved] && other < moved)) break;
        index[j] = other;
      }
      index[j] = moved;
    }
}

/// First fit in a given order of blocks; given up when the arena exceeds `limit` (arena_bytes then does, too). Returns
/// how many pairs were looked at.
template <int Capacity, class Row>
constexpr std::int64_t place_in_order(placement_problem<Capacity> const& problem, Row const* conflicts,
                                      int const* order, int count, std::int64_t limit, placement<Capacity>& out) {
  int placed[Capacity + 1] = {};  // by ascending offset
  int placed_count = 0;
  std::int64_t pairs = 0;
  out.arena_bytes = 0;
  for (int k = 0; k < count; ++k) {
    int const block = order[k];
    Row const& row = conflicts[block];
    std::int64_t const bytes = problem.bytes[block];
    std::int64_t cursor = 0;
    int i = 0;
    for (; i < placed_count; ++i) {
      int const other = placed[i];
      if (((row.word[other >> 6] >> (other & 63)) & 1u) == 0) continue;
      if (out.offset[other] - cursor >= bytes) break;
      if (out.offset[other] + problem.bytes[other] > cursor) cursor = out.offset[other] + problem.bytes[other];
    }
    out.offset[block] = cursor;
    if (cursor + bytes > out.arena_bytes) out.arena_bytes = cursor + bytes;
    if (out.arena_bytes > limit) return pairs + i + 1;
    int at = placed_count++;
    for (; at > 0 && out.offset[placed[at - 1]] > cursor; --at) placed[at] = placed[at - 1];
    placed[at] = block;
    pairs += i + 1 + placed_count - at;
  }
  return pairs;
}

/// The best arrangement found with about `budget` looks at pairs of blocks, or four times that (three, where there are
/// many blocks) as long as the arena exceeds 1.09 times the lower bound; the first order is always tried. Orders: by
/// size, area (size times steps), length, first use; then random changes of the best one so far, among them a block at
/// the top to an earlier place. Ends when the arena is within 1/32 of the lower bound.
template <int Capacity, class Row>
constexpr placement<Capacity> place(placement_problem<Capacity> const& problem, Row const* conflicts,
                                    std::int64_t budget, placement<Capacity> const* start = nullptr) {
  placement<Capacity> best{};
  placement<Capacity> trial{};
  for (std::int64_t& offset : best.offset) offset = -1;
  int order[Capacity + 1] = {};
  int best_order[Capacity + 1] = {};
  int count = 0;
  for (int i = 0; i < problem.count; ++i)
    if (problem.bytes[i] > 0) best_order[count++] = i;
  if (count == 0) return best;
  trial = best;
  if (start != nullptr) {
    std::int64_t key[Capacity + 1] = {};
    for (int i = 0; i < count; ++i) key[best_order[i]] = -start->offset[best_order[i]];
    sort_descending(best_order, count, key);
    best = *start;
  }
  std::int64_t const good_enough = problem.lower_bound + problem.lower_bound / 32;
  std::uint64_t random = start == nullptr ? 0x9e3779b97f4a7c15u : 0xd1b54a32d192ed03u;
  int const sorted_orders = start == nullptr ? 4 : 0;
  std::int64_t const bearable = problem.lower_bound + problem.lower_bound / 100 * 9;
  std::int64_t const extra = (problem.count > 128 ? 2 : 3) * budget;
  for (int attempt = 0; attempt == 0 || budget > 0 || (best.arena_bytes > bearable && budget > -extra); ++attempt) {
    for (int i = 0; i < count; ++i) order[i] = best_order[i];
    if (attempt < sorted_orders) {
      double key[Capacity + 1] = {};
      for (int i = 0; i < count; ++i) {
        int const b = order[i];
        double const bytes = static_cast<double>(problem.bytes[b]);
        key[b] = attempt == 0   ? bytes
                 : attempt == 1 ? bytes * problem.length[b]
                 : attempt == 2 ? static_cast<double>(problem.length[b]) + bytes * 1e-13
                                : -static_cast<double>(problem.first[b]) + bytes * 1e-13;
      }
      sort_descending(order, count, key);
    } else if (attempt % 2 == 0) {
      // A block at the top goes to a random earlier place, more often than not the front.
      for (int i = count - 1; i > 0; --i) {
        int const b = order[i];
        if (best.offset[b] + problem.bytes[b] < best.arena_bytes) continue;
        random = random * 6364136223846793005u + 1442695040888963407u;
        int const to = (random >> 63) != 0 ? 0 : static_cast<int>((random >> 33) % static_cast<unsigned>(i));
        for (int j = i; j > to; --j) order[j] = order[j - 1];
        order[to] = b;
        break;
      }
    } else {
      for (int swaps = 0; swaps < 2; ++swaps) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int const i = static_cast<int>((random >> 40) % static_cast<unsigned>(count));
        int const j = static_cast<int>((random >> 20 & 0xfffffu) % static_cast<unsigned>(count));
        int const kept = order[i];
        order[i] = order[j];
        order[j] = kept;
      }
    }
    bool const first = attempt == 0 && start == nullptr;
    std::int64_t const limit = first ? std::numeric_limits<std::int64_t>::max() : best.arena_bytes;
    budget -= place_in_order(problem, conflicts, order, count, limit, trial) + 2 * count + 24;
    bool const sorted = attempt < sorted_orders;
    if (first || trial.arena_bytes < best.arena_bytes ||
        (!sorted && trial.arena_bytes == best.arena_bytes)) {  // walk along plateaus
      best = trial;
      for (int i = 0; i < count; ++i) best_order[i] = order[i];
      if (best.arena_bytes <= good_enough) break;
    }
  }
  return best;
}

}  // namespace tessera::detail

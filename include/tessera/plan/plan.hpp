// SPDX-License-Identifier: Apache-2.0
// What planning decides, beside the exchange: where memory items lie, which copies are swaps, where barriers are.
//
// Memory items of a program with T tensors, A accesses and E executes:
//   item i          tensor i
//   item T + i      the buffer of access i
//   item T + A + i  the scratch of execute i
#pragma once

#include <tessera/plan/exchange.hpp>

namespace tessera {

/// The number of memory items.
constexpr int item_count(record_counts n) { return n.tensors + n.accesses + n.executes; }

/// A run of tiles that hold the same items in the same places.
struct tile_class {
  int first = 0;
  int last = 0;
};

/// The largest number of tile classes that are kept apart; more are merged into their neighbours.
inline constexpr int max_tile_classes = 16;

/// Where memory items lie.
///
/// Machine with private memory: `classes` runs of tiles; an item has an offset in the arena of every tile of a class.
/// Machine with shared memory: one class; offsets are in one arena of the whole machine that holds tensors (row-major,
/// complete) and shared buffers (`boxes` times `box_bytes`, one after the other). Gathered buffers and scratch are not
/// in it: each thread has a workspace for them. Parameters and resident buffers lie in a second, immutable arena.
/// Copies of a replicated tensor on a shared machine are one.
template <record_counts N>
struct memory_plan {
  int classes = 1;
  tile_class tiles[max_tile_classes];
  std::int64_t offset[max_tile_classes][item_count(N) + 1];  ///< -1: not in the arena
  std::int64_t arena_bytes[max_tile_classes] = {};           ///< of a tile (private) or of the machine (shared)
  std::int64_t live_bytes[max_tile_classes] = {};            ///< the largest sum of live items: a lower bound of it
  std::int64_t parameter_offset[item_count(N) + 1];          ///< shared: in the parameter arena; -1: not there
  std::int64_t parameter_bytes = 0;
  std::int64_t tile_bytes[max_tile_classes] = {};            ///< what a tile needs, the number proof 3 is about …
  int tile_bytes_step[max_tile_classes] = {};                ///< … and the step at which it is needed
  tile_class tile_bytes_tiles[max_tile_classes];             ///< … and the tiles that need it, within the class
};

/// Which copy steps exchange the names of two tensors' memory instead of moving elements.
template <record_counts N>
struct swap_plan {
  bool swap[N.steps + 1] = {};
};

/// Where all threads meet.
template <record_counts N>
struct sync_plan {
  bool before[N.steps + 1] = {};  ///< before the step (a loop or branch: before its predicate is read, every time)
  bool inside[N.steps + 1] = {};  ///< a compute set: between filling shared buffers and running vertices
};

}  // namespace tessera

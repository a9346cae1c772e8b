// SPDX-License-Identifier: Apache-2.0
// Machines: how many tiles there are, what a tile holds, what exchange and synchronisation cost.
//
//   ts::machines::bow::value.tiles  ->  1472        ts::machines::host<8>::value.shared  ->  true
#pragma once

#include <cstdint>

namespace tessera {

/// A machine as plain data.
struct machine {
  int tiles = 1;
  int workers = 1;                         ///< worker threads a tile
  std::int64_t bytes_per_tile = 0;         ///< capacity: what must never be exceeded
  std::int64_t working_set = 0;            ///< what one vertex should touch at most: blocking aims at it
  double clock_hz = 1e9;                   ///< cycles a second
  double exchange_bytes_per_cycle = 4;     ///< what one tile sends and receives in a cycle
  double local_bytes_per_cycle = 16;       ///< what one tile loads and stores in its own memory in a cycle
  int sync_cycles = 100;                   ///< one barrier over all tiles
  double flops_per_cycle = 16;             ///< float32 operations of one tile in a cycle (a multiply-add is two)
  bool shared = false;                     ///< tiles see one memory: an exchange may become a view
};

namespace detail {
template <int Tiles, std::int64_t BytesPerTile>
constexpr int tiles_of_host() {
  static_assert(Tiles >= 1 && BytesPerTile >= 1,
                "tessera: host<tiles, bytes_per_tile> wants positive numbers (docs/errors/argument_in_range.md)");
  return Tiles >= 1 ? Tiles : 1;
}
}  // namespace detail

/// Presets are empty types with a value. Constants: see docs/concepts/machine.md.
namespace machines {

/// First generation, 1216 tiles of 256 KiB, 1.6 GHz, 8 float32 multiply-adds a cycle and tile.
struct gc2 {
  static constexpr machine value{.tiles = 1216, .workers = 6, .bytes_per_tile = 262144, .working_set = 262144,
                                 .clock_hz = 1.6e9, .exchange_bytes_per_cycle = 4, .local_bytes_per_cycle = 23,
                                 .sync_cycles = 150, .flops_per_cycle = 16, .shared = false};
};
/// Second generation, 1472 tiles of 624 KiB, 1.33 GHz, 16 float32 multiply-adds a cycle and tile.
struct gc200 {
  static constexpr machine value{.tiles = 1472, .workers = 6, .bytes_per_tile = 638976, .working_set = 638976,
                                 .clock_hz = 1.33e9, .exchange_bytes_per_cycle = 4, .local_bytes_per_cycle = 24,
                                 .sync_cycles = 150, .flops_per_cycle = 32, .shared = false};
};
/// Second generation on a faster clock, 1.85 GHz.
struct bow {
  static constexpr machine value{.tiles = 1472, .workers = 6, .bytes_per_tile = 638976, .working_set = 638976,
                                 .clock_hz = 1.85e9, .exchange_bytes_per_cycle = 4, .local_bytes_per_cycle = 24,
                                 .sync_cycles = 150, .flops_per_cycle = 32, .shared = false};
};
/// This computer: `Tiles` tiles in one shared memory, 256 MiB capacity and 384 KiB working set a tile. The constants
/// are fixed here, so that a program has one plan, the same on every computer.
template <int Tiles = 64, std::int64_t BytesPerTile = 268435456>
struct host {
  static constexpr machine value{.tiles = detail::tiles_of_host<Tiles, BytesPerTile>(), .workers = 1,
                                 .bytes_per_tile = BytesPerTile >= 1 ? BytesPerTile : 268435456,
                                 .working_set = 393216, .clock_hz = 3e9, .exchange_bytes_per_cycle = 8,
                                 .local_bytes_per_cycle = 32, .sync_cycles = 600, .flops_per_cycle = 32,
                                 .shared = true};
};

}  // namespace machines

/// An empty type that names a machine.
template <class M>
concept Machine = requires { { M::value.tiles }; };

/// A tile, as state and access functions see it.
struct tile {
  int index = 0;  ///< 0 … count - 1
  int count = 1;  ///< tiles of the machine
};

}  // namespace tessera

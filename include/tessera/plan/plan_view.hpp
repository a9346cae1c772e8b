// SPDX-License-Identifier: Apache-2.0
// A planned program as pointers: all that an engine needs, without the program's type.
#pragma once

#include <tessera/plan/plan.hpp>

namespace tessera {

/// The records and plans of one program. Arrays have static storage.
struct plan_view {
  program_view program;
  access_plan const* access = nullptr;         ///< one an access
  int items = 0;                               ///< memory items, item_count()
  int classes = 1;
  tile_class const* tiles = nullptr;           ///< one a class
  std::int64_t const* offset = nullptr;        ///< [class][items + 1]
  std::int64_t const* arena_bytes = nullptr;   ///< one a class
  std::int64_t const* parameter_offset = nullptr;
  std::int64_t parameter_bytes = 0;
  bool const* swap = nullptr;                  ///< one a step
  bool const* barrier_before = nullptr;        ///< one a step
  bool const* barrier_inside = nullptr;        ///< one a step

  constexpr std::int64_t offset_of(int tile_class_number, int item) const {
    return offset[tile_class_number * (items + 1) + item];
  }
  constexpr int buffer_item(int access_number) const { return program.tensor_count + access_number; }
  constexpr int scratch_item(int execute_number) const {
    return program.tensor_count + program.access_count + execute_number;
  }
};

template <record_counts N>
constexpr plan_view view_of(program_view const& p, exchange_plan<N> const& exchange, memory_plan<N> const& memory,
                            swap_plan<N> const& swaps, sync_plan<N> const& sync) {
  return {p, exchange.access, item_count(N), memory.classes, memory.tiles, &memory.offset[0][0], memory.arena_bytes,
          memory.parameter_offset, memory.parameter_bytes, swaps.swap, sync.before, sync.inside};
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// What a check found. Passes hand mistakes on as values; they are reported once, at the program's boundary
// (tessera/plan/check.hpp), or thrown by tools that build programs at run time.
//
//   finding f = find_races(...);      f.what == check::one_writer, tensor v, tiles 0 and 1, rows [32, 33)
#pragma once

#include <cstdint>

#include <tessera/program/records.hpp>

namespace tessera {

/// What may be wrong with a program. Every word is what should have held; docs/errors has a page for each.
enum class check : std::uint8_t {
  none,                              ///< nothing is wrong
  // Bounds and shapes
  mapping_fits_machine,              ///< a tensor lies on tiles that the machine has
  mapping_fits_rank,                 ///< a tensor is split in dimensions that it has
  range_inside_machine,              ///< an execute runs on tiles that the machine has
  block_inside_grid,                 ///< block<...> names a block of the tensor's grid
  wrap_fits_tensor,                  ///< a wrapped halo is not wider than the tensor
  access_inside_tensor,              ///< what a field covers exists
  // No hidden relayout
  copy_has_two_tensors,              ///< source and destination of a copy differ
  copies_match,                      ///< they have one shape and one element type
  mappings_correspond,               ///< the blocks that a vertex sees belong together
  // Who writes
  parameter_is_constant,             ///< no step writes a parameter
  output_is_not_replicated,          ///< no vertex writes a replicated tensor
  one_writer,                        ///< no two vertices of a compute set write one element
  nobody_reads_what_another_writes,  ///< no vertex of a compute set reads what another of it writes
  overlap_can_be_decided,            ///< the two rules above can be decided for this access
  // Order
  written_before_read,               ///< no element is read before something wrote it
  outputs_are_written,               ///< every element of an output is written at the end, whatever path was taken
  parts_can_be_followed,             ///< the written part of a tensor is at most 64 boxes and its tiles' own blocks
  // Control flow
  predicate_is_uniform,              ///< a predicate is one element in one place
  predicate_is_integer,              ///< a predicate is bool, int32 or int64
  // Memory
  tile_memory_fits,                  ///< a tile's capacity holds what is live on it
};

/// One mistake with its facts; -1 where a fact does not apply.
struct finding {
  check what = check::none;
  int step = -1;                ///< the step concerned
  int tensor_index = -1;        ///< the tensor concerned
  int other_tensor = -1;        ///< a second one that does not go with it
  int execute_a = -1;           ///< the vertex concerned …
  int execute_b = -1;           ///< … and the one that disturbs it
  int tile_a = -1;              ///< the tile concerned …
  int tile_b = -1;              ///< … and the one that disturbs it
  region box = empty_region();  ///< the elements concerned
  std::int64_t needed = 0;      ///< bytes, tiles, elements or coordinates: what is wanted …
  std::int64_t available = 0;   ///< … and what there is

  std::int64_t item_bytes = 0;  ///< tile_memory_fits: the largest single item …
  int item_kind = 0;            ///< … and what it is, a resident_kind

  constexpr bool found() const { return what != check::none; }
};

}  // namespace tessera

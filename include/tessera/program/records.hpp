// SPDX-License-Identifier: Apache-2.0
// A program as flat arrays of records: what typed steps and graphs are turned into first, and all that planning sees.
//
//   tensors    what exists            accesses   which part of a tensor a vertex's field covers on each tile
//   executes   one vertex type on a range of tiles        steps   compute sets, copies and control flow, in order
//   kernels    the distinct vertex types, as functions
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/program/machine.hpp>
#include <tessera/tensor/element.hpp>
#include <tessera/tensor/layout.hpp>
#include <tessera/tensor/mapping.hpp>
#include <tessera/tensor/region.hpp>

namespace tessera {

/// A variable of the program.
struct tensor_record {
  void const* key = nullptr;     ///< identifies the tensor while a program is flattened
  char const* name = "";
  element type = element::none;
  int rank = 1;
  int extent[max_rank] = {1, 1, 1, 1};
  mapping_record map;
  bool input = false;            ///< the host may write it before a run
  bool output = false;           ///< the host may read it after a run
  bool parameter = false;        ///< the host writes it once; no step ever does; its exchanges happen at load
  std::int16_t valid = -1;       ///< number of the run-time length that bounds dimension 0, or -1
  std::int16_t row_gap = 0;      ///< shared memory: elements between the end of a row and the beginning of the next

  /// Of all elements, and the gaps between rows.
  constexpr std::int64_t bytes() const {
    std::int64_t elements = extent[rank - 1] + row_gap;
    for (int d = 0; d < rank - 1; ++d) elements *= extent[d];
    return elements * bytes_of(type);
  }
};

/// How an access was written; planning decides by its rules and function, messages name it.
enum class access_kind : std::uint8_t { own, halo, whole, rows, cols, block, neighbour, gather, at, window };
/// What a halo holds beyond the tensor.
enum class edge_rule : std::uint8_t { clip, zero, clamp, wrap };
/// Whether a field is read, written or both.
enum class direction : std::uint8_t { in, out, inout };

/// How the span of one dimension of an access follows from the tile's block of the tensor `by`.
struct dim_rule {
  std::int8_t from = -1;   ///< the dimension of `by`'s block whose span this dimension takes; -1: the whole extent
  std::int8_t radius = 0;  ///< halo elements on either side
  std::int16_t shift = 0;  ///< grid steps away from the tile's own block (neighbour)
  std::int16_t fixed = -1; ///< this grid coordinate instead of the tile's own (block); -1: the tile's own
  int offset = 0;          ///< added to both ends
};

/// Which lines of an image a window meets that slides over it, as a convolution or a pool does. Images are matrices with
/// a row for each pixel, line after line, image after image. A block of pixels of the result meets the lines from the
/// first that its first pixel's window reaches to the last that its last pixel's does, whole lines, of the image itself.
struct window_rule {
  int width = 1, height = 1;     ///< of an image of the result, in pixels and lines
  int in_width = 1, in_height = 1;   ///< of an image that is read
  int stride = 1;                ///< lines from one window to the next …
  int before = 0;                ///< … of which the first begins so many lines before the image …
  int reach = 1;                 ///< … and reaches over so many

  /// The rows that a block of rows [first, last) of the result meets; at least one line.
  constexpr span of(span block) const {
    auto const line_of = [&](int row, int offset) {
      int const line = row / width, image = line / height;
      int const at = line % height * stride - before + offset;
      return image * in_height + (at < 0 ? 0 : at >= in_height ? in_height - 1 : at);
    };
    return {line_of(block.first, 0) * in_width, (line_of(block.last - 1, reach - 1) + 1) * in_width};
  }
};

/// Which part of a tensor one field of a vertex covers, as a function of the tile.
struct access_record {
  access_kind kind = access_kind::own;
  direction dir = direction::in;
  edge_rule edge = edge_rule::clip;
  layout_record layout;
  std::int16_t tensor = -1;
  std::int16_t by = -1;          ///< the tensor whose mapping says which block is the tile's; own: `tensor` itself
  std::int16_t index = -1;       ///< gather: the int32 or int64 vector of row numbers, read where `by` = index says
  std::int8_t field = 0;         ///< position among the vertex's fields
  dim_rule dim[max_rank];
  window_rule window;            ///< kind window: what becomes of dimension 0 of the block
  box (*at)(tile) = nullptr;     ///< kind at: the user's function
};

/// Where a field's elements are: what binding hands to a vertex. One for each field, state fields left empty.
struct field_binding {
  void* data = nullptr;
  int extent[max_rank] = {0, 1, 1, 1};
  std::ptrdiff_t stride[max_rank] = {1, 1, 1, 1};   ///< in elements
  int first[max_rank] = {};                         ///< tensor coordinates of element 0
  int tensor_extent[max_rank] = {1, 1, 1, 1};
  int before[max_rank] = {};                        ///< halo elements that are there before the own block …
  int after[max_rank] = {};                         ///< … and after it
};

/// The largest number of fields of a vertex.
inline constexpr int max_fields = 16;

/// What a vertex costs: floating-point operations and bytes of its own tile's memory touched.
struct work {
  double flops = 0;
  double bytes = 0;
};

/// A distinct vertex type. No function here knows the program it is used in.
struct kernel_record {
  void const* key = nullptr;
  char const* name = "";
  int fields = 0;
  int object_bytes = 0;
  int object_alignment = 1;
  int state_bytes = 0;                                   ///< a tile's state of one execute
  std::int64_t scratch_bytes = 0;                        ///< scratch of one run on one tile, every field aligned to 64
  int scratch_fields = 0;
  std::int64_t scratch_of_field[max_fields] = {};        ///< bytes of each field's scratch
  int workspace_field = -1;                              ///< the field whose memory the execute sizes, or none
  void (*construct)(void* object) = nullptr;             ///< default values
  void (*bind)(void* object, field_binding const*) = nullptr;
  void (*run)(void* object) = nullptr;
  work (*cost)(region const* covered) = nullptr;         ///< one region a field; a guess where cost_stated is false
  bool cost_stated = false;
};

/// The largest count of numbers that configure a vertex of a graph program.
inline constexpr int max_numbers = 14;

/// One vertex type on the tiles first_tile, first_tile + stride, … <= last_tile of a compute set.
struct execute_record {
  std::int16_t kernel = -1;
  std::int16_t first_access = 0;
  std::int16_t accesses = 0;
  int first_tile = 0;
  int last_tile = 0;
  int stride = 1;
  void (*state)(void* object, tile, double const* number) = nullptr;   ///< sets the state fields that are given
  std::int64_t workspace_bytes = 0;                      ///< of the vertex's workspace field, a multiple of 64
  double number[max_numbers] = {};                       ///< graph programs: what configures the vertex (sizes, eps, …)

  constexpr bool has_tile(int t) const { return t >= first_tile && t <= last_tile && (t - first_tile) % stride == 0; }
};

/// What a step is.
enum class step_kind : std::uint8_t {
  compute,                         ///< executes [first, first + count) as one compute set
  copy,                            ///< access `first` (source, in) to access `first + 1` (destination, out)
  repeat_begin, repeat_end,        ///< body `count` times
  while_begin, while_end,          ///< body while the one element of `tensor` is true (not zero)
  if_begin, if_else, if_end,       ///< if_else is always there, possibly directly before if_end
  block_begin, block_end           ///< a named part, for reports
};

/// One step. Control flow is bracketed; `other` is the index of the matching bracket (begin <-> end; if_begin ->
/// if_else -> if_end -> if_begin).
struct step_record {
  step_kind kind = step_kind::compute;
  int first = 0;
  int count = 0;
  int other = -1;
  std::int16_t tensor = -1;        ///< the predicate of while_begin and if_begin
  char const* name = "";           ///< of a block
};

/// A program as pointers to its records: what every pass takes.
struct program_view {
  machine target;
  tensor_record const* tensors = nullptr;
  access_record const* accesses = nullptr;
  execute_record const* executes = nullptr;
  step_record const* steps = nullptr;
  kernel_record const* kernels = nullptr;
  int tensor_count = 0;
  int access_count = 0;
  int execute_count = 0;
  int step_count = 0;
  int kernel_count = 0;
};

/// Bytes of scratch and workspace that an execute's vertex has for one run on one tile.
constexpr std::int64_t scratch_bytes(program_view const& p, execute_record const& e) {
  return p.kernels[e.kernel].scratch_bytes + e.workspace_bytes;
}

/// How many records of each kind there are: the template argument of everything with arrays of that size.
struct record_counts {
  int tensors = 0;
  int accesses = 0;
  int executes = 0;
  int steps = 0;
  int kernels = 0;
  friend constexpr bool operator==(record_counts const&, record_counts const&) = default;
};

/// The records of one program; passes read them through `view()`, which must be taken of an object with static storage.
template <record_counts N>
struct program_records {
  machine target;
  tensor_record tensors[N.tensors + 1];
  access_record accesses[N.accesses + 1];
  execute_record executes[N.executes + 1];
  step_record steps[N.steps + 1];
  kernel_record kernels[N.kernels + 1];

  constexpr program_view view() const {
    return {target, tensors, accesses, executes, steps, kernels,
            N.tensors, N.accesses, N.executes, N.steps, N.kernels};
  }
};

}  // namespace tessera

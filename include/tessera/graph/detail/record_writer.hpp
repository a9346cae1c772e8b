// SPDX-License-Identifier: Apache-2.0
// What lowering writes records with. With Store false it only counts them.
#pragma once

#include <tessera/codelets/gemm.hpp>
#include <tessera/graph/blocking.hpp>
#include <tessera/graph/graph.hpp>
#include <tessera/graph/kernel_key.hpp>
#include <tessera/program/records.hpp>

#include <cstdint>
#include <type_traits>

namespace tessera {
TESSERA_ISA_BEGIN
namespace isa_detail {

/// Rows and columns of a graph's tensor as a matrix.
constexpr int matrix_rows(dims const& s) {
  if (s.rank == 0) return 1;
  if (s.rank == 1) return s[0];
  return static_cast<int>(s.volume() / s.cols());
}
constexpr int matrix_cols(dims const& s) { return s.rank < 2 ? 1 : s.cols(); }

struct nothing_stored {};

/// The records so far, and what writes the next: one compute set at a time, begin(), access() for each field, finish().
template <record_counts N, bool Store>
class record_writer {
 public:
  record_counts used;
  kernel_key keys[N.kernels + 1];
  bool keeps_state[N.executes + 1] = {};   ///< of an execute: vertices keep their default state, whatever its numbers
  std::conditional_t<Store, program_records<N>, nothing_stored> records;

 protected:
  constexpr record_writer(graph const& g, machine const& m) : g_(g), machine_(m) {
    if constexpr (Store) records.target = m;
    used.tensors = g.nodes.size();
  }

  constexpr int rows(int node) const { return matrix_rows(g_.nodes[node].shape); }
  constexpr int cols(int node) const { return matrix_cols(g_.nodes[node].shape); }

  constexpr void map(int tensor, tile_grid grid) {
    if constexpr (Store) {
      records.tensors[tensor].map.grid[0] = grid.rows;
      records.tensors[tensor].map.grid[1] = grid.cols;
    }
  }
  /// A tensor without memory: `parts` blocks of `rows` rows, for accesses to go by.
  constexpr int shadow(int parts, int rows) {
    if constexpr (Store) {
      tensor_record t;
      t.name = "blocks";
      t.type = element::float32;
      t.rank = 2;
      t.extent[0] = parts * rows;
      t.map.grid[0] = parts;
      records.tensors[used.tensors] = t;
    }
    return used.tensors++;
  }

  /// Where a span of an access comes from: the rows or columns of the result's block, or everything.
  static constexpr int all = -1, block_rows = 0, block_cols = 1;

  constexpr void begin(kernel_key const& key, tile_grid grid) {
    int kernel = 0;
    while (kernel < used.kernels && !(keys[kernel] == key)) ++kernel;
    if (kernel == used.kernels) keys[used.kernels++] = key;
    execute_ = {};
    execute_.kernel = static_cast<std::int16_t>(kernel);
    execute_.first_access = static_cast<std::int16_t>(used.accesses);
    execute_.last_tile = grid.rows * grid.cols - 1;
  }
  constexpr void access(int field, int tensor, int by, int from_rows, int from_cols,
                        layout_record layout = row_major::record, direction dir = direction::in, int offset = 0) {
    if (tensor < 0) return;
    access_record a;
    bool const everything = from_rows == all && from_cols == all;
    a.kind = everything ? access_kind::whole : access_kind::own;
    a.dir = dir;
    a.layout = layout;
    a.tensor = static_cast<std::int16_t>(tensor);
    a.by = static_cast<std::int16_t>(by);
    a.field = static_cast<std::int8_t>(field);
    a.dim[0].from = static_cast<std::int8_t>(from_rows);
    a.dim[1].from = static_cast<std::int8_t>(from_cols);
    a.dim[0].offset = offset;
    add(a);
  }
  /// The lines of images that windows over the result's pixels meet, in all columns or those of the result's block.
  constexpr void window(int field, int tensor, int by, window_rule const& rule, int from_cols) {
    access_record a;
    a.kind = access_kind::window;
    a.tensor = static_cast<std::int16_t>(tensor);
    a.by = static_cast<std::int16_t>(by);
    a.field = static_cast<std::int8_t>(field);
    a.dim[0].from = block_rows;
    a.dim[1].from = static_cast<std::int8_t>(from_cols);
    a.window = rule;
    add(a);
  }
  constexpr void workspace(std::int64_t floats) { execute_.workspace_bytes = (floats * 4 + 63) / 64 * 64; }
  constexpr void number(double value) { execute_.number[numbers_++] = value; }
  constexpr void finish() {
    execute_.accesses = static_cast<std::int16_t>(used.accesses - execute_.first_access);
    if constexpr (Store) {
      records.executes[used.executes] = execute_;
      records.steps[used.steps] = {.kind = step_kind::compute, .first = used.executes, .count = 1};
    }
    ++used.executes;
    ++used.steps;
    numbers_ = 0;
  }

  /// What a product does besides, as b and c of its key.
  static constexpr int has_bias(op_record const& op) { return op.operand[2] >= 0; }
  static constexpr int addend_of(op_record const& op) {
    if (op.operand[3] < 0) return static_cast<int>(addend::none);
    return static_cast<int>(detail::adds_first(op) ? addend::before_function : addend::last);
  }
  /// The layout of a product's right operand.
  static constexpr layout_record panels_of(bool transposed) {
    return {transposed ? layout_kind::row_panels : layout_kind::panels, codelets::panel_width};
  }
  /// product_grid(), remembered: a network has few distinct shapes.
  constexpr tile_grid grid_of_product(int rows, int cols, int depth) {
    for (blocked_shape const& b : blocked_)
      if (b.rows == rows && b.cols == cols && b.depth == depth) return b.grid;
    tile_grid const grid = product_grid(machine_, rows, cols, depth, codelets::panel_width);
    blocked_[next_blocked_++ % most_blocked] = {rows, cols, depth, grid};
    return grid;
  }

  /// A product of matrices, transposed as d and e of its key say.
  constexpr void product(op_record const& op, kernel_key const& key, int depth) {
    tile_grid const grid = grid_of_product(rows(op.result), cols(op.result), depth);
    map(op.result, grid);
    begin(key, grid);
    if (key.d != 0) access(0, op.operand[0], op.result, all, block_rows, {layout_kind::col_major, 1});
    else access(0, op.operand[0], op.result, block_rows, all);
    if (key.e != 0) access(1, op.operand[1], op.result, block_cols, all, panels_of(true));
    else access(1, op.operand[1], op.result, all, block_cols, panels_of(false));
    rest_of_product(op);
  }
  /// Fields 2 … 4 of a product: bias, residual, result.
  constexpr void rest_of_product(op_record const& op) {
    access(2, op.operand[2], op.result, block_cols, all);
    access(3, op.operand[3], op.result, block_rows, block_cols);
    access(4, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }

  graph const& g_;
  machine machine_;

 private:
  struct blocked_shape {
    int rows = 0, cols = 0, depth = 0;
    tile_grid grid;
  };
  static constexpr int most_blocked = 8;

  constexpr void add(access_record const& a) {
    if constexpr (Store) records.accesses[used.accesses] = a;
    ++used.accesses;
  }

  blocked_shape blocked_[most_blocked];
  int next_blocked_ = 0;
  execute_record execute_;
  int numbers_ = 0;
};

}  // namespace isa_detail
TESSERA_ISA_END
}  // namespace tessera

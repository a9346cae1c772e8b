// SPDX-License-Identifier: Apache-2.0
// Lowering: a graph becomes the records of a program. Every tensor is a matrix (leading dimensions are rows), every
// operator one compute set, or several where there are more independent parts than tiles.
#pragma once

#include <tessera/codelets/attention.hpp>
#include <tessera/graph/apply.hpp>
#include <tessera/graph/detail/lower_images.hpp>

namespace tessera {
TESSERA_ISA_BEGIN
namespace isa_detail {

/// What counting has room for: more kernels than there are distinct keys.
inline constexpr record_counts lower_limits{
    .tensors = 1800, .accesses = 4096, .executes = 1024, .steps = 1024, .kernels = 160};

template <record_counts N, bool Store>
class lowering : public image_lowering<N, Store> {
  using base = image_lowering<N, Store>;

 public:
  using base::keeps_state, base::keys, base::records, base::used;

  constexpr lowering(graph const& g, machine const& m) : base(g, m) {
    if constexpr (Store) {
      for (int i = 0; i < g.nodes.size(); ++i) records.tensors[i] = tensor_of(i);
      for (op_record const& op : g.ops) records.tensors[op.result].name = name_of(op.kind, op.vertex);
      keep_rows_apart();
      give_names(g.inputs);
      give_names(g.parameters);
      give_names(g.outputs);
    }
    for (int i = 0; i < g.ops.size(); ++i) lower(g.ops[i]);
  }

 private:
  using base::access, base::all, base::begin, base::block_cols, base::block_rows, base::cols, base::finish, base::g_;
  using base::machine_, base::map, base::number, base::panels_of, base::rows, base::shadow;
  using base::workspace;

  /// Tensors that have a name in the graph are called by it; the graph must have static storage.
  template <class List>
  constexpr void give_names(List const& list) {
    for (named_node const& n : list)
      if (n.id >= 0) records.tensors[n.id].name = g_.characters.items + n.name_at;
  }
  constexpr tensor_record tensor_of(int i) const {
    node_record const& n = g_.nodes[i];
    tensor_record t;
    t.name = "";
    t.type = n.type;
    t.rank = 2;
    t.extent[0] = matrix_rows(n.shape);
    t.extent[1] = matrix_cols(n.shape);
    t.input = n.input;
    t.output = n.output;
    t.parameter = n.parameter;
    if (n.shape.rank >= 1 && n.shape.rank <= 2) t.valid = static_cast<std::int16_t>(n.shape.dim[0].length_number);
    return t;
  }
  /// Whether the vertices of an operator take rows that do not follow one another closely.
  static constexpr bool takes_gaps(op_record const& op) {
    switch (op.kind) {
      case op_kind::matmul: return op.attribute[0] == 0 && op.attribute[3] <= 1;
      case op_kind::layer_norm:
      case op_kind::embedding_norm:
      case op_kind::packed_attention:
      case op_kind::l2_normalize:
      case op_kind::sequence_mean:
      case op_kind::select_rows:
      case op_kind::pool:
      case op_kind::batch_norm:
      case op_kind::group_norm: return true;
      case op_kind::convolution: return op.attribute[5] != 0;
      default: return false;
    }
  }
  /// One cache line between the rows of tensors that only such operators touch: rows whose distance is a multiple of
  /// some hundred bytes share few sets of a first-level cache, and a product walks many of them at once.
  constexpr void keep_rows_apart() {
    constexpr int line = 16;
    for (int i = 0; i < g_.nodes.size(); ++i) {
      tensor_record& t = records.tensors[i];
      bool const inside = !t.input && !t.output && !t.parameter && t.type == element::float32;
      if (machine_.shared && inside && t.extent[1] % (4 * line) == 0) t.row_gap = line;
    }
    for (int i = 0; i < g_.ops.size(); ++i) {
      op_record const& op = g_.ops[i];
      if (takes_gaps(op)) continue;
      records.tensors[op.result].row_gap = 0;
      for (int j = 0; j < op.operands; ++j)
        if (op.operand[j] >= 0) records.tensors[op.operand[j]].row_gap = 0;
    }
  }
  constexpr kernel_key product_key(op_record const& op) const {
    return {
        op.kind, static_cast<int>(detail::function_of(op)), base::has_bias(op), base::addend_of(op),
        op.attribute[0] != 0, op.attribute[1] != 0,
        g_.nodes[op.operand[1]].type == element::bfloat16};
  }

  constexpr void lower(op_record const& op) {
    switch (op.kind) {
      case op_kind::matmul: return op.attribute[3] > 1 ? batched_matmul(op) : base::product(op, product_key(op), op.attribute[4]);
      case op_kind::attention: return attention(op);
      case op_kind::packed_attention: return packed_attention(op);
      case op_kind::embedding:
        return by_rows(op, {op.kind, g_.nodes[op.operand[1]].type == element::int64}, {everything(0), everything(1)});
      case op_kind::embedding_norm:
        return by_rows(op, {op.kind, g_.nodes[op.operand[3]].type == element::int64},
                       {everything(0), everything(1), everything(2), same_rows(3), same_rows(4), same_rows(5),
                        everything(6), everything(7)});
      case op_kind::layer_norm:
        if (op.operand[3] < 0) return by_rows(op, {op.kind}, {same_rows(0), everything(1), everything(2)});
        return by_rows(op, {op.kind, true, is_one_row(op)}, {same_rows(0), everything(1), everything(2), same_rows(3)});
      case op_kind::l2_normalize: return by_rows(op, {op.kind}, {same_rows(0)});
      case op_kind::activation: return by_rows(op, {op.kind, op.attribute[0]}, {same_rows(0)});
      case op_kind::softmax: return softmax(op);
      case op_kind::binary: return binary(op);
      case op_kind::expand: return expand(op);
      case op_kind::reduce: return reduce(op);
      case op_kind::concat: return concat(op);
      case op_kind::sequence_mean:
      case op_kind::select_rows: return by_rows(op, {op.kind}, {everything(0), same_rows(1)});
      case op_kind::convolution: return this->convolution(op);
      case op_kind::pool: return this->pool(op);
      case op_kind::group_norm: return this->group_norm(op);
      case op_kind::batch_norm:
        return by_rows(op, {op.kind},
                       {same_rows(0), everything(1), everything(2), everything(3), everything(4)});
      case op_kind::move_channels: return this->move_channels(op);
      case op_kind::vertex: return vertex(op);
    }
  }

  struct operand_access {
    int operand;
    int from_rows;
  };
  static constexpr operand_access everything(int operand) { return {operand, all}; }
  static constexpr operand_access same_rows(int operand) { return {operand, block_rows}; }

  /// A vector is a column here. To an operator on rows it is one row, which one tile works on.
  constexpr bool is_one_row(op_record const& op) const {
    return (op.kind == op_kind::layer_norm || op.kind == op_kind::l2_normalize || op.kind == op_kind::softmax) &&
           g_.nodes[op.result].shape.rank == 1;
  }
  /// An operator whose result's rows are independent of one another.
  constexpr void by_rows(op_record const& op, kernel_key const& key, std::initializer_list<operand_access> operands) {
    tile_grid const grid = is_one_row(op) ? tile_grid{} : rows_grid(machine_, rows(op.result));
    map(op.result, grid);
    begin(key, grid);
    number(op.number[0]);
    number(is_one_row(op));
    for (operand_access const& o : operands) access(o.operand, op.operand[o.operand], op.result, o.from_rows, all);
    access(op.operands, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }

  /// One product a tile; more products than tiles in several compute sets.
  constexpr void batched_matmul(op_record const& op) {
    bool const ta = op.attribute[0] != 0, tb = op.attribute[1] != 0;
    int const batch = op.attribute[3], depth = op.attribute[4];
    int const m = rows(op.result) / batch, n = cols(op.result);
    map(op.result, {largest_divisor(batch, machine_.tiles), 1});
    for (int first = 0; first < batch; first += machine_.tiles) {
      int const parts = batch - first < machine_.tiles ? batch - first : machine_.tiles;
      int const rows_a = ta ? depth : m, rows_b = tb ? n : depth;
      int const by_a = shadow(parts, rows_a), by_b = shadow(parts, rows_b), by_c = shadow(parts, m);
      begin(product_key(op), {parts, 1});
      access(0, op.operand[0], by_a, block_rows, all, ta ? col_major::record : row_major::record, direction::in,
             first * rows_a);
      access(1, op.operand[1], by_b, block_rows, all, panels_of(tb), direction::in, first * rows_b);
      access(2, op.operand[2], op.result, all, all);
      access(3, op.operand[3], by_c, block_rows, all, row_major::record, direction::in, first * m);
      access(4, op.result, by_c, block_rows, all, row_major::record, direction::out, first * m);
      finish();
    }
  }

  constexpr void attention(op_record const& op) {
    int const heads_in_all = op.attribute[0], queries = op.attribute[1], keys_each = op.attribute[2];
    map(op.result, {largest_divisor(heads_in_all, machine_.tiles), 1});
    for (int first = 0; first < heads_in_all; first += machine_.tiles) {
      int const parts = heads_in_all - first < machine_.tiles ? heads_in_all - first : machine_.tiles;
      int const by_q = shadow(parts, queries), by_k = shadow(parts, keys_each);
      begin({op.kind, op.operand[3] >= 0}, {parts, 1});
      workspace(codelets::attention_workspace(keys_each, op.attribute[3]));
      number(op.attribute[4]);
      access(0, op.operand[0], by_q, block_rows, all, row_major::record, direction::in, first * queries);
      access(1, op.operand[1], by_k, block_rows, all, row_major::record, direction::in, first * keys_each);
      access(2, op.operand[2], by_k, block_rows, all, row_major::record, direction::in, first * keys_each);
      access(3, op.operand[3], op.result, all, all);
      access(4, op.result, by_q, block_rows, all, row_major::record, direction::out, first * queries);
      finish();
    }
  }

  constexpr void packed_attention(op_record const& op) {
    int const heads = op.attribute[0];
    tile_grid const grid = attention_grid(machine_, rows(op.result), heads, cols(op.result) / heads);
    map(op.result, grid);
    begin({op.kind}, grid);
    workspace(codelets::attention_workspace(rows(op.result), cols(op.result) / op.attribute[0]));
    number(op.attribute[0] / grid.cols);
    access(0, op.operand[0], op.result, block_rows, block_cols);
    access(1, op.operand[1], op.result, all, block_cols);
    access(2, op.operand[2], op.result, all, block_cols);
    access(3, op.operand[3], op.result, block_rows, all);
    access(4, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }

  constexpr void softmax(op_record const& op) {
    int const outer = op.attribute[0], axis = op.attribute[1], inner = op.attribute[2];
    bool const last = op.attribute[4] != 0;
    // Along the last dimension rows are independent; along another, groups of axis x inner elements are.
    tile_grid grid{largest_divisor(outer, machine_.tiles), 1};
    if (last) grid = is_one_row(op) ? tile_grid{} : rows_grid(machine_, rows(op.result));
    map(op.result, grid);
    begin({op.kind, last, op.operand[1] >= 0}, grid);
    number(axis);
    number(inner);
    number(op.attribute[3]);
    number(is_one_row(op));
    access(0, op.operand[0], op.result, block_rows, all);
    if (last) access(1, op.operand[1], op.result, all, all);
    access(last ? 2 : 1, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }

  /// The distance in elements between neighbours of `operand` along each dimension of `shape`; 0 where it repeats.
  constexpr void strides(dims const& operand, dims const& shape) {
    int step[max_rank] = {};
    int running = 1;
    for (int d = operand.rank - 1; d >= 0; --d) {
      step[d + shape.rank - operand.rank] = operand[d] == 1 ? 0 : running;
      running *= operand[d];
    }
    for (int d = 0; d < max_rank; ++d) number(d < max_rank - shape.rank ? 0 : step[d - (max_rank - shape.rank)]);
  }
  /// The extents of a shape, filled up with ones in front.
  constexpr void extents(dims const& shape) {
    for (int d = 0; d < max_rank; ++d) number(d < max_rank - shape.rank ? 1 : shape[d - (max_rank - shape.rank)]);
  }

  constexpr void binary(op_record const& op) {
    dims const out = g_.nodes[op.result].shape;
    tile_grid const grid = rows_grid(machine_, rows(op.result));
    map(op.result, grid);
    begin({op.kind, op.attribute[0]}, grid);
    extents(out);
    strides(g_.nodes[op.operand[0]].shape, out);
    strides(g_.nodes[op.operand[1]].shape, out);
    access(0, op.operand[0], op.result, all, all);
    access(1, op.operand[1], op.result, all, all);
    access(2, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }
  constexpr void expand(op_record const& op) {
    dims const out = g_.nodes[op.result].shape;
    tile_grid const grid = rows_grid(machine_, rows(op.result));
    map(op.result, grid);
    begin({op.kind}, grid);
    extents(out);
    strides(g_.nodes[op.operand[0]].shape, out);
    access(0, op.operand[0], op.result, all, all);
    access(1, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }
  constexpr void reduce(op_record const& op) {
    dims const in = g_.nodes[op.operand[0]].shape;
    tile_grid const grid = rows_grid(machine_, rows(op.result));
    map(op.result, grid);
    begin({op.kind, op.attribute[0]}, grid);
    extents(in);
    // Which of the four dimensions disappear, as bits.
    number(op.attribute[1] << (max_rank - in.rank));
    access(0, op.operand[0], op.result, all, all);
    access(1, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }
  constexpr void concat(op_record const& op) {
    dims const out = g_.nodes[op.result].shape;
    int inner = 1;
    for (int d = op.attribute[0] + 1; d < out.rank; ++d) inner *= out[d];
    tile_grid const grid = rows_grid(machine_, rows(op.result));
    map(op.result, grid);
    begin({op.kind}, grid);
    number(op.operands);
    number(inner);
    for (int i = 0; i < op.operands; ++i) number(g_.nodes[op.operand[i]].shape[op.attribute[0]]);
    for (int i = 0; i < op.operands; ++i) access(i, op.operand[i], op.result, all, all);
    access(max_operands, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }

  constexpr void vertex(op_record const& op) {
    vertex_kind const& kind = *op.vertex;
    tile_grid const grid = rows_grid(machine_, rows(op.result));
    map(op.result, grid);
    begin({.kind = op.kind, .vertex = op.vertex}, grid);
    for (double n : op.number) number(n);
    keeps_state[used.executes] = op.attribute[1] == 0;
    for (int i = 0; i < op.operands; ++i) {
      bool const everything = (op.attribute[0] >> i & 1) != 0;
      access(kind.edge[i].field, op.operand[i], op.result, everything ? all : block_rows, all, kind.edge[i].layout);
    }
    access(kind.edge[op.operands].field, op.result, op.result, block_rows, block_cols, row_major::record,
           direction::out);
    finish();
  }

};

}  // namespace isa_detail
TESSERA_ISA_END
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Operators: functions that add to a graph. Shapes are checked here; a mistake is noted in the graph and becomes one
// compile error of the model.
//
//   auto y = ts::matmul(g, a, b, {.transpose_b = true, .function = ts::activation::relu});
#pragma once

#include <tessera/graph/graph.hpp>

#include <initializer_list>

namespace tessera {

namespace detail {

/// @param function  which of its kind the operator is, where a kind has several
constexpr node wrong_shapes(graph& g, op_kind op, node a, node b = {}, char const* function = nullptr) {
  graph_mistake m;
  m.what = graph_mistake::kind::shapes;
  m.op = op;
  m.function = function;
  if (a.exists()) m.a = g.shape(a), m.a_name = g.name_of(a);
  if (b.exists()) m.b = g.shape(b), m.b_name = g.name_of(b);
  return g.mistake(m);
}
constexpr node wrong_type(graph& g, op_kind op, node a, char const* function = nullptr) {
  graph_mistake m;
  m.what = graph_mistake::kind::type;
  m.op = op;
  m.function = function;
  m.a = g.shape(a);
  m.a_name = g.name_of(a);
  return g.mistake(m);
}
constexpr node ragged(graph& g, op_kind op, node a, char const* function = nullptr) {
  graph_mistake m;
  m.what = graph_mistake::kind::ragged;
  m.op = op;
  m.function = function;
  m.a = g.shape(a);
  return g.mistake(m);
}
/// Whether the extent of dimension d, counted from the end if negative, is a run-time length.
constexpr bool is_ragged(graph const& g, node n, int d) {
  dims const& s = g.shape(n);
  return s.dim[d < 0 ? d + s.rank : d].length_number >= 0;
}
constexpr bool is_float(graph const& g, node n) { return g.type(n) == element::float32; }
/// Whether n is a vector of `size` floats, such as a bias.
constexpr bool is_vector(graph const& g, node n, int size) { return g.shape(n).rank == 1 && g.shape(n)[0] == size; }
constexpr bool is_index(graph const& g, node n) { return g.type(n) == element::int32 || g.type(n) == element::int64; }

/// The shape of two operands under NumPy's broadcasting rules; rank -1 where they do not go together.
constexpr dims broadcast(dims const& a, dims const& b) {
  dims out;
  out.rank = a.rank > b.rank ? a.rank : b.rank;
  for (int d = 0; d < out.rank; ++d) {
    int const da = d - (out.rank - a.rank);
    int const db = d - (out.rank - b.rank);
    dimension const x = da < 0 ? dimension(1) : a.dim[da];
    dimension const y = db < 0 ? dimension(1) : b.dim[db];
    if (x.size != y.size && x.size != 1 && y.size != 1) {
      out.rank = -1;
      return out;
    }
    bool const from_x = x.size != y.size ? y.size == 1 : x.length_number >= 0;
    out.dim[d] = from_x ? x : y;
  }
  return out;
}
constexpr bool same_shape(dims const& a, dims const& b) {
  if (a.rank != b.rank) return false;
  for (int d = 0; d < a.rank; ++d)
    if (a[d] != b[d]) return false;
  return true;
}

}  // namespace detail

/// x (…) repeated along dimensions of extent 1 until it has `shape`.
constexpr node expand(graph& g, node x, dims const& shape) {
  if (!detail::is_float(g, x)) return detail::wrong_type(g, op_kind::expand, x);
  if (detail::same_shape(g.shape(x), shape)) return x;
  if (!detail::same_shape(detail::broadcast(g.shape(x), shape), shape))
    return detail::wrong_shapes(g, op_kind::expand, x);
  return g.add_op({.kind = op_kind::expand, .operands = 1, .operand = {x.id}}, shape, g.type(x));
}

/// What a product does besides multiplying, to each block of the result while that is in the first-level cache.
struct matmul_options {
  bool transpose_a = false;                ///< a is (…, K, M)
  bool transpose_b = false;                ///< b is (…, N, K), as the weight of a linear layer
  node bias = {};                          ///< (N), added to every row
  activation function = activation::none;  ///< applied after the bias …
  node residual = {};                      ///< … and before this tensor of the result's shape is added
};

/// a (…, M, K) · b (…, K, N) -> (…, M, N), of float; b can be a parameter of bf16 that is one matrix. Leading
/// dimensions are broadcast; where b has none, those of a are rows.
/// Attributes: transpose_a, transpose_b, activation, batch, K.
constexpr node matmul(graph& g, node a, node b, matmul_options const& options = {}) {
  dims const sa = g.shape(a);
  dims const sb = g.shape(b);
  bool const narrow = g.type(b) == element::bfloat16 && g.nodes[b.id].parameter;
  if (!detail::is_float(g, a)) return detail::wrong_type(g, op_kind::matmul, a);
  if (!detail::is_float(g, b) && !narrow) return detail::wrong_type(g, op_kind::matmul, b);
  if (sa.rank < 2 || sb.rank < 2) return detail::wrong_shapes(g, op_kind::matmul, a, b);
  int const m = sa[options.transpose_a ? -1 : -2];
  int const k = sa[options.transpose_a ? -2 : -1];
  int const n = sb[options.transpose_b ? -2 : -1];
  if (sb[options.transpose_b ? -1 : -2] != k) return detail::wrong_shapes(g, op_kind::matmul, a, b);

  dims lead_a = sa, lead_b = sb;
  lead_a.rank -= 2;
  lead_b.rank -= 2;
  dims lead = detail::broadcast(lead_a, lead_b);
  if (lead.rank < 0) return detail::wrong_shapes(g, op_kind::matmul, a, b);
  dims out = lead;
  out.rank += 2;
  out.dim[out.rank - 2] = options.transpose_a ? dimension(m) : sa.dim[sa.rank - 2];
  out.dim[out.rank - 1] = dimension(n);

  std::int64_t batch = 1;
  if (lead_b.volume() > 1 || (options.transpose_a && lead_a.volume() > 1)) {
    if (narrow) return detail::wrong_type(g, op_kind::matmul, b);   // read in place, not repeated
    batch = lead.volume();
    dims full_a = lead, full_b = lead;
    full_a.rank += 2;
    full_b.rank += 2;
    for (int d = 2; d > 0; --d) {
      full_a.dim[full_a.rank - d] = sa.dim[sa.rank - d];
      full_b.dim[full_b.rank - d] = sb.dim[sb.rank - d];
    }
    a = expand(g, a, full_a);
    b = expand(g, b, full_b);
  }
  if (detail::is_ragged(g, a, -1) || detail::is_ragged(g, b, -1) || detail::is_ragged(g, b, -2) ||
      (options.transpose_a && detail::is_ragged(g, a, -2)))
    return detail::ragged(g, op_kind::matmul, detail::is_ragged(g, a, -1) || options.transpose_a ? a : b);
  for (node const extra : {options.bias, options.residual})
    if (extra.exists() && !detail::is_float(g, extra)) return detail::wrong_type(g, op_kind::matmul, extra);
  if (options.bias.exists() && !detail::is_vector(g, options.bias, n))
    return detail::wrong_shapes(g, op_kind::matmul, options.bias, b);
  if (options.residual.exists() && !detail::same_shape(g.shape(options.residual), out))
    return detail::wrong_shapes(g, op_kind::matmul, options.residual, b);
  return g.add_op({.kind = op_kind::matmul,
                   .operands = 4,
                   .operand = {a.id, b.id, options.bias.id, options.residual.id},
                   .attribute = {options.transpose_a, options.transpose_b, static_cast<int>(options.function),
                                 static_cast<int>(batch), k}},
                  out);
}

/// x (…, K), weight (N, K), bias (N) or none -> x · weightᵀ + bias (…, N).
constexpr node linear(graph& g, node x, node weight, node bias = {}, activation function = activation::none,
                      node residual = {}) {
  return matmul(g, x, weight, {.transpose_b = true, .bias = bias, .function = function, .residual = residual});
}

/// Rows of table (R, C) by ids (…) -> (…, C). An id outside [0, R) ends the run with an error.
constexpr node embedding(graph& g, node table, node ids) {
  if (g.shape(table).rank != 2 || g.shape(ids).rank < 1 || g.shape(ids).rank >= max_rank)
    return detail::wrong_shapes(g, op_kind::embedding, table, ids);
  if (!detail::is_float(g, table)) return detail::wrong_type(g, op_kind::embedding, table);
  if (!detail::is_index(g, ids)) return detail::wrong_type(g, op_kind::embedding, ids);
  dims out = g.shape(ids);
  out.dim[out.rank++] = g.shape(table).dim[1];
  return g.add_op({.kind = op_kind::embedding, .operands = 2, .operand = {table.id, ids.id}}, out);
}

/// Layer normalisation over the last dimension: (x - mean) / √(variance + eps) · weight + bias, variance biased
/// (Ba, Kiros, Hinton, "Layer normalization", 2016). x (…, C), weight and bias (C); of x + addend where that is given,
/// in the shape of x.
constexpr node layer_norm(graph& g, node x, node weight, node bias, double eps, node addend = {}) {
  for (node const operand : {x, weight, bias, addend})
    if (operand.exists() && !detail::is_float(g, operand)) return detail::wrong_type(g, op_kind::layer_norm, operand);
  int const width = g.shape(x).cols();
  if (g.shape(x).rank < 1 || !detail::is_vector(g, weight, width) || !detail::is_vector(g, bias, width))
    return detail::wrong_shapes(g, op_kind::layer_norm, x, detail::is_vector(g, weight, width) ? bias : weight);
  if (addend.exists() && !detail::same_shape(g.shape(x), g.shape(addend)))
    return detail::wrong_shapes(g, op_kind::layer_norm, x, addend);
  if (detail::is_ragged(g, x, -1)) return detail::ragged(g, op_kind::layer_norm, x);
  return g.add_op({.kind = op_kind::layer_norm,
                   .operands = addend.exists() ? 4 : 3,
                   .operand = {x.id, weight.id, bias.id, addend.id},
                   .number = {eps}},
                  g.shape(x));
}

/// The sum of rows of three tables (R, C) by three vectors of ids (T), layer-normalised with weight and bias (C):
/// (T, C), what a BERT encoder begins with. An id that a table has not ends the run with an error.
constexpr node embedding_norm(graph& g, node const (&table)[3], node const (&ids)[3], node weight, node bias,
                              double eps) {
  for (int i = 0; i < 3; ++i) {
    if (!detail::is_float(g, table[i])) return detail::wrong_type(g, op_kind::embedding_norm, table[i]);
    if (g.shape(table[i]).rank != 2 || g.shape(table[i])[1] != g.shape(table[0])[1] || g.shape(ids[i]).rank != 1 ||
        !detail::same_shape(g.shape(ids[i]), g.shape(ids[0])))
      return detail::wrong_shapes(g, op_kind::embedding_norm, table[i], ids[i]);
    if (!detail::is_index(g, ids[i]) || g.type(ids[i]) != g.type(ids[0]))
      return detail::wrong_type(g, op_kind::embedding_norm, ids[i]);
  }
  for (node const operand : {weight, bias}) {
    if (!detail::is_float(g, operand)) return detail::wrong_type(g, op_kind::embedding_norm, operand);
    if (!detail::is_vector(g, operand, g.shape(table[0])[1]))
      return detail::wrong_shapes(g, op_kind::embedding_norm, table[0], operand);
  }
  dims out = g.shape(ids[0]);
  out.dim[out.rank++] = g.shape(table[0]).dim[1];
  return g.add_op(
      {.kind = op_kind::embedding_norm,
       .operands = 8,
       .operand = {table[0].id, table[1].id, table[2].id, ids[0].id, ids[1].id, ids[2].id, weight.id, bias.id},
       .number = {eps}},
      out);
}

/// Along which dimension, and what takes part.
struct softmax_options {
  int axis = -1;
  node mask = {};  ///< (N, K) of int64: x is (N, …, K), axis -1; 0 counts as minus infinity
};

/// e^(x - max) / sum over one dimension. A row that is masked completely becomes zero.
/// Attributes: outer, axis and inner extents, rows of x that share a row of the mask, whether the axis is the last.
constexpr node softmax(graph& g, node x, softmax_options const& options = {}) {
  dims const s = g.shape(x);
  if (!detail::is_float(g, x)) return detail::wrong_type(g, op_kind::softmax, x);
  int const axis = options.axis < 0 ? options.axis + s.rank : options.axis;
  if (axis < 0 || axis >= s.rank) return detail::wrong_shapes(g, op_kind::softmax, x);
  if (detail::is_ragged(g, x, axis)) return detail::ragged(g, op_kind::softmax, x);
  int outer = 1, inner = 1;
  for (int d = 0; d < axis; ++d) outer *= s[d];
  for (int d = axis + 1; d < s.rank; ++d) inner *= s[d];
  int shared = 1;
  if (options.mask.exists()) {
    dims const m = g.shape(options.mask);
    if (g.type(options.mask) != element::int64) return detail::wrong_type(g, op_kind::softmax, options.mask);
    if (s.rank < 2 || axis != s.rank - 1 || m.rank != 2 || m[0] != s[0] || m[1] != s[-1])
      return detail::wrong_shapes(g, op_kind::softmax, x, options.mask);
    shared = outer / s[0];
  }
  return g.add_op({.kind = op_kind::softmax,
                   .operands = 2,
                   .operand = {x.id, options.mask.id},
                   .attribute = {outer, s[axis], inner, shared, axis == s.rank - 1}},
                  s);
}

/// softmax(q kᵀ / √D + mask) v for each head. q (B, H, S, D), k and v (B, H, K, D), mask (B, K) of int64 with 0 for
/// keys that do not count, or none (Vaswani et al., "Attention is all you need", 2017). Attributes: B·H, S, K, D, H.
constexpr node attention(graph& g, node q, node k, node v, node mask = {}) {
  dims const sq = g.shape(q);
  dims const sk = g.shape(k);
  for (node const operand : {q, k, v})
    if (!detail::is_float(g, operand)) return detail::wrong_type(g, op_kind::attention, operand);
  if (sq.rank != 4 || sk.rank != 4 || !detail::same_shape(sk, g.shape(v)) || sq[0] != sk[0] || sq[1] != sk[1] ||
      sq[3] != sk[3])
    return detail::wrong_shapes(g, op_kind::attention, q, k);
  if (mask.exists() && g.type(mask) != element::int64) return detail::wrong_type(g, op_kind::attention, mask);
  if (mask.exists() && (g.shape(mask).rank != 2 || g.shape(mask)[0] != sq[0] || g.shape(mask)[1] != sk[2]))
    return detail::wrong_shapes(g, op_kind::attention, k, mask);
  return g.add_op({.kind = op_kind::attention,
                   .operands = 4,
                   .operand = {q.id, k.id, v.id, mask.id},
                   .attribute = {sq[0] * sq[1], sq[2], sk[2], sq[3], sq[1]}},
                  sq);
}

/// Attention within the sequences of a packed batch: q, k, v (T, H·D); bounds (T, 2) of int32 holds the first and
/// the end row of the sequence that a row belongs to. Attribute: heads H.
constexpr node packed_attention(graph& g, node q, node k, node v, node bounds, int heads) {
  dims const s = g.shape(q);
  for (node const operand : {q, k, v})
    if (!detail::is_float(g, operand)) return detail::wrong_type(g, op_kind::packed_attention, operand);
  if (s.rank != 2 || !detail::same_shape(s, g.shape(k)) || !detail::same_shape(s, g.shape(v)) || heads < 1 ||
      s[1] % heads != 0 || g.shape(bounds).rank != 2 || g.shape(bounds)[0] != s[0] || g.shape(bounds)[1] != 2)
    return detail::wrong_shapes(g, op_kind::packed_attention, q, bounds);
  if (g.type(bounds) != element::int32) return detail::wrong_type(g, op_kind::packed_attention, bounds);
  return g.add_op({.kind = op_kind::packed_attention,
                   .operands = 4,
                   .operand = {q.id, k.id, v.id, bounds.id},
                   .attribute = {heads}},
                  s);
}

/// x / max(‖x‖₂, eps) over the last dimension. x (…, C).
constexpr node l2_normalize(graph& g, node x, double eps = 1e-12) {
  if (!detail::is_float(g, x)) return detail::wrong_type(g, op_kind::l2_normalize, x);
  if (g.shape(x).rank < 1) return detail::wrong_shapes(g, op_kind::l2_normalize, x);
  if (detail::is_ragged(g, x, -1)) return detail::ragged(g, op_kind::l2_normalize, x);
  return g.add_op({.kind = op_kind::l2_normalize, .operands = 1, .operand = {x.id}, .number = {eps}}, g.shape(x));
}

/// A function of every element. Attribute: which.
constexpr node apply(graph& g, activation function, node x) {
  if (!detail::is_float(g, x)) return detail::wrong_type(g, op_kind::activation, x, name_of(function));
  return g.add_op(
      {.kind = op_kind::activation, .operands = 1, .operand = {x.id}, .attribute = {static_cast<int>(function)}},
      g.shape(x));
}
constexpr node relu(graph& g, node x) { return apply(g, activation::relu, x); }
constexpr node gelu(graph& g, node x) { return apply(g, activation::gelu_erf, x); }
constexpr node gelu_tanh(graph& g, node x) { return apply(g, activation::gelu_tanh, x); }
constexpr node tanh(graph& g, node x) { return apply(g, activation::tanh, x); }
constexpr node sigmoid(graph& g, node x) { return apply(g, activation::sigmoid, x); }
constexpr node exp_clipped(graph& g, node x) { return apply(g, activation::exp_clipped, x); }
constexpr node silu(graph& g, node x) { return apply(g, activation::silu, x); }
constexpr node hardswish(graph& g, node x) { return apply(g, activation::hardswish, x); }

namespace detail {
constexpr node binary(graph& g, binary_kind kind, node a, node b) {
  for (node const operand : {a, b})
    if (!is_float(g, operand)) return wrong_type(g, op_kind::binary, operand, name_of(kind));
  dims const out = broadcast(g.shape(a), g.shape(b));
  if (out.rank < 0) return wrong_shapes(g, op_kind::binary, a, b, name_of(kind));
  return g.add_op(
      {.kind = op_kind::binary, .operands = 2, .operand = {a.id, b.id}, .attribute = {static_cast<int>(kind)}}, out);
}
/// Attributes: which, axes as bits.
constexpr node reduce(graph& g, reduce_kind kind, node x, std::initializer_list<int> axes) {
  if (!is_float(g, x)) return wrong_type(g, op_kind::reduce, x, name_of(kind));
  dims const s = g.shape(x);
  int bits = 0;
  for (int axis : axes) {
    int const d = axis < 0 ? axis + s.rank : axis;
    if (d < 0 || d >= s.rank || (bits >> d & 1) != 0) return wrong_shapes(g, op_kind::reduce, x, {}, name_of(kind));
    bits |= 1 << d;
  }
  if (axes.size() == 0) bits = (1 << s.rank) - 1;
  for (int d = 0; d < s.rank; ++d)
    if ((bits >> d & 1) != 0 && is_ragged(g, x, d)) return ragged(g, op_kind::reduce, x, name_of(kind));
  dims out;
  for (int d = 0; d < s.rank; ++d)
    if ((bits >> d & 1) == 0) out.dim[out.rank++] = s.dim[d];
  return g.add_op(
      {.kind = op_kind::reduce, .operands = 1, .operand = {x.id}, .attribute = {static_cast<int>(kind), bits}}, out);
}
}  // namespace detail

/// Element by element, with broadcasting.
constexpr node add(graph& g, node a, node b) { return detail::binary(g, binary_kind::add, a, b); }
constexpr node sub(graph& g, node a, node b) { return detail::binary(g, binary_kind::sub, a, b); }
constexpr node mul(graph& g, node a, node b) { return detail::binary(g, binary_kind::mul, a, b); }
constexpr node div(graph& g, node a, node b) { return detail::binary(g, binary_kind::div, a, b); }

/// Reductions over the named dimensions, which disappear; over all where none is named.
constexpr node reduce_sum(graph& g, node x, std::initializer_list<int> axes = {}) {
  return detail::reduce(g, reduce_kind::sum, x, axes);
}
constexpr node reduce_mean(graph& g, node x, std::initializer_list<int> axes = {}) {
  return detail::reduce(g, reduce_kind::mean, x, axes);
}
constexpr node reduce_max(graph& g, node x, std::initializer_list<int> axes = {}) {
  return detail::reduce(g, reduce_kind::max, x, axes);
}
/// Biased: the mean of (x - mean)².
constexpr node reduce_variance(graph& g, node x, std::initializer_list<int> axes = {}) {
  return detail::reduce(g, reduce_kind::variance, x, axes);
}
constexpr node l2_norm(graph& g, node x, std::initializer_list<int> axes = {}) {
  return detail::reduce(g, reduce_kind::l2_norm, x, axes);
}

/// Tensors of equal shape but for one dimension, along which they follow one another. At most max_operands.
/// Attribute: the dimension.
constexpr node concat(graph& g, std::initializer_list<node> parts, int axis) {
  op_record op{.kind = op_kind::concat};
  dims out;
  for (node part : parts) {
    dims const s = g.shape(part);
    int const d = axis < 0 ? axis + s.rank : axis;
    if (op.operands == max_operands || d < 0 || d >= s.rank) return detail::wrong_shapes(g, op_kind::concat, part);
    if (!detail::is_float(g, part)) return detail::wrong_type(g, op_kind::concat, part);
    if (detail::is_ragged(g, part, d)) return detail::ragged(g, op_kind::concat, part);
    if (op.operands == 0) {
      out = s;
    } else {
      for (int e = 0; e < s.rank; ++e)
        if (out.rank != s.rank || (e != d && out[e] != s[e]))
          return detail::wrong_shapes(g, op_kind::concat, node{op.operand[0]}, part);
      out.dim[d] = dimension(out[d] + s[d]);
    }
    op.attribute[0] = d;
    op.operand[op.operands++] = part.id;
  }
  if (op.operands == 0) return detail::wrong_shapes(g, op_kind::concat, {});
  return g.add_op(op, out);
}

/// The mean of the rows bounds(i, 0) … bounds(i, 1) - 1 of x (T, C) for each i: (B, C). bounds (B, 2) of int32.
constexpr node sequence_mean(graph& g, node x, node bounds) {
  dims const b = g.shape(bounds);
  if (g.shape(x).rank != 2 || b.rank != 2 || b[1] != 2)
    return detail::wrong_shapes(g, op_kind::sequence_mean, x, bounds);
  if (!detail::is_float(g, x)) return detail::wrong_type(g, op_kind::sequence_mean, x);
  if (g.type(bounds) != element::int32) return detail::wrong_type(g, op_kind::sequence_mean, bounds);
  dims out = b;
  out.dim[1] = g.shape(x).dim[1];
  return g.add_op({.kind = op_kind::sequence_mean, .operands = 2, .operand = {x.id, bounds.id}}, out);
}

/// Row bounds(i, 0) of x (T, C) for each i: (B, C); the first tokens of packed sequences. bounds (B, 2) of int32.
constexpr node select_rows(graph& g, node x, node bounds) {
  dims const b = g.shape(bounds);
  if (g.shape(x).rank != 2 || b.rank != 2 || b[1] != 2) return detail::wrong_shapes(g, op_kind::select_rows, x, bounds);
  if (!detail::is_float(g, x)) return detail::wrong_type(g, op_kind::select_rows, x);
  if (g.type(bounds) != element::int32) return detail::wrong_type(g, op_kind::select_rows, bounds);
  dims out = b;
  out.dim[1] = g.shape(x).dim[1];
  return g.add_op({.kind = op_kind::select_rows, .operands = 2, .operand = {x.id, bounds.id}}, out);
}

}  // namespace tessera

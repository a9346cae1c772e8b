// SPDX-License-Identifier: Apache-2.0
// Fusion: operators that another one can do on the way become part of it, and their tensors vanish.
//
//   matmul, add a vector, gelu, add a tensor      ->   matmul with bias, function and residual; so with conv2d
//   add, layer_norm                               ->   layer_norm of a sum
//   conv2d, batch_norm of parameters              ->   conv2d with another filter and a bias, made at load
//
// Every step of the pass looks at one operator and the one that made its operand: time is linear in the graph's size.
// An operator keeps its place behind whatever it reads, since it takes the place of the one that it absorbs it for.
#pragma once

#include <tessera/graph/operators.hpp>

namespace tessera {
namespace detail {

/// The pass over one graph, which it changes.
class fusion {
 public:
  constexpr explicit fusion(graph& g) : g_(g) {
    for (int i = 0; i < g.ops.size(); ++i) {
      op_record const& op = g.ops[i];
      for (int k = 0; k < op.operands; ++k)
        if (op.operand[k] >= 0) ++readers_[op.operand[k]];
      made_by_[op.result] = i + 1;
    }
    for (int i = 0; i < g.ops.size(); ++i) visit(i);
    if (absorbed_ > 0) compact();
  }

 private:
  constexpr void visit(int i) {
    op_record const& op = g_.ops[i];
    switch (op.kind) {
      case op_kind::activation: return visit_activation(i);
      case op_kind::layer_norm: return visit_layer_norm(i);
      case op_kind::batch_norm: return visit_batch_norm(i);
      case op_kind::binary:
        if (op.attribute[0] == static_cast<int>(binary_kind::add)) visit_sum(i);
        return;
      default: return;
    }
  }

  /// The operator that made a tensor, if it is of that kind and nobody else sees the tensor; else -1.
  constexpr int only_for_this(int node, op_kind kind) const {
    if (readers_[node] != 1 || g_.nodes[node].output) return -1;
    int const by = made_by_[node] - 1;
    return by >= 0 && g_.ops[by].kind == kind ? by : -1;
  }
  /// The same for products: they have the same operands and attributes for what they do besides.
  constexpr int product_only_for_this(int node) const {
    int const matmul = only_for_this(node, op_kind::matmul);
    return matmul >= 0 ? matmul : only_for_this(node, op_kind::convolution);
  }
  /// Operator i does what `earlier` did as well, as `fused` says.
  constexpr void replace(int i, int earlier, op_record fused) {
    fused.result = g_.ops[i].result;
    g_.ops[i] = fused;
    absorbed_tensor_[g_.ops[earlier].result] = true;
    g_.ops[earlier].result = -1;
    ++absorbed_;
  }

  // A product computes function(a b + bias) + residual, or function(a b + bias + residual): what comes later in this line
  // excludes what comes before.
  static constexpr bool has_bias(op_record const& product) { return product.operand[2] >= 0; }
  static constexpr bool has_function(op_record const& product) { return function_of(product) != activation::none; }
  static constexpr bool has_residual(op_record const& product) { return product.operand[3] >= 0; }

  constexpr void visit_activation(int i) {
    int const earlier = product_only_for_this(g_.ops[i].operand[0]);
    if (earlier < 0 || has_function(g_.ops[earlier])) return;
    op_record product = g_.ops[earlier];
    product.attribute[2] = finish_of(static_cast<activation>(g_.ops[i].attribute[0]), has_residual(product));
    replace(i, earlier, product);
  }

  /// Whether two shapes are equal, and their rows counted by the same run-time length.
  static constexpr bool same_rows(dims const& a, dims const& b) {
    return same_shape(a, b) && a.dim[0].length_number == b.dim[0].length_number;
  }
  /// A vector that is added to each row is a bias, a tensor of the same shape a residual. Where both operands are
  /// products the later one takes the other's result, if it can: it is moved less far.
  constexpr void visit_sum(int i) {
    int const operand[2] = {g_.ops[i].operand[0], g_.ops[i].operand[1]};
    int const product[2] = {product_only_for_this(operand[0]), product_only_for_this(operand[1])};
    int const first = product[1] > product[0] ? 1 : 0;
    if (!add_to_product(i, product[first], operand[1 - first])) add_to_product(i, product[1 - first], operand[first]);
  }
  constexpr bool add_to_product(int i, int earlier, int other) {
    if (earlier < 0) return false;
    op_record product = g_.ops[earlier];
    dims const& out = g_.nodes[g_.ops[i].result].shape;
    dims const& added = g_.nodes[other].shape;
    if (has_residual(product) || !same_rows(out, g_.nodes[product.result].shape)) return false;
    if (is_vector(g_, {other}, out[-1]) && !has_bias(product) && !has_function(product)) product.operand[2] = other;
    else if (same_shape(added, out)) product.operand[3] = other;
    else return false;
    replace(i, earlier, product);
    return true;
  }

  /// The norm of a sum that no product has taken adds while it reads.
  constexpr void visit_layer_norm(int i) {
    op_record norm = g_.ops[i];
    int const earlier = norm.operands == 3 ? only_for_this(norm.operand[0], op_kind::binary) : -1;
    if (earlier < 0 || g_.ops[earlier].attribute[0] != static_cast<int>(binary_kind::add)) return;
    op_record const& sum = g_.ops[earlier];
    for (int k = 0; k < 2; ++k)
      if (!same_shape(g_.nodes[sum.operand[k]].shape, g_.nodes[norm.result].shape)) return;
    norm.operand[0] = sum.operand[0];
    norm.operand[3] = sum.operand[1];
    norm.operands = 4;
    replace(i, earlier, norm);
  }

  /// The position of a tensor among the parameters, if it is one of float that one operator reads; else -1.
  constexpr int only_parameter(int node) const {
    if (!g_.nodes[node].parameter || g_.nodes[node].output || readers_[node] != 1) return -1;
    if (g_.nodes[node].type != element::float32) return -1;
    for (int i = 0; i < g_.parameters.size(); ++i)
      if (g_.parameters[i].id == node) return i;
    return -1;
  }
  /// Of a convolution and the norm of its channels, all numbers of which are parameters, the convolution stays.
  constexpr void visit_batch_norm(int i) {
    op_record const& norm = g_.ops[i];
    int const earlier = only_for_this(norm.operand[0], op_kind::convolution);
    if (earlier < 0 || has_function(g_.ops[earlier]) || has_residual(g_.ops[earlier])) return;
    op_record convolution = g_.ops[earlier];
    int const filter = convolution.operand[1], bias = convolution.operand[2];
    folded_norm fold{.filter = filter,
                     .filter_name = only_parameter(filter),
                     .weight = only_parameter(norm.operand[1]),
                     .shift = only_parameter(norm.operand[2]),
                     .mean = only_parameter(norm.operand[3]),
                     .variance = only_parameter(norm.operand[4]),
                     .own_bias = bias >= 0 ? only_parameter(bias) : -1,
                     .eps = norm.number[0]};
    if (fold.filter_name < 0 || fold.weight < 0 || fold.shift < 0 || fold.mean < 0 || fold.variance < 0) return;
    if (bias >= 0 && fold.own_bias < 0) return;
    if (g_.nodes.size() == static_cast<int>(g_.nodes.capacity()) ||
        g_.folded_norms.size() == static_cast<int>(g_.folded_norms.capacity()))
      return;
    for (int k = 1; k < norm.operands; ++k) absorbed_tensor_[norm.operand[k]] = true;
    if (bias >= 0) absorbed_tensor_[bias] = true;
    fold.bias = g_.nodes.push_back({.shape = {g_.nodes[filter].shape[0]}, .parameter = true});
    readers_[fold.bias] = 1;
    convolution.operand[2] = fold.bias;
    g_.folded_norms.push_back(fold);
    replace(i, earlier, convolution);
  }

  /// Takes out the operators and tensors that are not there any more.
  constexpr void compact() {
    int kept = 0;
    int* const number = readers_;  // of each tensor from now on
    for (int n = 0; n < g_.nodes.size(); ++n) {
      if (absorbed_tensor_[n]) continue;
      if (kept != n) g_.nodes[kept] = g_.nodes[n];
      number[n] = kept++;
    }
    g_.nodes.count = kept;
    kept = 0;
    for (int i = 0; i < g_.ops.size(); ++i) {
      if (g_.ops[i].result < 0) continue;
      op_record op = g_.ops[i];
      for (int k = 0; k < op.operands; ++k)
        if (op.operand[k] >= 0) op.operand[k] = number[op.operand[k]];
      op.result = number[op.result];
      g_.ops[kept++] = op;
    }
    g_.ops.count = kept;
    for (named_node& n : g_.inputs) n.id = number[n.id];
    for (named_node& n : g_.outputs) n.id = number[n.id];
    for (named_node& n : g_.parameters) n.id = absorbed_tensor_[n.id] ? -1 : number[n.id];
    for (folded_norm& f : g_.folded_norms) {
      f.filter = number[f.filter];
      f.bias = number[f.bias];
    }
  }

  graph& g_;
  int absorbed_ = 0;
  int readers_[decltype(graph::nodes)::capacity()] = {};           ///< how many operands a tensor is
  int made_by_[decltype(graph::nodes)::capacity()] = {};           ///< number of the operator, from 1; 0: none
  bool absorbed_tensor_[decltype(graph::nodes)::capacity()] = {};
};

}  // namespace detail

/// The graph with everything fused that can be: the same outputs, from fewer operators and tensors. Outputs stay, and so
/// does what several operators read. Inputs, outputs and parameters keep their order; numbers of tensors change.
constexpr graph fused(graph g) {
  if (g.first_mistake.what == graph_mistake::kind::none) detail::fusion pass(g);
  return g;
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// A vertex of your own in a graph. Its fields are an input for each operand, in their order, then the output:
//
//   struct prelu { ts::input<float, 2> x; ts::input<float> slope; ts::output<float, 2> y; … };
//   auto y = g.apply<prelu>({x, ts::whole(slope)}, g.shape(x));
//
// The result is split by rows. A vertex sees some rows of it and the same rows of an operand, or all of one: ts::whole.
// As everywhere in a graph, a tensor of two dimensions or more is a matrix (leading dimensions are rows) in a field of
// rank 2; a vector, or a single element, is in a field of rank 1. Scratch and state are as in any vertex: state has its
// default value, or the one that `void configure(double const* number)` makes of numbers:
//
//   auto y = g.apply<leaky_relu>({x}, g.shape(x), {0.01});
#pragma once

#include <tessera/graph/graph.hpp>
#include <tessera/program/steps.hpp>
#include <tessera/program/vertex.hpp>

#include <new>

namespace tessera {

/// The functions of a vertex type, and what sets the state of its vertices from an execute's numbers, if it has that.
struct configured_kernel {
  kernel_record functions;
  void (*configure)(void* object, tile, double const* number) = nullptr;
};

struct vertex_kind {
  /// An input, output or inout field.
  struct edge_field {
    int field = 0;   ///< its position among all fields
    char const* name = "";
    int rank = 0;
    direction dir = direction::in;
    element type = element::none;
    layout_record layout;
  };
  configured_kernel kernel;
  edge_field edge[max_fields];
  int edges = 0;
};

/// What an operator is called, where it may be one of the user's.
constexpr char const* name_of(op_kind kind, vertex_kind const* vertex) {
  return vertex != nullptr ? vertex->kernel.functions.name : name_of(kind);
}

namespace detail {

template <class V>
void configure_vertex(void* object, tile, double const* number) {
  std::launder(static_cast<V*>(object))->configure(number);
}
template <class V, class F>
constexpr void add_edge(vertex_kind& kind, int field) {
  if constexpr (role_of<F> == field_role::edge)
    kind.edge[kind.edges++] = {field,  field_name<V>(field),           F::rank,
                               F::dir, element_of<typename F::element_type>, F::layout};
}
template <class V, class... F>
constexpr void add_edges(vertex_kind& kind, field_types<F...>) {
  int field = 0;
  (add_edge<V, F>(kind, field++), ...);
}

}  // namespace detail

template <Vertex V>
constexpr configured_kernel configured_kernel_of() {
  configured_kernel k{kernel_of<V>()};
  if constexpr (requires(V v, double const* n) { v.configure(n); }) k.configure = &detail::configure_vertex<V>;
  return k;
}

/// One object for each vertex type: its address stands for the type in operators and kernel keys, which are values.
template <Vertex V>
inline constexpr vertex_kind kind_of_vertex = [] {
  vertex_kind kind;
  kind.kernel = configured_kernel_of<V>();
  detail::add_edges<V>(kind, detail::field_types_of<V>{});
  return kind;
}();

namespace detail {

/// Whether a vertex has an input for each operand and an output behind them, and can take the numbers.
constexpr bool fields_go(vertex_kind const& kind, std::size_t operands, std::size_t numbers) {
  if (operands > max_operands || kind.edges != static_cast<int>(operands) + 1) return false;
  if (kind.kernel.functions.workspace_field >= 0) return false;   // its size is for bundled operators to say
  if (numbers > max_operator_numbers || (numbers > 0 && kind.kernel.configure == nullptr)) return false;
  for (int i = 0; i < kind.edges; ++i)
    if (kind.edge[i].dir != (i + 1 < kind.edges ? direction::in : direction::out)) return false;
  return true;
}
/// Rows of a tensor as a matrix; a vector's elements.
constexpr std::int64_t rows_of(dims const& s) { return s.rank < 2 ? s.volume() : s.volume() / s.cols(); }
/// The run-time length that says how many of these rows a vertex sees, or -1.
constexpr int counted_by(dims const& s) { return s.rank == 1 || s.rank == 2 ? s.dim[0].length_number : -1; }
constexpr int field_rank(dims const& s) { return s.rank < 2 ? 1 : 2; }

/// Whether a vertex sees the rows of an operand that count, and no others: as many as of the result, or all there are.
constexpr bool shows_its_length(dims const& s, layout_record layout, bool whole, dims const& out) {
  if (!whole)
    return s.dim[0].length_number == out.dim[0].length_number && counted_by(s) == counted_by(out) &&
           (counted_by(s) < 0 || layout.has_rows());
  return s.dim[0].length_number < 0 || (counted_by(s) >= 0 && layout.has_rows());
}

/// What is wrong with the operands of an operator that has been added, if anything is.
constexpr graph_mistake mistake_of(graph const& g, op_record const& op, node result) {
  using what = graph_mistake::kind;
  dims const& out = g.shape(result);
  graph_mistake m{.op = op.kind, .vertex = op.vertex};
  for (int i = 0; i <= op.operands; ++i) {
    bool const is_result = i == op.operands;
    bool const whole = is_result || (op.attribute[0] >> i & 1) != 0;
    node const tensor = is_result ? result : node{op.operand[i]};
    dims const& s = g.shape(tensor);
    vertex_kind::edge_field const& field = op.vertex->edge[i];
    if (field.rank != field_rank(s) || field.type != g.type(tensor)) m.what = what::field;
    else if (!whole && rows_of(s) != rows_of(out)) m.what = what::shapes;
    else if (!is_result && !shows_its_length(s, field.layout, whole, out)) m.what = what::ragged;
    if (m.what == what::none) continue;
    m.a = s;
    m.a_name = g.name_of(tensor);
    m.b = out;
    m.type = g.type(tensor);
    m.number = i;
    return m;
  }
  return m;
}

}  // namespace detail

/// @tparam V  its fields: an input for each operand, an output, and any scratch and state. It runs once a tile.
/// @param operands  tensors of the fields' element types; without ts::whole with as many rows as the result
/// @param shape     of the result, whose elements are of the output's type
/// @param numbers   at most four, for V::configure(), which is not called without any; missing ones are 0
template <class V>
constexpr node graph::apply(std::initializer_list<vertex_operand> operands, dims const& shape,
                            std::initializer_list<double> numbers) {
  if constexpr (!detail::vertex_is_valid<V>()) {
    return {0};
  } else {
    vertex_kind const& kind = kind_of_vertex<V>;
    if (!detail::fields_go(kind, operands.size(), numbers.size()))
      return mistake({.what = graph_mistake::kind::fields,
                      .op = op_kind::vertex,
                      .vertex = &kind,
                      .number = static_cast<int>(operands.size())});
    op_record op{.kind = op_kind::vertex, .vertex = &kind};
    for (vertex_operand const& o : operands) {
      op.attribute[0] |= int{o.whole} << op.operands;
      op.operand[op.operands++] = o.tensor.id;
    }
    int n = 0;
    for (double v : numbers) op.number[n++] = v;
    op.attribute[1] = n;
    node const result = add_op(op, shape, kind.edge[op.operands].type);
    if (first_mistake.what != graph_mistake::kind::none) return {0};
    graph_mistake const m = detail::mistake_of(*this, op, result);
    return m.what == graph_mistake::kind::none ? result : mistake(m);
  }
}

}  // namespace tessera

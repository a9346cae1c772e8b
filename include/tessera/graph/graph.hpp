// SPDX-License-Identifier: Apache-2.0
// The graph builder: a constexpr value that collects tensors and operators. Operators are in graph/operators.hpp,
// layers with named parameters in nn/.
//
//   static constexpr auto build(ts::graph& g) {
//     auto x = g.input<float>("x", {32, 784});
//     g.output("y", ts::relu(g, x));
//   }
#pragma once

#include <tessera/base/inplace_vector.hpp>
#include <tessera/codelets/kinds.hpp>
#include <tessera/tensor/element.hpp>
#include <tessera/tensor/region.hpp>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace tessera {

/// A tensor of a graph, as the builder hands it out.
struct node {
  int id = -1;
  constexpr bool exists() const { return id >= 0; }
};

/// A run-time length with a compile-time capacity. It can be the extent of dimension 0 only: rows beyond it are not
/// worked on, so no operator may mix the rows of such a tensor unless it is told their bounds.
struct length {
  int number = -1;
  int capacity = 0;
};

/// One dimension of a shape: a number, or a length.
struct dimension {
  int size = 0;
  int length_number = -1;

  constexpr dimension() = default;
  constexpr dimension(int n) : size(n) {}                                       // NOLINT: a number is a dimension
  constexpr dimension(length l) : size(l.capacity), length_number(l.number) {}  // NOLINT: so is a length
};

/// Extents of a graph's tensor, outermost first; rank 0 is a single element.
struct dims {
  int rank = 0;
  dimension dim[max_rank];

  constexpr dims() = default;
  constexpr dims(std::initializer_list<dimension> list) {
    for (dimension d : list) {
      if (rank < max_rank) dim[rank] = d;
      ++rank;
    }
  }
  constexpr int operator[](int d) const { return dim[d < 0 ? rank + d : d].size; }
  constexpr std::int64_t volume() const {
    std::int64_t product = 1;
    for (int d = 0; d < rank; ++d) product *= dim[d].size;
    return product;
  }
  /// The last dimension; 1 for a single element.
  constexpr int cols() const { return rank == 0 ? 1 : dim[rank - 1].size; }
};

/// A name that is put together:   ts::name("encoder.layer.", i, ".output")
struct text {
  static constexpr int capacity = 96;
  char character[capacity] = {};
  int size = 0;
  bool cut_off = false;  ///< it had more characters than a name may have

  constexpr text() = default;
  constexpr text(std::string_view s) { add(s); }               // NOLINT: a string is a text
  constexpr text(char const* s) { add(std::string_view(s)); }  // NOLINT
  constexpr std::string_view view() const { return {character, static_cast<std::size_t>(size)}; }
  constexpr void add(std::string_view s) {
    for (char c : s) add(c);
  }
  constexpr void add(char c) {
    if (size == capacity) cut_off = true;
    else character[size++] = c;
  }
  constexpr void add(int number) {
    char digits[12] = {};
    int n = 0;
    do {
      digits[n++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (n > 0) add(digits[--n]);
  }
  constexpr void add(text const& t) { add(t.view()); }
  constexpr void add(char const* s) { add(std::string_view(s)); }
};

/// The parts, one after the other.
template <class... Parts>
constexpr text name(Parts const&... parts) {
  text t;
  (t.add(parts), ...);
  return t;
}

/// The operators, with their operands; those in brackets may be missing.
enum class op_kind : std::uint8_t {
  matmul,            ///< a, b, [bias], [residual]
  embedding,         ///< table, ids
  embedding_norm,    ///< word, kind and position tables, their ids, weight, bias
  layer_norm,        ///< x, weight, bias, [addend]
  softmax,           ///< x, [mask]
  attention,         ///< q, k, v, [mask]
  packed_attention,  ///< q, k, v, sequence bounds
  l2_normalize,      ///< x
  activation,        ///< x
  binary,            ///< a, b
  expand,            ///< x
  reduce,            ///< x
  concat,            ///< up to max_operands
  sequence_mean,     ///< x, sequence bounds
  select_rows,       ///< x, row numbers
  convolution,       ///< x, filter, [bias], [residual]
  pool,              ///< x
  batch_norm,        ///< x, weight, bias, mean, variance
  group_norm,        ///< x, weight, bias
  move_channels,     ///< x
  vertex             ///< up to max_operands, into a vertex type of the user's
};

/// What an operator is called in messages and reports.
constexpr char const* name_of(op_kind kind) {
  constexpr char const* names[] = {"matmul",    "embedding",        "embedding_norm", "layer_norm",    "softmax",
                                   "attention", "packed_attention", "l2_normalize",   "activation",    "binary",
                                   "expand",    "reduce",           "concat",         "sequence_mean", "select_rows",
                                   "conv2d",    "pool",             "batch_norm",     "group_norm",    "move_channels",
                                   "vertex"};
  return names[static_cast<int>(kind)];
}

/// The largest number of operands of an operator, and of numbers that set the state of its vertices.
inline constexpr int max_operands = 8;
inline constexpr int max_operator_numbers = 4;

/// An operand of graph::apply(): a tensor by itself means the rows of the result's block, ts::whole(x) all of it.
struct vertex_operand {
  node tensor;
  bool whole = false;

  constexpr vertex_operand(node n, bool all = false) : tensor(n), whole(all) {}   // NOLINT: a tensor is an operand
};
constexpr vertex_operand whole(node n) { return {n, true}; }

/// A vertex type of the user's, as a graph sees it: graph/apply.hpp.
struct vertex_kind;

/// A tensor of a graph.
struct node_record {
  dims shape;
  element type = element::float32;
  bool input = false;
  bool parameter = false;
  bool output = false;
  int name_at = 0;  ///< of inputs and parameters, and the last of an output
  int name_size = 0;
};

/// An operator of a graph: `attribute` and `number` mean what its builder function says.
struct op_record {
  op_kind kind = op_kind::matmul;
  int operands = 0;
  int operand[max_operands] = {-1, -1, -1, -1, -1, -1, -1, -1};
  int result = -1;
  int attribute[6] = {};
  double number[max_operator_numbers] = {};
  vertex_kind const* vertex = nullptr;   ///< of kind vertex: which
  friend constexpr bool operator==(op_record const&, op_record const&) = default;
};

namespace detail {
/// Attribute 2 of a product or convolution is what it does to its sums: an activation, and whether the residual is added
/// before it.
constexpr activation function_of(op_record const& product) { return static_cast<activation>(product.attribute[2] & 0xff); }
constexpr bool adds_first(op_record const& product) { return product.attribute[2] >> 8 != 0; }
constexpr int finish_of(activation function, bool residual_first) {
  return static_cast<int>(function) | int{residual_first} << 8;
}
}  // namespace detail

/// A name that the graph gives to the outside.
struct named_node {
  int id = -1;
  int name_at = 0;
  int name_size = 0;
  std::uint32_t name_hash = 0;   ///< equal names have equal ones: hundreds are compared with one another
};

/// A batch norm behind a convolution that is no operator any more: the filter is scaled and a bias made of its numbers when
/// parameters are loaded. Numbers of parameters count in graph::parameters.
struct folded_norm {
  int filter = -1, bias = -1;                                ///< tensors of the convolution
  int filter_name = -1;
  int weight = -1, shift = -1, mean = -1, variance = -1;     ///< parameters of the norm …
  int own_bias = -1;                                         ///< … and the convolution's own bias, or -1
  double eps = 0;
};

/// What is wrong with a graph, as a value: reported once, by the model.
struct graph_mistake {
  enum class kind : std::uint8_t {
    none,
    shapes,
    rank,
    extent,
    type,
    ragged,
    name_twice,
    too_large,
    no_output,
    fields,   ///< of a user's vertex: not an input for each operand and an output
    field     ///< one of them is of another rank or type than its tensor
  } what = kind::none;
  op_kind op = op_kind::matmul;
  char const* function = nullptr;       ///< the operator is this one of its kind, such as "add"
  vertex_kind const* vertex = nullptr;  ///< the operator is this one of the user's
  element type = element::none;         ///< of an operand, where its field is wrong
  int number = 0;                       ///< of that field, or of the operands
  dims a{}, b{};            ///< shapes of operands
  text a_name{}, b_name{};  ///< their names, if they are inputs or parameters
  text name{};              ///< of an input, an output, a parameter or a length; empty where an operator is wrong
};

/// How many records of each kind a graph has.
struct graph_counts {
  int nodes = 0;
  int ops = 0;
  int inputs = 0;
  int outputs = 0;
  int parameters = 0;
  int lengths = 0;
  int characters = 0;
};

/// Which convolutions of 3 x 3 taps and stride 1 are computed in tiles by Winograd's algorithm (codelets/winograd.hpp),
/// whose results differ in the last digits: none, those that the cost model expects to be faster, or all whose filters
/// are parameters, in tiles of 2 x 2 or 4 x 4.
enum class winograd { off, where_faster, tiles_of_2, tiles_of_4 };

/// The builder.
class graph {
 private:
  /// Elements are counted in int by the vertices.
  static constexpr std::int64_t max_elements = 0x7fffffff;
  /// The number of elements, or more than max_elements where there are that many.
  static constexpr std::int64_t elements(dims const& shape) {
    std::int64_t product = 1;
    for (int d = 0; d < shape.rank && product <= max_elements; ++d) product *= shape[d];
    return product;
  }

  // Above its callers: clang evaluates only templates that it has seen the end of.
  template <class List>
  constexpr int give_name(List& list, text const& name, int id) {
    std::uint32_t hash = 0;
    for (char c : name.view()) hash = hash * 31 + static_cast<unsigned char>(c);
    for (named_node const& other : list)
      if (other.name_hash == hash && name_of(other) == name.view())
        mistake({.what = graph_mistake::kind::name_twice, .name = name});
    if (name.cut_off || list.size() == static_cast<int>(list.capacity()) ||
        characters.size() + name.size + 1 > static_cast<int>(characters.capacity())) {
      mistake({.what = graph_mistake::kind::too_large, .name = name});
      return 0;
    }
    named_node const entry{id, characters.size(), name.size, hash};
    for (char c : name.view()) characters.push_back(c);
    characters.push_back('\0');  // so that a name is a C string as well
    return list.push_back(entry);
  }

 public:
  /// A tensor that the host sets before each run.
  template <Element T>
  constexpr node input(text const& name, dims const& shape) {
    node const n = add_node(shape, element_of<T>, {.name = name});
    nodes[n.id].input = true;
    give_name(inputs, name, n.id);
    return n;
  }
  /// A tensor whose values are loaded once: of float, or of bf16, to which they are rounded then. Weights of products
  /// can be bf16.
  constexpr node parameter(text const& name, dims const& shape, element type = element::float32) {
    bool const storable = type == element::float32 || type == element::bfloat16;
    if (!storable) mistake({.what = graph_mistake::kind::type, .a = shape, .name = name});
    node const n = add_node(shape, storable ? type : element::float32, {.name = name});
    nodes[n.id].parameter = true;
    give_name(parameters, name, n.id);
    return n;
  }
  /// Makes a tensor an output.
  constexpr void output(text const& name, node n) {
    if (!n.exists()) return;
    nodes[n.id].output = true;
    give_name(outputs, name, n.id);
  }
  /// A run-time length of at most `capacity`.
  constexpr length run_time_length(text const& name, int capacity) {
    if (capacity < 1) mistake({.what = graph_mistake::kind::extent, .a = {capacity}, .name = name});
    int const number = give_name(lengths, name, capacity);
    return {number, capacity};
  }

  /// A vertex type of the user's as an operator, with a result of this shape: see graph/apply.hpp.
  template <class V>
  constexpr node apply(std::initializer_list<vertex_operand> operands, dims const& shape,
                       std::initializer_list<double> numbers = {});

  /// The shape of a tensor.
  constexpr dims const& shape(node n) const { return nodes[n.id].shape; }
  constexpr element type(node n) const { return nodes[n.id].type; }

  /// For operators: a new tensor, a new operator, and a mistake. After the first mistake operators add nothing; their
  /// result is then the first tensor. `of` says whose tensor it is, should it be impossible.
  constexpr node add_node(dims const& shape, element type, graph_mistake of = {}) {
    using kind = graph_mistake::kind;
    of.a = shape;
    if (shape.rank > max_rank) of.what = kind::rank;
    for (int d = 0; d < shape.rank && of.what == kind::none; ++d) {
      if (shape[d] < 1) of.what = kind::extent;
      else if (d > 0 && shape.dim[d].length_number >= 0) of.what = kind::ragged;
    }
    if (of.what == kind::none && (elements(shape) > max_elements || nodes.size() == static_cast<int>(nodes.capacity())))
      of.what = kind::too_large;
    if (of.what != kind::none) return mistake(of);
    return {nodes.push_back({.shape = shape, .type = type})};
  }
  constexpr node add_op(op_record op, dims const& shape, element type = element::float32) {
    if (first_mistake.what != graph_mistake::kind::none) return {0};
    node const result = add_node(shape, type, {.op = op.kind, .vertex = op.vertex});
    if (first_mistake.what != graph_mistake::kind::none) return result;
    op.result = result.id;
    if (ops.size() == static_cast<int>(ops.capacity()))
      return mistake({.what = graph_mistake::kind::too_large, .op = op.kind, .vertex = op.vertex, .a = shape});
    ops.push_back(op);
    return result;
  }
  constexpr node mistake(graph_mistake const& m) {
    if (first_mistake.what == graph_mistake::kind::none) first_mistake = m;
    if (nodes.empty()) nodes.push_back({});
    return {0};
  }

  inplace_vector<node_record, 1400> nodes;
  inplace_vector<op_record, 700> ops;
  inplace_vector<named_node, 32> inputs;
  inplace_vector<named_node, 32> outputs;
  inplace_vector<named_node, 800> parameters;
  inplace_vector<named_node, 8> lengths;  ///< id: the capacity
  inplace_vector<folded_norm, 400> folded_norms;   ///< fusion makes them; their parameters have no tensor: id -1
  inplace_vector<char, 49152> characters;
  winograd use_winograd = winograd::where_faster;
  graph_mistake first_mistake;

  constexpr std::string_view name_of(named_node const& n) const {
    return {characters.items + n.name_at, static_cast<std::size_t>(n.name_size)};
  }
  /// The name of an input or a parameter; empty for other tensors.
  constexpr std::string_view name_of(node n) const {
    for (named_node const& i : inputs)
      if (i.id == n.id) return name_of(i);
    for (named_node const& p : parameters)
      if (p.id == n.id) return name_of(p);
    return {};
  }
  constexpr graph_counts counts() const {
    return {nodes.size(),      ops.size(),     inputs.size(),    outputs.size(),
            parameters.size(), lengths.size(), characters.size()};
  }
};

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// The rules of graphs and of the names that a model is used with, as false variable templates.
#pragma once

#include <tessera/base/words.hpp>
#include <tessera/graph/apply.hpp>

#include <utility>

namespace tessera {

template <class... Facts> inline constexpr bool operands_fit = false;
template <class... Facts> inline constexpr bool operand_type_fits = false;
template <class... Facts> inline constexpr bool rank_is_supported = false;
template <class... Facts> inline constexpr bool extents_are_positive = false;
template <class... Facts> inline constexpr bool length_counts_rows = false;
template <class... Facts> inline constexpr bool names_differ = false;
template <class... Facts> inline constexpr bool graph_is_small_enough = false;
template <class... Facts> inline constexpr bool graph_has_output = false;
template <class... Facts> inline constexpr bool input_is_known = false;
template <class... Facts> inline constexpr bool output_is_known = false;
template <class... Facts> inline constexpr bool length_is_known = false;
template <class... Facts> inline constexpr bool every_input_given = false;
template <class... Facts> inline constexpr bool input_type_matches = false;
template <class... Facts> inline constexpr bool machine_has_shared_memory = false;
template <class... Facts> inline constexpr bool parameters_agree = false;
template <class... Facts> inline constexpr bool operands_have_fields = false;
template <class... Facts> inline constexpr bool field_takes_operand = false;

namespace words {
template <label Name> struct name_wanted {};         ///< the name that was asked for
template <label... Names> struct names_of_model {};  ///< the names there are
template <label Name> struct operator_named {};      ///< an operator of a graph
template <int... Extents> struct first_shape {};     ///< the shape of an operand
template <int... Extents> struct second_shape {};    ///< the shape of another
template <label... Names> struct operands_named {};  ///< the same operands, "" where they are another operator's result
template <label Name> struct given_name {};          ///< the name that a graph gave something
template <int Count> struct operands_given {};       ///< to a vertex
template <label Name> struct element_wanted {};      ///< the element type of a field
}  // namespace words

namespace detail {

template <template <int...> class Word, class S, bool Second, class Dimensions>
struct shape_word_of;
template <template <int...> class Word, class S, bool Second, int... D>
struct shape_word_of<Word, S, Second, std::integer_sequence<int, D...>> {
  using type = Word<(Second ? S::mistake.b : S::mistake.a)[D]...>;
};
template <class S, bool Second>
inline constexpr int shape_rank =
    (Second ? S::mistake.b : S::mistake.a).rank < max_rank ? (Second ? S::mistake.b : S::mistake.a).rank : max_rank;
template <template <int...> class Word, class S, bool Second>
using shape_word =
    typename shape_word_of<Word, S, Second, std::make_integer_sequence<int, shape_rank<S, Second>>>::type;

template <class S>
inline constexpr char const* operator_name =
    S::mistake.function != nullptr ? S::mistake.function : name_of(S::mistake.op, S::mistake.vertex);
template <class S>
using operator_word = words::operator_named<label_of<length_of(operator_name<S>) + 1>(operator_name<S>)>;

/// The field of a user's vertex that does not go with its tensor.
template <class S>
inline constexpr vertex_kind::edge_field mistaken_field = S::mistake.vertex->edge[S::mistake.number];
template <class S>
using mistaken_field_word = words::field_named<label_of<length_of(mistaken_field<S>.name) + 1>(mistaken_field<S>.name)>;

template <class S>
inline constexpr auto mistaken_name = label_of<S::mistake.name.size + 1>(S::mistake.name.character);

template <class S>
inline constexpr auto first_operand_name = label_of<S::mistake.a_name.size + 1>(S::mistake.a_name.character);
template <class S>
inline constexpr auto second_operand_name = label_of<S::mistake.b_name.size + 1>(S::mistake.b_name.character);

template <element E>
inline constexpr auto element_label = label_of<length_of(name_of(E)) + 1>(name_of(E));

/// Whose tensor it is: an operator's result, or an input, output, parameter or length with a name.
template <class S, bool Named = (S::mistake.name.size > 0)>
struct owner_word_of {
  using type = operator_word<S>;
};
template <class S>
struct owner_word_of<S, true> {
  using type = words::given_name<mistaken_name<S>>;
};
template <class S>
using owner_word = typename owner_word_of<S>::type;

/// Whether the graph of S (with a static member `mistake`) is in order; if not, a static_assert says what is wrong.
template <class S>
constexpr bool graph_is_valid() {
  using kind = graph_mistake::kind;
  if constexpr (S::mistake.what == kind::shapes) {
    static_assert(operands_fit<operator_word<S>, shape_word<words::first_shape, S, false>,
                               shape_word<words::second_shape, S, true>,
                               words::operands_named<first_operand_name<S>, second_operand_name<S>>>,
                  "tessera: the shapes of these operands do not go together (docs/errors/operands_fit.md)");
    return false;
  } else if constexpr (S::mistake.what == kind::type) {
    static_assert(operand_type_fits<owner_word<S>, shape_word<words::first_shape, S, false>,
                                    words::operands_named<first_operand_name<S>>>,
                  "tessera: an operand holds elements of a type that the operator does not take "
                  "(docs/errors/operand_type_fits.md)");
    return false;
  } else if constexpr (S::mistake.what == kind::rank) {
    static_assert(rank_is_supported<owner_word<S>, words::rank_of_tensor<S::mistake.a.rank>>,
                  "tessera: a graph's tensor has at most 4 dimensions (docs/errors/rank_is_supported.md)");
    return false;
  } else if constexpr (S::mistake.what == kind::extent) {
    static_assert(extents_are_positive<owner_word<S>, shape_word<words::first_shape, S, false>>,
                  "tessera: every extent of a tensor, and every length, is at least 1 "
                  "(docs/errors/extents_are_positive.md)");
    return false;
  } else if constexpr (S::mistake.what == kind::ragged) {
    static_assert(
        length_counts_rows<owner_word<S>, shape_word<words::first_shape, S, false>>,
        "tessera: a run-time length counts rows of a tensor, its dimension 0, and this operator would mix them "
        "(docs/errors/length_counts_rows.md)");
    return false;
  } else if constexpr (S::mistake.what == kind::name_twice) {
    static_assert(names_differ<words::given_name<mistaken_name<S>>>,
                  "tessera: two inputs, two outputs or two parameters have this name (docs/errors/names_differ.md)");
    return false;
  } else if constexpr (S::mistake.what == kind::too_large) {
    static_assert(graph_is_small_enough<owner_word<S>, shape_word<words::first_shape, S, false>>,
                  "tessera: more elements, tensors, operators, names or characters of a name than a graph may have "
                  "(docs/errors/graph_is_small_enough.md)");
    return false;
  } else if constexpr (S::mistake.what == kind::fields) {
    static_assert(operands_have_fields<operator_word<S>, words::fields_declared<S::mistake.vertex->edges>,
                                       words::operands_given<S::mistake.number>>,
                  "tessera: a vertex of a graph has an input for each operand, then one output, and configure() for "
                  "numbers (docs/errors/operands_have_fields.md)");
    return false;
  } else if constexpr (S::mistake.what == kind::field) {
    static_assert(field_takes_operand<operator_word<S>, mistaken_field_word<S>,
                                      words::rank_of_field<mistaken_field<S>.rank>,
                                      words::element_wanted<element_label<mistaken_field<S>.type>>,
                                      shape_word<words::first_shape, S, false>,
                                      words::element_named<element_label<S::mistake.type>>>,
                  "tessera: the field has another element type than its tensor, or not rank 2 for a matrix and 1 for a "
                  "vector (docs/errors/field_takes_operand.md)");
    return false;
  } else if constexpr (S::mistake.what == kind::no_output) {
    static_assert(graph_has_output<S>,
                  "tessera: a graph without g.output(…) computes nothing (docs/errors/graph_has_output.md)");
    return false;
  } else {
    return true;
  }
}

}  // namespace detail
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Which argument of execute() goes to which field, and the rules that both must obey.
#pragma once

#include <concepts>
#include <type_traits>

#include <tessera/program/access.hpp>
#include <tessera/program/vertex.hpp>

namespace tessera {
namespace detail {
/// A value as a template argument. Not `auto`: clang 16 and 17 take floating-point numbers inside a class only.
template <class T>
struct constant {
  T value;
  constexpr constant(T v) : value(v) {}
};
}  // namespace detail
template <detail::constant V>
struct value_state;
template <class Function>
struct per_tile_state;
}  // namespace tessera

namespace tessera::detail {

template <class A> inline constexpr bool is_state = false;
template <constant V> inline constexpr bool is_state<value_state<V>> = true;
template <class F> inline constexpr bool is_state<per_tile_state<F>> = true;

/// One argument of execute(), as far as matching needs it.
template <class A>
constexpr field_role argument_role() {
  if constexpr (is_state<A>) return field_role::state;
  else return field_role::edge;
}

template <class F>
constexpr bool is_written() {
  if constexpr (role_of<F> == field_role::edge) return F::dir != direction::in;
  else return false;
}
template <class... F>
constexpr bool any_written(field_types<F...>) {
  return (is_written<F>() || ...);
}

/// Whether V obeys the rules of a vertex; if not, says which one is broken.
template <class V>
constexpr bool vertex_is_valid() {
  if constexpr (!listed_fields<V> && !hana_struct<V>) {
    static_assert(vertex_has_fields<words::vertex_type<V>>,
                  "tessera: list the fields with TESSERA_FIELDS(name, fields…) (docs/errors/vertex_has_fields.md)");
    return false;
  } else if constexpr (!std::is_aggregate_v<V> || !std::is_trivially_copyable_v<V>) {
    static_assert(state_is_trivially_copyable<words::vertex_type<V>>,
                  "tessera: a vertex is an aggregate of fields and trivially copyable state "
                  "(docs/errors/state_is_trivially_copyable.md)");
    return false;
  } else if constexpr (!requires(V v) { { v.compute() } -> std::same_as<void>; }) {
    static_assert(vertex_has_compute<words::vertex_type<V>>,
                  "tessera: a vertex has void compute() (docs/errors/vertex_has_compute.md)");
    return false;
  } else if constexpr (!any_written(field_types_of<V>{})) {
    static_assert(vertex_writes_something<words::vertex_type<V>>,
                  "tessera: a vertex runs where it writes; give it an output or inout field "
                  "(docs/errors/vertex_writes_something.md)");
    return false;
  } else {
    return true;
  }
}

/// argument[f]: the argument of field f, or -1. A field without an argument is scratch, state by default, or a mistake.
struct matching {
  int argument[max_fields] = {};
  int used = 0;
  int unconnected = -1;  ///< the first edge field without an argument
};

template <class V, class... A>
constexpr matching match() {
  constexpr field_role roles[] = {argument_role<A>()..., field_role::scratch};
  using types = field_types_of<V>;
  matching m;
  for (int f = 0; f < types::count; ++f) {
    bool const wants = types::roles[f] != field_role::scratch;
    bool const gets = wants && m.used < int(sizeof...(A)) && roles[m.used] == types::roles[f];
    m.argument[f] = gets ? m.used++ : -1;
    if (types::roles[f] == field_role::edge && !gets && m.unconnected < 0) m.unconnected = f;
  }
  return m;
}

template <class V, int Field>
using field_word = words::field_named<label_of<length_of(field_name<V>(Field)) + 1>(field_name<V>(Field))>;

template <int I, class... T>
struct pick;
template <class T0, class... T>
struct pick<0, T0, T...> { using type = T0; };
template <int I, class T0, class... T>
struct pick<I, T0, T...> : pick<I - 1, T...> {};

/// The rules of one edge field and its access; reports the first that is broken.
template <class V, int Field, class F, class A>
constexpr bool edge_is_valid() {
  if constexpr (!Access<A>) {
    static_assert(argument_is_access<words::vertex_type<V>, field_word<V, Field>, words::argument_type<A>>,
                  "tessera: an edge field takes a tensor or an access (docs/errors/argument_is_access.md)");
    return false;
  } else {
    using access = typename access_of<A>::type;
    using tensor_type = typename access::tensor_type;
    using element_type = typename tensor_type::element_type;
    constexpr access_kind kind = access::record().kind;
    if constexpr (!element_is_storable<typename F::element_type>() || !element_is_storable<element_type>() ||
                  !F::rank_is_valid) {
      return false;
    } else if constexpr (!std::is_same_v<typename F::element_type, element_type>) {
      static_assert(element_types_match<words::vertex_type<V>, field_word<V, Field>,
                                        words::element_of_field<typename F::element_type>,
                                        words::tensor_named<tensor_type::name>, words::element_of_tensor<element_type>>,
                    "tessera: field and tensor hold different element types (docs/errors/element_types_match.md)");
      return false;
    } else if constexpr (F::rank != tensor_type::rank) {
      static_assert(ranks_match<words::vertex_type<V>, field_word<V, Field>, words::rank_of_field<F::rank>,
                                words::tensor_named<tensor_type::name>, words::rank_of_tensor<tensor_type::rank>>,
                    "tessera: field and tensor have different ranks (docs/errors/ranks_match.md)");
      return false;
    } else if constexpr (F::dir != direction::in && (kind == access_kind::halo || kind == access_kind::gather)) {
      static_assert(field_can_be_written<words::vertex_type<V>, field_word<V, Field>,
                                         words::tensor_named<tensor_type::name>>,
                    "tessera: halo and gather are for reading; write the own block, or name a box with at() "
                    "(docs/errors/field_can_be_written.md)");
      return false;
    } else {
      return true;
    }
  }
}

template <class V, int Field, class F, class A>
constexpr bool state_is_valid() {
  if constexpr (!std::is_convertible_v<decltype(A::get(tile{})), F>) {
    static_assert(state_type_matches<words::vertex_type<V>, field_word<V, Field>, words::field_type<F>,
                                     words::argument_type<decltype(A::get(tile{}))>>,
                  "tessera: value<…> or per_tile(…) gives another type than the state field has "
                  "(docs/errors/state_type_matches.md)");
    return false;
  } else {
    return true;
  }
}

template <class V, class... A>
inline constexpr matching connection = match<V, A...>();

template <class V, int Field, class F, class... A>
constexpr bool field_is_valid() {
  constexpr int argument = connection<V, A...>.argument[Field];
  if constexpr (argument < 0) return true;
  else if constexpr (role_of<F> == field_role::edge)
    return edge_is_valid<V, Field, F, typename pick<argument, A...>::type>();
  else return state_is_valid<V, Field, F, typename pick<argument, A...>::type>();
}
template <class... A>
struct arguments {};
template <class V, class... A, class... F, int... I>
constexpr bool fields_are_valid(arguments<A...>, field_types<F...>, std::integer_sequence<int, I...>) {
  return (field_is_valid<V, I, F, A...>() && ...);
}

template <class V, class... A>
constexpr bool every_edge_has_argument() {
  if constexpr (connection<V, A...>.unconnected < 0) {
    return true;
  } else {
    static_assert(every_field_connected<words::vertex_type<V>, field_word<V, connection<V, A...>.unconnected>,
                                        words::fields_declared<edges<V>.count>,
                                        words::fields_connected<int(sizeof...(A))>>,
                  "tessera: every input, output and inout field takes one argument, in the order of TESSERA_FIELDS "
                  "(docs/errors/every_field_connected.md)");
    return false;
  }
}
template <class V, class... A>
constexpr bool every_argument_has_field() {
  if constexpr (connection<V, A...>.used == int(sizeof...(A))) {
    return true;
  } else {
    static_assert(accesses_not_too_many<words::vertex_type<V>, words::fields_declared<edges<V>.count>,
                                        words::accesses_given<int(sizeof...(A))>>,
                  "tessera: more arguments than fields, or state where an access is wanted "
                  "(docs/errors/accesses_not_too_many.md)");
    return false;
  }
}

/// Whether the arguments A... fit the fields of V; if not, says what the first mistake is.
template <class V, class... A>
constexpr bool arguments_are_valid() {
  using types = field_types_of<V>;
  if constexpr (!every_edge_has_argument<V, A...>()) return false;
  else if constexpr (!every_argument_has_field<V, A...>()) return false;
  else return fields_are_valid<V>(arguments<A...>{}, types{}, std::make_integer_sequence<int, types::count>{});
}

template <class Source, class Destination>
constexpr bool copy_is_valid() {
  if constexpr (!element_is_storable<typename Source::element_type>()) return false;
  constexpr bool same_shape = std::is_same_v<typename Source::shape_type, typename Destination::shape_type>;
  constexpr bool same_type = std::is_same_v<typename Source::element_type, typename Destination::element_type>;
  if constexpr (!same_shape || !same_type) {
    static_assert(copies_match<words::source_tensor<Source::name>, words::destination_tensor<Destination::name>,
                               words::element_of_field<typename Source::element_type>,
                               words::element_of_tensor<typename Destination::element_type>,
                               typename Source::shape_type, typename Destination::shape_type>,
                  "tessera: copy(source, destination) wants the same shape and element type "
                  "(docs/errors/copies_match.md)");
    return false;
  } else {
    return true;
  }
}

}  // namespace tessera::detail

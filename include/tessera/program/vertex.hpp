// SPDX-License-Identifier: Apache-2.0
// Vertices: aggregates of fields with a compute(). One line lists the fields:
//
//   struct axpy {
//     ts::input<float> x;
//     ts::inout<float> y;
//     float a = 1.0f;                              // state: any trivially copyable type
//     TESSERA_FIELDS(axpy, x, y, a);
//     void compute() const { for (int i = 0; i < y.rows(); ++i) y(i) += a * x(i); }
//   };
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/integral_constant.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <tessera/program/detail/for_each_name.hpp>
#include <tessera/program/field.hpp>

/// Lists the fields of a vertex, in the order in which execute() takes its arguments. At most 16.
#define TESSERA_FIELDS(vertex, ...)                                                                          \
  static constexpr auto tessera_fields() {                                                                   \
    return ::boost::hana::make_tuple(TESSERA_DETAIL_MEMBERS(vertex, __VA_ARGS__));                           \
  }                                                                                                          \
  static constexpr char const* tessera_field_name(int i) {                                                   \
    constexpr char const* names[] = {TESSERA_DETAIL_NAMES(__VA_ARGS__)};                                     \
    return names[i];                                                                                         \
  }                                                                                                          \
  static_assert(true, "a semicolon follows")

namespace tessera {

/// The extents of one field, as a vertex's cost() sees them.
struct extents {
  int dim[max_rank] = {1, 1, 1, 1};
  constexpr int rows() const { return dim[0]; }
  constexpr int cols() const { return dim[1]; }
  constexpr double volume() const { return double(dim[0]) * dim[1] * dim[2] * dim[3]; }
};

namespace detail {

template <class V>
concept listed_fields = requires { V::tessera_fields(); };
template <class V>
concept hana_struct = requires { typename V::hana_accessors_impl; };

/// A Hana struct's accessor pair as something that is used like a member pointer's result.
template <class V>
constexpr auto fields_of() {
  if constexpr (listed_fields<V>) {
    return V::tessera_fields();
  } else {
    return boost::hana::unpack(V::hana_accessors_impl::apply(), [](auto... pairs) {
      return boost::hana::make_tuple(boost::hana::second(pairs)...);
    });
  }
}

template <class V, class Member>
constexpr decltype(auto) field_in(V& vertex, Member member) {
  if constexpr (std::is_member_object_pointer_v<Member>) return (vertex.*member);
  else return member(vertex);
}

template <class V>
constexpr char const* field_name(int i) {
  if constexpr (listed_fields<V>) {
    return V::tessera_field_name(i);
  } else {
    char const* name = "";
    int k = 0;
    boost::hana::for_each(V::hana_accessors_impl::apply(), [&](auto pair) {
      if (k++ == i) name = boost::hana::first(pair).c_str();
    });
    return name;
  }
}

/// The types of a vertex's fields as a pack.
template <class... F>
struct field_types {
  static constexpr int count = sizeof...(F);
  static constexpr field_role roles[sizeof...(F)] = {role_of<F>...};
};

template <class V, class... Members>
field_types<std::remove_cvref_t<decltype(field_in(std::declval<V&>(), std::declval<Members>()))>...> types_of(
    boost::hana::tuple<Members...> const&);
template <class V>
using field_types_of = decltype(types_of<V>(fields_of<V>()));

template <class V>
constexpr std::string_view type_name() {
  std::string_view const text = __PRETTY_FUNCTION__;
  // "… type_name() [with V = x; std::string_view = …]" and "… type_name() [V = x]"
  std::size_t const from = text.find("V = ") + 4;
  std::size_t const stop = text.find_first_of(";]", from);
  return text.substr(from, stop - from);
}
template <class V>
struct stored_type_name {
  static constexpr std::size_t size = type_name<V>().size();
  struct storage { char text[size + 1]; };
  static constexpr storage value = [] {
    storage s{};
    for (std::size_t i = 0; i < size; ++i) s.text[i] = type_name<V>()[i];
    return s;
  }();
};

template <class T>
inline constexpr char key = 0;

template <class V>
void construct_vertex(void* object) {
  ::new (object) V{};
}
template <class V>
void bind_vertex(void* object, field_binding const* bindings) {
  V& vertex = *std::launder(static_cast<V*>(object));
  boost::hana::for_each(fields_of<V>(), [&](auto member) {
    auto& field = field_in(vertex, member);
    if constexpr (role_of<std::remove_cvref_t<decltype(field)>> != field_role::state) field.bind(*bindings);
    ++bindings;
  });
}
template <class V>
void run_vertex(void* object) {
  std::launder(static_cast<V*>(object))->compute();
}

/// Which of a vertex's fields are edges, in order.
struct edge_list {
  int field[max_fields] = {};
  int count = 0;
};
template <class V>
constexpr edge_list edges_of() {
  edge_list list;
  for (int i = 0; i < field_types_of<V>::count; ++i)
    if (field_types_of<V>::roles[i] == field_role::edge) list.field[list.count++] = i;
  return list;
}
template <class V>
inline constexpr edge_list edges = edges_of<V>();

template <class V, int... I>
constexpr bool states_cost(std::integer_sequence<int, I...>) {
  return requires(extents e) { V::cost(((void)I, e)...); };
}
template <class V>
inline constexpr bool cost_is_stated = states_cost<V>(std::make_integer_sequence<int, edges<V>.count>{});

template <class F>
constexpr double element_bytes() {
  if constexpr (role_of<F> == field_role::edge) return sizeof(typename F::element_type);
  else return 0;
}
template <class... F>
constexpr void element_bytes_of(field_types<F...>, double* bytes) {
  ((*bytes++ = element_bytes<F>()), ...);
}

template <class V, int... I>
constexpr work stated_cost(extents const* e, std::integer_sequence<int, I...>) {
  return V::cost(e[I]...);
}

template <class V>
constexpr work vertex_cost(region const* covered) {
  constexpr edge_list list = edges<V>;
  extents e[max_fields];
  for (int i = 0; i < list.count; ++i)
    for (int d = 0; d < max_rank; ++d) e[i].dim[d] = covered[list.field[i]].dim[d].size();
  if constexpr (cost_is_stated<V>) {
    return stated_cost<V>(e, std::make_integer_sequence<int, list.count>{});
  } else {
    // A guess: one operation for each element that is touched, and every element moved once.
    double bytes[max_fields] = {};
    element_bytes_of(field_types_of<V>{}, bytes);
    work guess;
    for (int i = 0; i < list.count; ++i) {
      guess.flops += e[i].volume();
      guess.bytes += e[i].volume() * bytes[list.field[i]];
    }
    return guess;
  }
}

template <class F>
constexpr int state_bytes() {
  if constexpr (role_of<F> == field_role::state) return static_cast<int>(sizeof(F));
  else return 0;
}
template <class F>
constexpr std::int64_t scratch_bytes() {
  if constexpr (role_of<F> == field_role::scratch) return F::bytes;
  else return 0;
}
template <class... F>
constexpr void sizes_of(field_types<F...>, kernel_record& k) {
  k.state_bytes = (state_bytes<F>() + ... + 0);
  k.scratch_bytes = (scratch_bytes<F>() + ... + 0);
  k.scratch_fields = (int(role_of<F> == field_role::scratch) + ... + 0);
  int i = 0;
  ((k.scratch_of_field[i++] = scratch_bytes<F>()), ...);
  i = 0;
  ((k.workspace_field = is_workspace<F> ? i : k.workspace_field, ++i), ...);
}

}  // namespace detail

/// An aggregate whose fields are listed by TESSERA_FIELDS (or BOOST_HANA_DEFINE_STRUCT) and that has compute().
template <class V>
concept Vertex = std::is_aggregate_v<V> && std::is_trivially_copyable_v<V> &&
                 (detail::listed_fields<V> || detail::hana_struct<V>) && requires(V v) { v.compute(); };

/// The functions and sizes of a vertex type. No program's type is part of it.
template <Vertex V>
constexpr kernel_record kernel_of() {
  kernel_record k;
  k.key = &detail::key<V>;
  k.name = detail::stored_type_name<V>::value.text;
  k.fields = detail::field_types_of<V>::count;
  k.object_bytes = static_cast<int>(sizeof(V));
  k.object_alignment = static_cast<int>(alignof(V));
  detail::sizes_of(detail::field_types_of<V>{}, k);
  k.construct = &detail::construct_vertex<V>;
  k.bind = &detail::bind_vertex<V>;
  k.run = &detail::run_vertex<V>;
  k.cost = &detail::vertex_cost<V>;
  k.cost_stated = detail::cost_is_stated<V>;
  return k;
}

}  // namespace tessera

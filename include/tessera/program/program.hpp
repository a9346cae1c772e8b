// SPDX-License-Identifier: Apache-2.0
// From typed steps to records: a program is keyed by the machine and the lambda that returns its steps, so its records
// are one constant and no symbol or message grows with it.
#pragma once

#include <tessera/program/geometry.hpp>
#include <tessera/program/steps.hpp>

namespace tessera {
namespace detail {

/// The largest program, in records, that flattening accepts.
inline constexpr record_counts flatten_limits{.tensors = 128, .accesses = 2048, .executes = 512, .steps = 1024,
                                              .kernels = 128};

struct no_records {};

/// Collects records. With `Store` false it only counts them; N then bounds the distinct tensors and kernels.
template <record_counts N, bool Store>
struct recorder {
  machine target;
  void const* tensor_keys[N.tensors + 1] = {};
  void const* kernel_keys[N.kernels + 1] = {};
  record_counts used;
  std::conditional_t<Store, program_records<N>, no_records> records;

  template <Tensor T>
  constexpr std::int16_t tensor_of() {
    for (int i = 0; i < used.tensors; ++i)
      if (tensor_keys[i] == &key<T>) return static_cast<std::int16_t>(i);
    tensor_keys[used.tensors] = &key<T>;
    if constexpr (Store) {
      tensor_record& t = records.tensors[used.tensors];
      t.key = &key<T>;
      t.name = T::name.text;
      t.type = element_of<typename T::element_type>;
      t.rank = T::rank;
      for (int d = 0; d < T::rank; ++d) t.extent[d] = T::shape_type::extent[d];
      t.map = T::mapping_type::record(T::rank, target.tiles);
      // Rows a multiple of 4 KiB apart share a few sets of a first-level cache: one more cache line keeps them apart.
      if (target.shared && T::rank > 1 && !rows_are_apart(std::int64_t{t.extent[T::rank - 1]} * bytes_of(t.type)))
        t.row_gap = static_cast<std::int16_t>(64 / bytes_of(t.type));
    }
    return static_cast<std::int16_t>(used.tensors++);
  }

  template <Vertex V>
  constexpr std::int16_t kernel_index() {
    for (int i = 0; i < used.kernels; ++i)
      if (kernel_keys[i] == &key<V>) return static_cast<std::int16_t>(i);
    kernel_keys[used.kernels] = &key<V>;
    if constexpr (Store) records.kernels[used.kernels] = kernel_of<V>();
    return static_cast<std::int16_t>(used.kernels++);
  }

  /// `by` is the tensor whose blocks the access follows; -1: the accessed tensor's own.
  template <class A>
  constexpr void add_access(direction dir, layout_record layout, int field, int by = -1) {
    access_record a = A::record();
    a.tensor = tensor_of<typename A::tensor_type>();
    a.by = by < 0 ? a.tensor : static_cast<std::int16_t>(by);
    if constexpr (is_gather<A>) a.index = a.by = tensor_of<typename A::index_type>();
    a.dir = dir;
    a.layout = layout;
    a.field = static_cast<std::int8_t>(field);
    if constexpr (Store) records.accesses[used.accesses] = a;
    ++used.accesses;
  }

  constexpr void add_execute(execute_record const& e) {
    if constexpr (Store) records.executes[used.executes] = e;
    ++used.executes;
  }
  constexpr int add_step(step_record const& s) {
    if constexpr (Store) records.steps[used.steps] = s;
    return used.steps++;
  }
  /// Makes `to` the partner of step `from`.
  constexpr void link(int from, int to) {
    if constexpr (Store) records.steps[from].other = to;
  }
  template <Tensor T>
  constexpr void mark(boundary side) {
    int const t = tensor_of<T>();
    if constexpr (Store) {
      records.tensors[t].input |= side == boundary::input;
      records.tensors[t].output |= side == boundary::output;
      records.tensors[t].parameter |= side == boundary::parameter;
    }
  }
};

template <class V, int Field, class... A>
void set_state_field(V& vertex, tile t) {
  constexpr int argument = connection<V, A...>.argument[Field];
  if constexpr (argument >= 0 && field_types_of<V>::roles[Field] == field_role::state) {
    auto& field = field_in(vertex, boost::hana::at_c<Field>(fields_of<V>()));
    field = static_cast<std::remove_reference_t<decltype(field)>>(pick<argument, A...>::type::get(t));
  }
}
template <class V, class... A, int... I>
void set_state_fields(V& vertex, tile t, std::integer_sequence<int, I...>) {
  (set_state_field<V, I, A...>(vertex, t), ...);
}
/// Sets the state fields of one tile's vertex that have an argument.
template <class V, class... A>
void set_state(void* object, tile t, double const*) {
  set_state_fields<V, A...>(*std::launder(static_cast<V*>(object)), t,
                            std::make_integer_sequence<int, field_types_of<V>::count>{});
}
template <class V, class... A>
constexpr bool has_state_arguments() {
  return (is_state<A> || ... || false);
}

/// How each step becomes records.
template <class S>
struct flatten;

template <class V, int First, int Last, int Stride, class... A>
struct flatten<execute_step<V, First, Last, Stride, A...>> {
  template <int Field, class F, class R>
  static constexpr void edge(R& r) {
    if constexpr (role_of<F> == field_role::edge) {
      constexpr int argument = connection<V, A...>.argument[Field];
      using access = typename access_of<typename pick<argument, A...>::type>::type;
      r.template add_access<access>(F::dir, F::layout, Field);
    }
  }
  template <class R, class... F, int... I>
  static constexpr void edges_to(R& r, field_types<F...>, std::integer_sequence<int, I...>) {
    (edge<I, F>(r), ...);
  }
  /// As part of a compute set.
  template <class R>
  static constexpr void execute(R& r) {
    execute_record e;
    e.kernel = r.template kernel_index<V>();
    e.first_access = static_cast<std::int16_t>(r.used.accesses);
    using types = field_types_of<V>;
    edges_to(r, types{}, std::make_integer_sequence<int, types::count>{});
    e.accesses = static_cast<std::int16_t>(r.used.accesses - e.first_access);
    e.first_tile = First;
    e.last_tile = Last < 0 ? r.target.tiles - 1 : Last;
    e.stride = Stride;
    if constexpr (has_state_arguments<V, A...>()) e.state = &set_state<V, A...>;
    r.add_execute(e);
  }
  template <class R>
  static constexpr void apply(R& r) {
    int const first = r.used.executes;
    execute(r);
    r.add_step({.kind = step_kind::compute, .first = first, .count = 1});
  }
};

template <class... E>
struct flatten<compute_set_step<E...>> {
  template <class R>
  static constexpr void apply(R& r) {
    int const first = r.used.executes;
    (flatten<E>::execute(r), ...);
    r.add_step({.kind = step_kind::compute, .first = first, .count = static_cast<int>(sizeof...(E))});
  }
};

template <class S, class D>
struct flatten<copy_step<S, D>> {
  template <class R>
  static constexpr void apply(R& r) {
    int const first = r.used.accesses;
    r.template add_access<own_access<S>>(direction::in, row_major::record, 0, r.template tensor_of<D>());
    r.template add_access<own_access<D>>(direction::out, row_major::record, 1);
    r.add_step({.kind = step_kind::copy, .first = first, .count = 2});
  }
};

template <class... S>
struct flatten<sequence_step<S...>> {
  template <class R>
  static constexpr void apply(R& r) {
    (flatten<S>::apply(r), ...);
  }
};

template <int Times, class Body>
struct flatten<repeat_step<Times, Body>> {
  template <class R>
  static constexpr void apply(R& r) {
    int const begin = r.add_step({.kind = step_kind::repeat_begin, .count = Times});
    flatten<Body>::apply(r);
    int const last = r.add_step({.kind = step_kind::repeat_end, .count = Times});
    r.link(begin, last);
    r.link(last, begin);
  }
};

template <class P, class Body>
struct flatten<repeat_while_step<P, Body>> {
  template <class R>
  static constexpr void apply(R& r) {
    int const begin = r.add_step({.kind = step_kind::while_begin, .tensor = r.template tensor_of<P>()});
    flatten<Body>::apply(r);
    int const last = r.add_step({.kind = step_kind::while_end});
    r.link(begin, last);
    r.link(last, begin);
  }
};

template <class P, class Then, class Else>
struct flatten<if_step<P, Then, Else>> {
  template <class R>
  static constexpr void apply(R& r) {
    int const begin = r.add_step({.kind = step_kind::if_begin, .tensor = r.template tensor_of<P>()});
    flatten<Then>::apply(r);
    int const middle = r.add_step({.kind = step_kind::if_else});
    flatten<Else>::apply(r);
    int const last = r.add_step({.kind = step_kind::if_end});
    r.link(begin, middle);
    r.link(middle, last);
    r.link(last, begin);
  }
};

template <label Name, class Body>
struct flatten<block_step<Name, Body>> {
  static constexpr decltype(Name) name = Name;
  template <class R>
  static constexpr void apply(R& r) {
    int const begin = r.add_step({.kind = step_kind::block_begin, .name = name.text});
    flatten<Body>::apply(r);
    int const last = r.add_step({.kind = step_kind::block_end, .name = name.text});
    r.link(begin, last);
    r.link(last, begin);
  }
};

template <boundary Side, class... T>
struct flatten<boundary_step<Side, T...>> {
  template <class R>
  static constexpr void apply(R& r) {
    (r.template mark<T>(Side), ...);
  }
};

template <class Machine, class Steps>
constexpr record_counts count_records() {
  recorder<flatten_limits, false> r;
  r.target = Machine::value;
  flatten<Steps>::apply(r);
  return r.used;
}
template <class Machine, class Steps, record_counts N>
constexpr program_records<N> make_records() {
  recorder<N, true> r;
  r.target = Machine::value;
  r.records.target = Machine::value;
  flatten<Steps>::apply(r);
  return r.records;
}

}  // namespace detail

/// A program: a machine and a lambda that returns its steps. An empty object; its records are constants of its type.
template <Machine M, class Build>
struct program_type {
  using machine_type = M;
  using steps_type = decltype(Build{}());
  static constexpr record_counts counts = detail::count_records<M, steps_type>();
  static constexpr program_records<counts> records = detail::make_records<M, steps_type, counts>();
  static constexpr program_view view() { return records.view(); }

  /// The number of a tensor in this program, or -1.
  template <Tensor T>
  static constexpr int tensor_number(T = {}) {
    for (int i = 0; i < counts.tensors; ++i)
      if (records.tensors[i].key == &detail::key<T>) return i;
    return -1;
  }
};

/// A program in which a mistake has been reported already; an engine of it does nothing.
struct refused_program {};

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Steps: the typed notation of a program. Every step is an empty object whose type says everything.
//
//   ts::sequence(ts::inputs(u), ts::outputs(u),
//                ts::repeat<50>(ts::execute<jacobi>(ts::halo<1>(u), v), ts::execute<jacobi>(ts::halo<1>(v), u)))
#pragma once

#include <type_traits>

#include <tessera/program/access.hpp>
#include <tessera/program/detail/connect.hpp>
#include <tessera/program/vertex.hpp>

namespace tessera {

/// The base of every step.
struct step_tag {};
/// A step of a program.
template <class S>
concept Step = std::is_base_of_v<step_tag, S>;

/// A step in which a mistake has been reported already: whatever contains it is silent.
struct refused : step_tag {};

/// State of a vertex that is the same on every tile:  ts::value<0.5f>, ts::value<params{.a = 0.5f}>
template <detail::constant V>
struct value_state {
  static constexpr auto get(tile) { return V.value; }
};
template <detail::constant V>
inline constexpr value_state<V> value{};

/// State of a vertex as a function of the tile, without captures:  ts::per_tile([](ts::tile t) { return t.index; })
template <class Function>
struct per_tile_state {
  static constexpr auto get(tile t) { return Function{}(t); }
};
template <class Function>
constexpr auto per_tile(Function) {
  constexpr bool without_captures = std::is_empty_v<Function> && std::is_default_constructible_v<Function>;   // nor [&]
  if constexpr (without_captures && std::is_invocable_v<Function, tile>) {
    return per_tile_state<Function>{};
  } else {
    static_assert(without_captures && std::is_invocable_v<Function, tile>,
                  "tessera: per_tile wants a function of ts::tile without captures "
                  "(docs/errors/function_has_no_captures.md)");
    return refused_access{};
  }
}

/// One vertex type on tiles First, First + Stride, … <= Last of a compute set; Last = -1: to the machine's last tile.
template <Vertex V, int First, int Last, int Stride, class... Arguments>
struct execute_step : step_tag {};

/// Vertices that run in one superstep.
template <class... Executes>
struct compute_set_step : step_tag {};

// What copy(), sequence(), repeat<n>(), repeat_while(), if_() and block<name>() return.
template <class Source, class Destination>
struct copy_step : step_tag {};
template <class... Steps>
struct sequence_step : step_tag {};
template <int Times, class Body>
struct repeat_step : step_tag {};
template <class Predicate, class Body>
struct repeat_while_step : step_tag {};
template <class Predicate, class Then, class Else>
struct if_step : step_tag {};
template <label Name, class Body>
struct block_step : step_tag {};

/// Which side of the host's boundary tensors are declared on.
enum class boundary { input, output, parameter };
template <boundary Side, class... Tensors>
struct boundary_step : step_tag {};

namespace detail {
template <class... S>
inline constexpr bool any_refused = (std::is_same_v<S, refused> || ...);
template <class S>
inline constexpr bool is_execute = false;
template <class V, int F, int L, int S, class... A>
inline constexpr bool is_execute<execute_step<V, F, L, S, A...>> = true;

/// The given steps as one: themselves, or `refused`.
template <class... S>
constexpr auto body_of() {
  if constexpr (any_refused<S...>) return refused{};
  else return sequence_step<S...>{};
}
}  // namespace detail

/// Steps one after the other.
template <Step... S>
constexpr auto sequence(S...) {
  return detail::body_of<S...>();
}

/// A compute set of one vertex type on all tiles that have something to write. One argument for each field, in order:
/// a tensor or an access for an edge, value<…> or per_tile(…) for state (may be left out: its default), none for scratch.
template <class V, class... Arguments>
constexpr auto execute(Arguments...) {
  if constexpr ((std::is_same_v<Arguments, refused_access> || ...)) return refused{};
  else if constexpr (!detail::vertex_is_valid<V>()) return refused{};
  else if constexpr (!detail::arguments_are_valid<V, Arguments...>()) return refused{};
  else return execute_step<V, 0, -1, 1, Arguments...>{};
}

/// Restricts an execute to the tiles First, First + Stride, … up to and including Last.
template <int First, int Last = First, int Stride = 1, class V, class... Arguments>
constexpr auto on(execute_step<V, 0, -1, 1, Arguments...>) {
  if constexpr (0 <= First && First <= Last && Stride >= 1) {
    return execute_step<V, First, Last, Stride, Arguments...>{};
  } else {
    static_assert(0 <= First && First <= Last && Stride >= 1,
                  "tessera: on<first, last, stride> wants 0 <= first <= last and stride >= 1 "
                  "(docs/errors/argument_in_range.md)");
    return refused{};
  }
}
template <int First, int Last = First, int Stride = 1>
constexpr refused on(refused) {
  return {};
}

/// Different vertices on different tiles in one superstep.
template <Step... Executes>
constexpr auto compute_set(Executes...) {
  if constexpr (detail::any_refused<Executes...>) {
    return refused{};
  } else if constexpr ((detail::is_execute<Executes> && ...)) {
    return compute_set_step<Executes...>{};
  } else {
    static_assert((detail::is_execute<Executes> && ...),
                  "tessera: a compute set holds execute() and on<…>(execute()) (docs/errors/argument_in_range.md)");
    return refused{};
  }
}

/// Every element of `source` to `destination`, across mappings: a superstep of exchange only.
template <Tensor Source, Tensor Destination>
constexpr auto copy(Source, Destination) {
  if constexpr (detail::copy_is_valid<Source, Destination>()) return copy_step<Source, Destination>{};
  else return refused{};
}

/// The steps `Times` times, Times >= 1.
template <int Times, Step... S>
constexpr auto repeat(S...) {
  if constexpr (detail::any_refused<S...>) {
    return refused{};
  } else if constexpr (Times >= 1) {
    return repeat_step<Times, sequence_step<S...>>{};
  } else {
    static_assert(Times >= 1, "tessera: repeat<n> wants n >= 1 (docs/errors/argument_in_range.md)");
    return refused{};
  }
}

/// The steps as long as the one element of `predicate` is not zero; it is looked at before each round.
template <Tensor Predicate, Step... S>
constexpr auto repeat_while(Predicate, S...) {
  if constexpr (detail::any_refused<S...>) return refused{};
  else return repeat_while_step<Predicate, sequence_step<S...>>{};
}

/// One step or another, by the one element of `predicate`.
template <Tensor Predicate, Step Then, Step Else = sequence_step<>>
constexpr auto if_(Predicate, Then, Else = {}) {
  if constexpr (detail::any_refused<Then, Else>) return refused{};
  else return if_step<Predicate, Then, Else>{};
}

/// Steps under a name, for reports.
template <label Name, Step... S>
constexpr auto block(S...) {
  if constexpr (detail::any_refused<S...>) return refused{};
  else return block_step<Name, sequence_step<S...>>{};
}

/// Tensors that the host may write before a run: they have a value when the program begins.
template <Tensor... T>
constexpr boundary_step<boundary::input, T...> inputs(T...) {
  return {};
}
/// Tensors that the host may read after a run.
template <Tensor... T>
constexpr boundary_step<boundary::output, T...> outputs(T...) {
  return {};
}
/// Tensors that the host writes once and no step ever does: what has to be packed is packed then, not in every run.
template <Tensor... T>
constexpr boundary_step<boundary::parameter, T...> parameters(T...) {
  return {};
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// A planned program: every pass once, each a constant of the program's type, and ts::program() that checks the result.
//
//   constexpr auto heat = ts::program<ts::machines::host<8>>([] { return ts::sequence(…); });
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/plan/check.hpp>
#include <tessera/plan/exchange.hpp>
#include <tessera/plan/liveness.hpp>
#include <tessera/plan/memory.hpp>
#include <tessera/plan/overlaps.hpp>
#include <tessera/plan/plan_view.hpp>
#include <tessera/plan/summary.hpp>
#include <tessera/plan/swap.hpp>
#include <tessera/plan/sync.hpp>
#include <tessera/program/program.hpp>

namespace tessera {

/// All that is decided about a program before it runs. P has `counts` and `view()`. One variable a pass, since
/// compilers bound the steps of each evaluation.
template <class P>
struct planned {
  static constexpr record_counts counts = P::counts;
  static constexpr exchange_plan<counts> exchange =
      plan_exchange<counts>(P::view(), summaries_of<P>.view());
  static constexpr liveness_plan<counts> liveness_without_swaps = plan_liveness<counts>(P::view(), exchange);
  static constexpr swap_plan<counts> swaps = plan_swaps<counts>(P::view(), liveness_without_swaps);
  static constexpr liveness_plan<counts> liveness = with_swaps<counts>(P::view(), liveness_without_swaps, swaps);
  static constexpr memory_blocks<counts> blocks = plan_blocks<counts>(P::view(), exchange, liveness);
  static constexpr int classes = placed_classes<counts>(P::view(), blocks);

  /// Placement is the costliest pass: one evaluation a class of tiles.
  template <int Class>
  static constexpr class_memory<counts> placed_tensors =
      place_blocks<counts>(P::view(), exchange, liveness, blocks, Class);
  template <int Class>
  static constexpr class_memory<counts> placed =
      place_step_buffers<counts>(P::view(), exchange, liveness, blocks, Class, placed_tensors<Class>);

  template <int... Class>
  static constexpr memory_plan<counts> join(std::integer_sequence<int, Class...>) {
    class_memory<counts> const* const each[] = {&placed<Class>...};
    return join_classes<counts>(P::view(), exchange, liveness, blocks, each);
  }
  static constexpr memory_plan<counts> memory = join(std::make_integer_sequence<int, classes>{});
  static constexpr overlap_plan<counts> overlaps = plan_overlaps<counts>(P::view(), exchange, memory, swaps);
  static constexpr auto accesses = plan_accesses<counts>(P::view(), exchange, swaps, summaries_of<P>.view());
  static constexpr sync_plan<counts> sync =
      plan_sync<counts>(P::view(), exchange, memory, swaps, overlaps, accesses);

  static constexpr plan_view plan() { return view_of<counts>(P::view(), exchange, memory, swaps, sync); }
};

namespace detail {

/// A tensor of a program whose name another one has already, or -1.
template <class P>
constexpr int named_twice() {
  for (int i = 0; i < P::counts.tensors; ++i)
    for (int j = 0; j < i; ++j)
      if (std::string_view(P::records.tensors[i].name) == P::records.tensors[j].name) return i;
  return -1;
}
/// Whether the names of a program's tensors differ. Where not, a static_assert says which one is given twice.
template <class P>
constexpr bool names_are_valid() {
  if constexpr (named_twice<P>() < 0) {
    return true;
  } else {
    static_assert(tensor_names_differ<words::tensor_named<label_of<length_of(P::records.tensors[named_twice<P>()].name) + 1>(
                      P::records.tensors[named_twice<P>()].name)>>,
                  "tessera: two tensors of a program have the same name but are not the same tensor "
                  "(docs/errors/tensor_names_differ.md)");
    return false;
  }
}

/// Whether a lambda's result is void because there is a mistake in it, already reported: clang 16 and 17 only, and there
/// the lambda is no constant.
template <class Build>
concept ConstantCall = requires { typename std::integral_constant<int, (void(Build{}()), 0)>; };
template <class Build>
constexpr bool lost_its_return() {
#if defined(__clang__) && __clang_major__ < 18
  return std::is_void_v<decltype(Build{}())> && !ConstantCall<Build>;
#else
  return false;
#endif
}

/// Whether what cannot be called without arguments is wrong in itself, and not a lambda with a mistake inside, which has
/// been reported.
template <class Build>
concept NotALambda = !std::is_class_v<Build> || Step<Build> || requires { &Build::operator(); } ||
                     requires { &Build::template operator()<int>; };

/// The program of a lambda that returns a step: refused where a rule of the whole program is broken.
template <class M, class Build>
constexpr auto checked_program() {
  if constexpr (!names_are_valid<program_type<M, Build>>()) {
    return refused_program{};
  } else if constexpr (!program_is_valid<program_type<M, Build>>()) {
    return refused_program{};
  } else if constexpr (!memory_is_valid<program_type<M, Build>, planned<program_type<M, Build>>>()) {
    return refused_program{};
  } else {
    return program_type<M, Build>{};
  }
}

}  // namespace detail

/// The program on machine M whose steps the lambda (without captures or arguments) returns, checked. Only the type of the
/// steps matters: the lambda is never called.
template <Machine M, class Build>
constexpr auto program(Build) {
  if constexpr (std::is_class_v<Build> && !(std::is_empty_v<Build> && std::is_default_constructible_v<Build>)) {
    static_assert(std::is_empty_v<Build> && std::is_default_constructible_v<Build>,
                  "tessera: the lambda of a program has no captures, nor [&] or [=] (docs/errors/function_has_no_captures.md)");
    return refused_program{};
  } else if constexpr (!std::is_class_v<Build> || !std::is_invocable_v<Build>) {
    static_assert(!detail::NotALambda<Build>,
                  "tessera: a program is written program<machine>([] { return …; }), a lambda without arguments "
                  "(docs/errors/program_accepts_step.md)");
    return refused_program{};
  } else if constexpr (std::is_same_v<decltype(Build{}()), refused>) {
    return refused_program{};   // reported where it was written
  } else if constexpr (Step<decltype(Build{}())>) {
    return detail::checked_program<M, Build>();
  } else {
    static_assert(detail::lost_its_return<Build>() || program_accepts_step<words::step_type<decltype(Build{}())>>,
                  "tessera: the lambda of a program returns a step; void: it returns nothing, or an error above took its "
                  "return away (docs/errors/program_accepts_step.md)");
    return refused_program{};
  }
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// What a program costs and what could be better, as constants.
//
//   static_assert(ts::estimate(heat).cycles < 2'000'000);
//   static_assert(ts::advice(heat).empty());
#pragma once

#include <tessera/plan/advice.hpp>
#include <tessera/plan/planned.hpp>

namespace tessera {

/// Cost and advice of a program, some steps in each constant evaluation.
template <class P>
struct estimated {
  static constexpr record_counts counts = P::counts;

  template <int Piece>
  static constexpr cost_piece piece =
      estimate_piece<counts>(P::view(), planned<P>::exchange, planned<P>::swaps, Piece* steps_a_piece);
  template <int... Piece>
  static constexpr cost_plan<counts> join(std::integer_sequence<int, Piece...>) {
    cost_piece const* const each[] = {&piece<Piece>...};
    return join_costs<counts>(P::view(), planned<P>::memory, planned<P>::sync, each);
  }
  static constexpr cost_plan<counts> cost = join(std::make_integer_sequence<int, counts.steps / steps_a_piece + 1>{});
  static constexpr advice_list advice =
      give_advice<counts>(P::view(), planned<P>::liveness_without_swaps, planned<P>::swaps, cost);
};

/// Cycles of a run by the machine's constants: in total, by superstep, and which tile is the slowest.
template <class P>
  requires requires { P::counts; }
constexpr cost_plan<P::counts> const& estimate(P) {
  return estimated<P>::cost;
}
/// Of a program in which a mistake has been reported: nothing.
constexpr cost_plan<record_counts{}> estimate(refused_program) { return cost_plan<record_counts{}>{}; }

/// Findings about a program, none of them errors.
template <class P>
  requires requires { P::counts; }
constexpr advice_list const& advice(P) {
  return estimated<P>::advice;
}
constexpr advice_list advice(refused_program) { return advice_list{}; }

}  // namespace tessera

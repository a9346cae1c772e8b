// SPDX-License-Identifier: Apache-2.0
// Advice: what a program could do better, as data. Nothing here is an error.
//
//   static_assert(ts::advice(heat).empty());
#pragma once

#include <tessera/base/inplace_vector.hpp>
#include <tessera/plan/cost.hpp>

namespace tessera {

enum class advice_kind : std::uint8_t {
  dead_write,    ///< a step writes a tensor whose value nothing reads
  idle_tiles,    ///< at least half of the machine's tiles run no vertex in a compute set
  working_set,   ///< a vertex touches more than the machine's working set
  ping_pong,     ///< a copy of a dead source that could not become a swap: write the two tensors in turn instead
  needless_copy  ///< a copy of a tensor that never changes between tensors with one mapping: read the source
};

/// One finding.
struct advice_record {
  advice_kind kind = advice_kind::dead_write;
  int step = -1;
  int tensor = -1;         ///< the tensor written, or the copy's source; -1: none
  int execute = -1;        ///< the vertex concerned; -1: none
  std::int64_t value = 0;  ///< idle tiles, or bytes touched or copied
  std::int64_t bound = 0;  ///< the machine's tiles, or its working set
};

/// Findings in the order of steps, the first 64 of them.
using advice_list = inplace_vector<advice_record, 64>;

/// What could be better. `liveness` is the one without swaps.
template <record_counts N>
constexpr advice_list give_advice(program_view const& p, liveness_plan<N> const& liveness, swap_plan<N> const& swaps,
                                  cost_plan<N> const& cost) {
  advice_list out;
  auto const say = [&](advice_record const& finding) {
    if (out.size() < static_cast<int>(out.capacity())) out.push_back(finding);
  };
  step_effects<N> const effects = effects_of<N>(p);
  detail::bit_row<N.tensors> changing;  // written by some step, so that it may differ from one step to another
  for (int s = 0; s < p.step_count; ++s) changing.add(effects.writes[s]);

  for (int s = 0; s < p.step_count; ++s) {
    auto dead = effects.writes[s];
    dead.remove(liveness.live_after[s]);
    dead.for_each([&](int t) { say({.kind = advice_kind::dead_write, .step = s, .tensor = t}); });
    step_record const& step = p.steps[s];
    if (step.kind == step_kind::copy && !swaps.swap[s]) {
      int const source = p.accesses[step.first].tensor;
      tensor_record const& from = p.tensors[source];
      tensor_record const& to = p.tensors[p.accesses[step.first + 1].tensor];
      if (!(from.map == to.map) || from.map.replicated) continue;  // a relayout, which has a purpose
      if (!changing.test(source)) {
        int writers = 0;
        for (int i = 0; i < p.step_count; ++i) writers += effects.writes[i].test(p.accesses[step.first + 1].tensor);
        if (writers == 1 && !to.input && !to.output)
          say({.kind = advice_kind::needless_copy, .step = s, .tensor = source, .value = to.bytes()});
      } else if (!liveness.live_after[s].test(source)) {
        say({.kind = advice_kind::ping_pong, .step = s, .tensor = source, .value = to.bytes()});
      }
    }
    if (step.kind != step_kind::compute) continue;
    int const idle = p.target.tiles - cost.step[s].running_tiles;
    if (2 * idle >= p.target.tiles && idle > 0)
      say({.kind = advice_kind::idle_tiles, .step = s, .value = idle, .bound = p.target.tiles});
    if (cost.step[s].vertex_bytes > p.target.working_set)
      say({.kind = advice_kind::working_set,
           .step = s,
           .execute = cost.step[s].vertex,
           .value = cost.step[s].vertex_bytes,
           .bound = p.target.working_set});
  }
  return out;
}

}  // namespace tessera

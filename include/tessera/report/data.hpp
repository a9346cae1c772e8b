// SPDX-License-Identifier: Apache-2.0
// What a report shows, as plain data that no longer knows the program's type. Its views are of names in the program's
// records, which last as long as the process.
//
//   ts::report::data d = ts::report::make<N>(view, exchange, memory, swaps, sync, liveness, cost, advice);
#pragma once

#include <tessera/plan/advice.hpp>
#include <tessera/plan/sync.hpp>
#include <tessera/report/detail/words.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::report {

/// A field of a vertex, or one side of a copy.
struct field_line {
  std::string_view tensor;
  std::string access;          ///< own, halo(1, 0), whole, …
  std::string_view direction;  ///< in, out, inout
  std::string_view form;       ///< view, gathered, shared, …: where its elements come from or go to
  bool priced = false;         ///< not a view: elements move
  int boxes = 0;               ///< distinct buffers
  std::int64_t box_bytes = 0;
};

/// A vertex type of a compute set.
struct vertex_line {
  std::string_view name;
  std::string tiles;  ///< "0 … 7", "0 … 6 by 2"
  std::vector<field_line> fields;
};

/// A step of the program tree.
struct step_line {
  int depth = 0;
  std::string_view kind;  ///< compute, copy, swap, repeat, while, if, else, block
  std::string title;      ///< one line for people
  bool barrier_before = false;
  bool barrier_inside = false;
  bool closes = false;  ///< the end of a body: nothing to show
  step_cost cost;
  std::vector<vertex_line> vertices;
};

/// A memory item of a class of tiles.
struct item_line {
  std::string name;
  std::string_view kind;  ///< tensor, parameter, buffer, scratch
  std::int64_t bytes = 0;
  std::int64_t offset = -1;
  std::vector<bool> live;  ///< by step; the last element is the time between runs
};

/// A class of tiles, or a machine's shared arena.
struct class_report {
  tile_class tiles;
  std::int64_t arena_bytes = 0;
  std::int64_t live_bytes = 0;
  std::int64_t tile_bytes = 0;
  std::string fullest_step;
  std::vector<item_line> items;
};

struct data {
  std::string title = "Program report";   ///< heading of a page
  machine target;
  int tensors = 0;
  int supersteps = 0;
  int barriers = 0;  ///< as written, loops not multiplied
  int swaps = 0;
  std::int64_t parameter_bytes = 0;
  std::vector<step_line> steps;
  std::vector<class_report> classes;
  step_cost total;  ///< sums over a run
  double cycles = 0;
  double seconds = 0;
  int critical_step = -1;
  int critical_tile = -1;
  bool guessed = false;
  bool open_ended = false;
  std::vector<std::string> advice;
};

/// Everything about a planned program.
template <record_counts N>
data make(program_view const& p, exchange_plan<N> const& exchange, memory_plan<N> const& memory,
          swap_plan<N> const& swaps, sync_plan<N> const& sync, liveness_plan<N> const& liveness,
          cost_plan<N> const& cost, advice_list const& findings) {
  data out;
  out.target = p.target;
  out.tensors = p.tensor_count;
  out.parameter_bytes = memory.parameter_bytes;

  int depth = 0;
  for (int s = 0; s < p.step_count; ++s) {
    step_record const& step = p.steps[s];
    step_line line;
    bool const closing = step.kind == step_kind::repeat_end || step.kind == step_kind::while_end ||
                         step.kind == step_kind::if_end || step.kind == step_kind::block_end;
    if (closing || step.kind == step_kind::if_else) --depth;
    line.depth = depth;
    line.closes = closing;
    line.kind = swaps.swap[s] ? "swap" : detail::name_of(step.kind);
    line.title = detail::title_of(p, step, swaps.swap[s]);
    line.barrier_before = sync.before[s];
    line.barrier_inside = sync.inside[s];
    line.cost = cost.step[s];
    if (!closing && step.kind != step_kind::compute && step.kind != step_kind::copy) ++depth;
    if (step.kind == step_kind::compute) {
      ++out.supersteps;
      for (int i = step.first; i < step.first + step.count; ++i) {
        execute_record const& e = p.executes[i];
        vertex_line vertex{p.kernels[e.kernel].name, detail::tiles_of(e), {}};
        for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
          access_plan const& plan = exchange.access[j];
          vertex.fields.push_back({p.tensors[p.accesses[j].tensor].name, detail::describe(p, p.accesses[j]),
                                   detail::name_of(p.accesses[j].dir), detail::name_of(plan.form),
                                   plan.form != field_form::view, plan.boxes, plan.box_bytes});
        }
        line.vertices.push_back(std::move(vertex));
      }
    }
    out.barriers += (sync.before[s] ? 1 : 0) + (sync.inside[s] ? 1 : 0);
    out.swaps += swaps.swap[s] ? 1 : 0;
    out.steps.push_back(std::move(line));
  }

  for (int c = 0; c < memory.classes; ++c) {
    class_report here;
    here.tiles = memory.tiles[c];
    here.arena_bytes = memory.arena_bytes[c];
    here.live_bytes = memory.live_bytes[c];
    here.tile_bytes = memory.tile_bytes[c];
    int const fullest = memory.tile_bytes_step[c];
    here.fullest_step = fullest < p.step_count ? out.steps[static_cast<std::size_t>(fullest)].title : "between runs";
    auto const add = [&](int item, int execute, std::string name, char const* kind) {
      std::int64_t const bytes = tessera::detail::arena_item_bytes<N>(p, exchange, memory.tiles[c], item, execute);
      if (bytes == 0 || memory.offset[c][item] < 0) return;
      item_line line{std::move(name), kind, bytes, memory.offset[c][item], {}};
      for (int s = 0; s <= p.step_count; ++s)
        line.live.push_back(s == p.step_count && item >= N.tensors ? false : liveness.occupies(item, s));
      here.items.push_back(std::move(line));
    };
    for (int t = 0; t < p.tensor_count; ++t)
      add(t, -1, p.tensors[t].name, p.tensors[t].parameter ? "parameter" : "tensor");
    for (int e = 0; e < p.execute_count; ++e) {
      char const* const vertex = p.kernels[p.executes[e].kernel].name;
      for (int j = p.executes[e].first_access; j < p.executes[e].first_access + p.executes[e].accesses; ++j)
        add(N.tensors + j, e, detail::join({p.tensors[p.accesses[j].tensor].name, " for ", vertex}), "buffer");
      add(N.tensors + N.accesses + e, e, detail::join({"scratch of ", vertex}), "scratch");
    }
    out.classes.push_back(std::move(here));
  }

  out.total.compute = cost.compute;
  out.total.exchange = cost.exchange;
  out.total.sync = cost.sync;
  out.cycles = cost.cycles;
  out.seconds = cost.seconds;
  out.critical_step = cost.critical_step;
  out.critical_tile = cost.critical_tile;
  out.guessed = cost.guessed;
  out.open_ended = cost.open_ended;
  for (advice_record const& finding : findings) out.advice.push_back(detail::sentence(p, finding));
  return out;
}

}  // namespace tessera::report

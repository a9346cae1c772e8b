// SPDX-License-Identifier: Apache-2.0
// Programs written as records by hand, for tests of planning passes.
//
//   constexpr auto build(plan_test::builder& b) { int u = b.rows("u", 64, 64); …; b.compute(b.run(0, {halo(u),
//   own(v)})); } plan_test::planned_records<decltype([](plan_test::builder& b) { … })>::memory
#pragma once

#include <tessera/plan/advice.hpp>
#include <tessera/plan/cost.hpp>
#include <tessera/plan/memory.hpp>
#include <tessera/plan/swap.hpp>
#include <tessera/plan/sync.hpp>

#include <initializer_list>
#include <utility>

namespace plan_test {

using namespace tessera;

/// A machine with private memory.
constexpr machine private_machine(int tiles) {
  return {.tiles = tiles,
          .workers = 1,
          .bytes_per_tile = 65536,
          .working_set = 16384,
          .clock_hz = 1e9,
          .exchange_bytes_per_cycle = 4,
          .local_bytes_per_cycle = 16,
          .sync_cycles = 100,
          .flops_per_cycle = 16,
          .shared = false};
}
/// A machine with shared memory.
constexpr machine shared_machine(int tiles) {
  machine m = private_machine(tiles);
  m.shared = true;
  return m;
}

constexpr access_record own(int tensor) {
  access_record a;
  a.tensor = a.by = static_cast<std::int16_t>(tensor);
  for (int d = 0; d < max_rank; ++d) a.dim[d].from = static_cast<std::int8_t>(d);
  return a;
}
constexpr access_record out(int tensor) {
  access_record a = own(tensor);
  a.dir = direction::out;
  return a;
}
constexpr access_record inout(int tensor) {
  access_record a = own(tensor);
  a.dir = direction::inout;
  return a;
}
constexpr access_record halo(int tensor, int radius = 1, edge_rule edge = edge_rule::clip) {
  access_record a = own(tensor);
  a.kind = access_kind::halo;
  a.edge = edge;
  a.dim[0].radius = static_cast<std::int8_t>(radius);
  return a;
}
constexpr access_record whole(int tensor) {
  access_record a = own(tensor);
  a.kind = access_kind::whole;
  for (auto& rule : a.dim) rule.from = -1;
  return a;
}
/// The rows of `tensor` that `by`'s block has, all columns.
constexpr access_record band(int tensor, int by) {
  access_record a = own(tensor);
  a.kind = access_kind::rows;
  a.by = static_cast<std::int16_t>(by);
  for (int d = 1; d < max_rank; ++d) a.dim[d].from = -1;
  return a;
}
constexpr access_record gather(int tensor, int index) {
  access_record a = own(tensor);
  a.kind = access_kind::gather;
  a.by = a.index = static_cast<std::int16_t>(index);
  for (int d = 1; d < max_rank; ++d) a.dim[d].from = -1;
  return a;
}
constexpr access_record at(int tensor, box (*function)(tile), direction dir = direction::in) {
  access_record a = own(tensor);
  a.kind = access_kind::at;
  a.dir = dir;
  a.at = function;
  return a;
}
constexpr access_record with_layout(access_record a, layout_record layout) {
  a.layout = layout;
  return a;
}

/// Work as a kernel that does not state it has it guessed: an operation and its bytes for each element of field 0.
constexpr work test_cost(region const* covered) {
  double const elements = static_cast<double>(covered[0].volume());
  return {2 * elements, 8 * elements};
}

/// Collects records; capacities suffice for programs of about 600 steps.
struct builder {
  static constexpr int most = 2400;
  machine target = shared_machine(4);
  inplace_vector<tensor_record, 640> tensors;
  inplace_vector<access_record, most> accesses;
  inplace_vector<execute_record, 640> executes;
  inplace_vector<step_record, 700> steps;
  inplace_vector<kernel_record, 8> kernels;
  inplace_vector<int, 16> open;

  constexpr int tensor(char const* name, int rows, int cols, mapping_record map, element type = element::float32) {
    tensor_record t;
    t.name = name;
    t.type = type;
    t.rank = 2;
    t.extent[0] = rows;
    t.extent[1] = cols;
    t.map = map;
    return tensors.push_back(t);
  }
  constexpr int rows(char const* name, int rows, int cols) {
    return tensor(name, rows, cols, {0, {target.tiles, 1, 1, 1}, false});
  }
  constexpr int on_tile(char const* name, int tile, int rows, int cols) {
    return tensor(name, rows, cols, {tile, {1, 1, 1, 1}, false});
  }
  constexpr int replicated(char const* name, int rows, int cols) {
    return tensor(name, rows, cols, {0, {1, 1, 1, 1}, true});
  }
  constexpr void input(int t) { tensors[t].input = true; }
  constexpr void output(int t) { tensors[t].output = true; }
  constexpr void parameter(int t) { tensors[t].parameter = true; }

  constexpr int kernel(char const* name, int state_bytes = 0, std::int64_t scratch_bytes = 0) {
    kernel_record k;
    k.name = name;
    k.state_bytes = state_bytes;
    k.scratch_bytes = scratch_bytes;
    k.cost = &test_cost;
    return kernels.push_back(k);
  }
  /// Adds an execute on tiles first … last (-1: all) to the set that `compute` or `end_set` closes.
  constexpr void run(int kernel_index, std::initializer_list<access_record> list, int first = 0, int last = -1,
                     int stride = 1) {
    execute_record e;
    e.kernel = static_cast<std::int16_t>(kernel_index);
    e.first_access = static_cast<std::int16_t>(accesses.count);
    e.accesses = static_cast<std::int16_t>(list.size());
    e.first_tile = first;
    e.last_tile = last < 0 ? target.tiles - 1 : last;
    e.stride = stride;
    int field = 0;
    for (access_record a : list) {
      a.field = static_cast<std::int8_t>(field++);
      accesses.push_back(a);
    }
    executes.push_back(e);
  }
  /// A compute set of the executes added since the last one.
  constexpr int end_set() {
    int first = 0;
    for (step_record const& s : steps)
      if (s.kind == step_kind::compute) first = s.first + s.count;
    step_record s;
    s.first = first;
    s.count = executes.count - first;
    return steps.push_back(s);
  }
  constexpr int compute(int kernel_index, std::initializer_list<access_record> list) {
    run(kernel_index, list);
    return end_set();
  }
  constexpr int copy(int source, int destination) {
    step_record s;
    s.kind = step_kind::copy;
    s.first = accesses.count;
    s.count = 2;
    access_record from = own(source);
    from.by = static_cast<std::int16_t>(destination);
    access_record to = out(destination);
    accesses.push_back(from);
    accesses.push_back(to);
    return steps.push_back(s);
  }
  constexpr int begin(step_kind kind, int count = 0, int predicate = -1) {
    step_record s;
    s.kind = kind;
    s.count = count;
    s.tensor = static_cast<std::int16_t>(predicate);
    int const at = steps.push_back(s);
    open.push_back(at);
    return at;
  }
  constexpr void repeat(int count) { begin(step_kind::repeat_begin, count); }
  constexpr int end_repeat() { return close(step_kind::repeat_end); }
  constexpr int begin_while(int predicate) { return begin(step_kind::while_begin, 0, predicate); }
  constexpr int end_while() { return close(step_kind::while_end); }
  constexpr int begin_if(int predicate) { return begin(step_kind::if_begin, 0, predicate); }
  constexpr int begin_else() {
    step_record s;
    s.kind = step_kind::if_else;
    int const at = steps.push_back(s);
    steps[open.back()].other = at;
    return at;
  }
  constexpr int end_if() {
    int const from = open[--open.count];
    step_record s;
    s.kind = step_kind::if_end;
    s.other = from;
    int const at = steps.push_back(s);
    steps[steps[from].other].other = at;
    return at;
  }
  constexpr int close(step_kind kind) {
    int const from = open[--open.count];
    step_record s;
    s.kind = kind;
    s.other = from;
    int const at = steps.push_back(s);
    steps[from].other = at;
    return at;
  }
  constexpr record_counts counts() const {
    return {tensors.count, accesses.count, executes.count, steps.count, kernels.count};
  }
};

template <record_counts N>
constexpr program_records<N> to_records(builder const& b) {
  program_records<N> out;
  out.target = b.target;
  for (int i = 0; i < N.tensors; ++i) out.tensors[i] = b.tensors[i];
  for (int i = 0; i < N.accesses; ++i) out.accesses[i] = b.accesses[i];
  for (int i = 0; i < N.executes; ++i) out.executes[i] = b.executes[i];
  for (int i = 0; i < N.steps; ++i) out.steps[i] = b.steps[i];
  for (int i = 0; i < N.kernels; ++i) out.kernels[i] = b.kernels[i];
  return out;
}

/// All plans of a program, each in a constant of its own, large passes in pieces. `Build` is a function object that
/// fills a builder.
template <class Build>
struct planned_records {
  static constexpr builder collect() {
    builder b;
    Build{}(b);
    return b;
  }
  static constexpr record_counts counts = collect().counts();
  static constexpr program_records<counts> records = to_records<counts>(collect());
  static constexpr program_view view() { return records.view(); }

  static constexpr exchange_plan<counts> exchange = plan_exchange<counts>(view());
  static constexpr liveness_plan<counts> values = plan_liveness<counts>(view(), exchange);
  static constexpr swap_plan<counts> swaps = plan_swaps<counts>(view(), values);
  static constexpr liveness_plan<counts> liveness = with_swaps<counts>(view(), values, swaps);

  static constexpr memory_blocks<counts> blocks = plan_blocks<counts>(view(), exchange, liveness);
  template <int Class>
  static constexpr class_memory<counts> placed = place_blocks<counts>(view(), exchange, liveness, blocks, Class);
  template <int Class>
  static constexpr class_memory<counts> complete =
      place_step_buffers<counts>(view(), exchange, liveness, blocks, Class, placed<Class>);
  static constexpr memory_plan<counts> memory = []<int... Class>(std::integer_sequence<int, Class...>) {
    class_memory<counts> const* const each[] = {&complete<Class>...};
    return join_classes<counts>(view(), exchange, liveness, blocks, each);
  }(std::make_integer_sequence<int, placed_classes<counts>(view(), blocks)>{});

  static constexpr overlap_plan<counts> overlaps = plan_overlaps<counts>(view(), exchange, memory, swaps);
  static constexpr detail::access_sets<counts> accesses = plan_accesses<counts>(view(), exchange, swaps);
  static constexpr sync_plan<counts> sync = plan_sync<counts>(view(), exchange, memory, swaps, overlaps, accesses);

  template <int Piece>
  static constexpr cost_piece piece = estimate_piece<counts>(view(), exchange, swaps, Piece* steps_a_piece);
  static constexpr cost_plan<counts> cost = []<int... Piece>(std::integer_sequence<int, Piece...>) {
    cost_piece const* const each[] = {&piece<Piece>...};
    return join_costs<counts>(view(), memory, sync, each);
  }(std::make_integer_sequence<int, counts.steps / steps_a_piece + 1>{});
  static constexpr advice_list advice = give_advice<counts>(view(), values, swaps, cost);
};

}  // namespace plan_test

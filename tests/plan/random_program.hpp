// SPDX-License-Identifier: Apache-2.0
// Random programs as records, and all plans of them at run time.
#pragma once

#include "plan/records.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

namespace plan_test {

/// A program of nested control flow over a dozen tensors. Values are not checked here: any mix of accesses will do.
class random_program {
 public:
  static constexpr record_counts capacity{.tensors = 16, .accesses = 160, .executes = 60, .steps = 90, .kernels = 2};

  explicit random_program(int seed) : random_(static_cast<unsigned>(seed)), b_(std::make_unique<builder>()) {
    builder& b = *b_;
    int const tiles = 2 + pick(5);
    b.target = pick(2) == 0 ? shared_machine(tiles) : private_machine(tiles);
    b.kernel("plain");
    b.kernel("stateful", 12, 192);
    int const count = 5 + pick(10);
    for (int t = 0; t < count; ++t) {
      int const rows = 1 + pick(4) == 1 ? 1 + pick(3) : 8 * (1 + pick(4));
      switch (pick(8)) {
        case 0: b.on_tile("on", pick(tiles), rows, 16); break;
        case 1: b.replicated("all", rows, 16); break;
        default: b.rows("by", rows, 16 * (1 + pick(2))); break;
      }
      if (pick(4) == 0) b.input(t);
      if (pick(5) == 0) b.output(t);
    }
    predicate_ = b.on_tile("go", 0, 1, 1);
    body(2, 4 + pick(6));
    records_ = std::make_unique<program_records<capacity>>(to_capacity());
  }

  program_view view() const {
    program_view p = records_->view();
    p.tensor_count = b_->tensors.count;
    p.access_count = b_->accesses.count;
    p.execute_count = b_->executes.count;
    p.step_count = b_->steps.count;
    p.kernel_count = b_->kernels.count;
    return p;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  program_records<capacity> to_capacity() const {
    program_records<capacity> out;
    out.target = b_->target;
    std::copy(b_->tensors.begin(), b_->tensors.end(), out.tensors);
    std::copy(b_->accesses.begin(), b_->accesses.end(), out.accesses);
    std::copy(b_->executes.begin(), b_->executes.end(), out.executes);
    std::copy(b_->steps.begin(), b_->steps.end(), out.steps);
    std::copy(b_->kernels.begin(), b_->kernels.end(), out.kernels);
    return out;
  }

  void body(int depth, int steps) {
    builder& b = *b_;
    for (int i = 0; i < steps && b.steps.count < 70; ++i) {
      switch (depth > 0 ? pick(8) : 3 + pick(5)) {
        case 0:
          b.repeat(1 + pick(3));
          body(depth - 1, 1 + pick(4));
          b.end_repeat();
          break;
        case 1:
          b.begin_while(predicate_);
          body(depth - 1, 1 + pick(4));
          b.end_while();
          break;
        case 2:
          b.begin_if(predicate_);
          body(depth - 1, 1 + pick(3));
          b.begin_else();
          body(depth - 1, pick(3));
          b.end_if();
          break;
        case 3: copy(); break;
        default: compute(); break;
      }
    }
  }

  bool same_shape(int a, int c) const {
    return b_->tensors[a].extent[0] == b_->tensors[c].extent[0] && b_->tensors[a].extent[1] == b_->tensors[c].extent[1];
  }

  void copy() {
    int const a = pick(b_->tensors.count);
    for (int t = 0; t < b_->tensors.count; ++t) {
      int const c = (a + 1 + t) % b_->tensors.count;
      if (a == c || !same_shape(a, c)) continue;
      b_->copy(a, c);
      return;
    }
  }

  void compute() {
    int written = pick(b_->tensors.count);
    while (b_->tensors[written].map.replicated) written = pick(b_->tensors.count);
    int const first = pick(b_->tensors.count);
    int const second = pick(b_->tensors.count);
    if (first == written || second == written) return compute();
    auto const reading = [&](int t) {
      int const kind = pick(3);
      return kind == 0 ? own(t) : kind == 1 && !b_->tensors[t].map.replicated ? halo(t) : whole(t);
    };
    access_record third = pick(4) == 0 ? with_layout(whole(second), {layout_kind::panels, 16}) : reading(second);
    int const from = pick(3) == 0 ? pick(b_->target.tiles) : 0;
    int const to = pick(3) == 0 ? from + pick(b_->target.tiles - from) : -1;
    b_->run(pick(2), {pick(5) == 0 ? inout(written) : out(written), reading(first), third}, from, to);
    b_->end_set();
  }

  std::mt19937 random_;
  std::unique_ptr<builder> b_;
  std::unique_ptr<program_records<capacity>> records_;
  int predicate_ = -1;
};

/// The steps of one run, loops and branches as chance has it.
inline std::vector<int> random_run(program_view const& p, std::mt19937& random) {
  std::vector<int> out;
  std::vector<int> rounds(static_cast<std::size_t>(p.step_count));
  for (int s = 0; s < p.step_count && out.size() < 4000;) {
    step_record const& step = p.steps[s];
    int& left = rounds[static_cast<std::size_t>(step.kind == step_kind::repeat_end ? step.other : s)];
    out.push_back(s);
    switch (step.kind) {
      case step_kind::repeat_begin:
        left = step.count;
        ++s;
        break;
      case step_kind::repeat_end: s = --left > 0 ? step.other + 1 : s + 1; break;
      case step_kind::while_begin: s = random() % 2 == 0 ? s + 1 : step.other + 1; break;
      case step_kind::while_end: s = step.other; break;
      case step_kind::if_begin: s = random() % 2 == 0 ? s + 1 : step.other + 1; break;
      case step_kind::if_else: s = step.other; break;  // the end of the first branch
      default: ++s; break;
    }
  }
  return out;
}

/// Whether a step writes every element of a tensor without reading any, found element by element.
inline bool writes_every_element(program_view const& p, int s, int tensor) {
  step_record const& step = p.steps[s];
  tensor_record const& t = p.tensors[tensor];
  if (step.kind == step_kind::copy) return p.accesses[step.first + 1].tensor == tensor;
  if (step.kind != step_kind::compute) return false;
  std::vector<bool> written(static_cast<std::size_t>(t.extent[0] * t.extent[1]));
  for (int i = step.first; i < step.first + step.count; ++i)
    for (int tile = 0; tile < p.target.tiles; ++tile)
      for (int j = p.executes[i].first_access; j < p.executes[i].first_access + p.executes[i].accesses; ++j) {
        access_record const& a = p.accesses[j];
        if (a.tensor != tensor || a.dir != direction::out || !p.executes[i].has_tile(tile)) continue;
        region const box = covered(p, a, tile);
        for (int row = box[0].first; row < box[0].last; ++row)
          for (int col = box[1].first; col < box[1].last; ++col)
            written[static_cast<std::size_t>(row * t.extent[1] + col)] = true;
      }
  return std::find(written.begin(), written.end(), false) == written.end();
}

/// The largest sum of items each two of which are live together at some step: no arrangement with one place for each
/// item is smaller. Branches and gaps in live ranges make it larger than the sum at any one step.
inline std::int64_t heaviest_conflicting(int count, std::int64_t const* bytes, auto const* conflicts) {
  std::vector<int> chosen;
  std::int64_t best = 0;
  auto const extend = [&](auto const& self, int i, std::int64_t sum, std::int64_t rest) -> void {
    best = std::max(best, sum);
    if (i == count || sum + rest <= best) return;
    bool fits = bytes[i] > 0;
    for (int other : chosen) fits = fits && conflicts[i].test(other);
    if (fits) {
      chosen.push_back(i);
      self(self, i + 1, sum + bytes[i], rest - bytes[i]);
      chosen.pop_back();
    }
    self(self, i + 1, sum, rest - bytes[i]);
  };
  std::int64_t rest = 0;
  for (int i = 0; i < count; ++i) rest += bytes[i];
  extend(extend, 0, 0, rest);
  return best;
}

/// All plans of a program that is not known to the compiler.
struct run_time_plans {
  static constexpr record_counts n = random_program::capacity;
  exchange_plan<n> exchange;
  liveness_plan<n> values;
  swap_plan<n> swaps;
  liveness_plan<n> liveness;
  memory_plan<n> memory;
  sync_plan<n> sync;
  cost_plan<n> cost;
  advice_list advice;

  explicit run_time_plans(program_view const& p)
      : exchange(plan_exchange<n>(p)),
        values(plan_liveness<n>(p, exchange)),
        swaps(plan_swaps<n>(p, values)),
        liveness(with_swaps<n>(p, values, swaps)),
        memory(plan_memory<n>(p, exchange, liveness)),
        sync(plan_sync<n>(p, exchange, memory, swaps)),
        cost(estimate_program<n>(p, exchange, memory, swaps, sync)),
        advice(give_advice<n>(p, values, swaps, cost)) {}
};

}  // namespace plan_test

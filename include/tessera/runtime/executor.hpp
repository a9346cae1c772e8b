// SPDX-License-Identifier: Apache-2.0
// Executor: runs a planned program. Every thread walks the steps; it knows nothing of the program's type.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <tessera/base/config.hpp>
#include <tessera/base/error.hpp>
#include <tessera/plan/fault.hpp>
#include <tessera/runtime/barrier.hpp>
#include <tessera/runtime/schedule.hpp>
#include <tessera/runtime/storage.hpp>
#include <tessera/runtime/workers.hpp>

namespace tessera {
TESSERA_ISA_BEGIN

/// How an engine runs.
struct engine_options {
  int threads = 1;       ///< 1 to 1024; no more than tiles are used. The result does not depend on it
  bool cyclic = false;   ///< tile t belongs to thread t mod threads, instead of each thread having a run of tiles
};

/// What a step took, all runs since profile(true) together.
struct step_profile {
  std::int64_t runs = 0;
  double seconds = 0;   ///< of the thread that worked longest, exchange included
  double waited = 0;    ///< of the thread that waited longest at the barrier before
  double flops = 0;     ///< of all tiles, as the vertices state their work, at the current lengths
  double bytes = 0;     ///< that the vertices touch, at the current lengths
};

/// A program's memory, schedule and threads; what engines and models are made of. Not to be used by two threads at once.
class executor {
 public:
  executor(plan_view const& plan, engine_options const& options, std::shared_ptr<arena> parameters = nullptr)
      : plan_(plan),
        threads_(checked_threads(plan, options.threads)),
        memory_(plan, std::move(parameters)),
        bindings_(plan, memory_, threads_, options.cyclic, lengths_),
        schedule_(bindings_),
        barrier_(threads_, threads_ <= static_cast<int>(std::thread::hardware_concurrency())),
        team_(threads_, threads_ <= static_cast<int>(std::thread::hardware_concurrency())) {
    for (int k = 0; k < threads_; ++k) {
      tables_.push_back(std::make_unique<thread_state>());
      tables_.back()->table = memory_.table();
      tables_.back()->rounds.resize(static_cast<std::size_t>(plan.program.step_count));
    }
  }

  /// Runs the program once. Allocates nothing.
  /// @throws whatever the vertex or exchange of the lowest failing tile threw; the tensors that the program writes are
  ///         then unspecified, and the engine can be written and run again
  void run() {
    failed_at_.store(never, std::memory_order_relaxed);
    for (auto& state : tables_) {
      state->failed_tile = -1;
      state->meetings = 0;
    }
    team_.run([](void* self, int thread) { static_cast<executor*>(self)->run_thread(thread); }, this);
    if (failed_at_.load(std::memory_order_relaxed) != never) rethrow();
  }

  /// Copies a whole tensor from row-major memory into the tiles that hold it, and packs what a parameter is packed into.
  void write(int tensor, void const* from) {
    auto const* values = static_cast<std::byte const*>(from);
    if (memory_.keeps(tensor)) move_whole(tensor, const_cast<std::byte*>(values), true);
    if (plan_.program.tensors[tensor].parameter) schedule_.pack_parameter(tensor, values);
  }
  /// Copies a whole tensor out into row-major memory.
  void read(int tensor, void* to) const {
    const_cast<executor*>(this)->move_whole(tensor, static_cast<std::byte*>(to), false);
  }
  /// The memory of a tensor that lies in one piece (shared machines).
  std::byte* data_of(int tensor) const {
    return memory_.locate(tensor, 0, whole_of(plan_.program.tensors[tensor])).address(tables_[0]->table.data());
  }

  /// Parameters and what they are packed into: immutable once written, to be shared by engines.
  std::shared_ptr<arena> const& parameters() const { return memory_.parameters(); }

  /// Restores the state of every vertex to its value before the first run.
  void reset() { schedule_.reset_state(tables_[0]->table.data(), tables_[0]->swaps); }

  /// Sets a run-time length that bounds dimension 0 of some tensors. Work beyond it is not done.
  void set_length(int number, int length) {
    if (lengths_[number] == length) return;
    lengths_[number] = length;
    schedule_.bind_all(tables_[0]->table.data(), tables_[0]->swaps);
  }

  /// Whether runs are timed from now on; true begins at zero. Costs three looks at the clock a step.
  void profile(bool on) {
    profiling_ = on;
    if (!on) return;
    for (auto& state : tables_) {
      state->times.clear();
      state->times.resize(static_cast<std::size_t>(plan_.program.step_count) * 3);
    }
  }
  /// What each step took since then. A template, so that programs that do not ask are spared compiling it.
  template <class Step = step_profile>
  std::vector<Step> profile() const {
    program_view const& p = plan_.program;
    std::vector<Step> steps(static_cast<std::size_t>(p.step_count));
    for (int s = 0; s < p.step_count; ++s) {
      Step& out = steps[static_cast<std::size_t>(s)];
      for (auto const& state : tables_) {
        if (state->times.empty()) continue;
        std::int64_t const* const t = &state->times[static_cast<std::size_t>(s) * 3];
        if (t[0] > out.runs) out.runs = t[0];
        if (static_cast<double>(t[1]) * 1e-9 > out.seconds) out.seconds = static_cast<double>(t[1]) * 1e-9;
        if (static_cast<double>(t[2]) * 1e-9 > out.waited) out.waited = static_cast<double>(t[2]) * 1e-9;
      }
      if (p.steps[s].kind != step_kind::compute) continue;
      for (int e = p.steps[s].first; e < p.steps[s].first + p.steps[s].count; ++e)
        for (int t = p.executes[e].first_tile; t <= p.executes[e].last_tile; t += p.executes[e].stride) {
          if (!runs_on(p, p.executes[e], t)) continue;
          work const w = bindings_.work_of(e, t);
          out.flops += w.flops * static_cast<double>(out.runs);
          out.bytes += w.bytes * static_cast<double>(out.runs);
        }
    }
    return steps;
  }
  plan_view const& plan() const { return plan_; }

  int threads() const { return threads_; }
  std::int64_t bytes() const { return memory_.bytes() + bindings_.workspace_bytes() * threads_; }

  /// The largest number of run-time lengths.
  static constexpr int max_lengths = 8;

 private:
  /// Nanoseconds of a clock; as a number, since the arithmetic of durations is slow to compile.
  static std::int64_t now() {
    using clock = std::chrono::steady_clock;
    static_assert(clock::period::den == 1'000'000'000);
    return clock::now().time_since_epoch().count();
  }
  struct alignas(64) thread_state {
    std::vector<std::int64_t> table;   ///< offsets of tensors, as this thread's swaps have left them
    std::vector<int> rounds;           ///< of each loop
    std::uint32_t swaps = 0;
    std::uint64_t meetings = 0;        ///< in this run
    std::vector<std::int64_t> times;   ///< where runs are timed, of each step: runs, nanoseconds of work, of waiting
    int failed_tile = -1;              ///< the lowest tile that failed since the last barrier
    std::exception_ptr failure;
  };

  static int checked_threads(plan_view const& plan, int threads) {
    if (threads < 1 || threads > 1024)
      throw input_error("tessera: threads is " + std::to_string(threads) + ", not in [1, 1024]", "threads");
    return threads < plan.program.target.tiles ? threads : plan.program.target.tiles;
  }

  /// Meets the other threads; false if one of them failed before. A thread that is first to leave may fail before
  /// another has left: all must still decide alike, so failures count from the next meeting on.
  bool meet(thread_state& me) {
    barrier_.wait();
    return failed_at_.load(std::memory_order_relaxed) > me.meetings++;
  }

  void run_thread(int thread) {
    thread_state& me = *tables_[static_cast<std::size_t>(thread)];
    step_record const* const steps = plan_.program.steps;
    int const count = plan_.program.step_count;
    for (int s = 0; s < count; ++s) {
      step_record const& step = steps[s];
      int const here = s;   // loops and branches move s
      std::int64_t const arrived = profiling_ ? now() : 0;
      if (plan_.barrier_before[s] && !meet(me)) return;
      std::int64_t const began = profiling_ ? now() : 0;
      switch (step.kind) {
        case step_kind::compute:
          if (!compute(s, thread, me)) return;
          break;
        case step_kind::copy:
          if (plan_.swap[s]) {
            swap(step, me);
          } else {
            slice const moves = schedule_.copies_of(s, thread);
            for (int i = moves.first; i < moves.last; ++i)
              schedule_.copies[static_cast<std::size_t>(i)].apply(me.table.data());
          }
          break;
        case step_kind::repeat_begin: me.rounds[static_cast<std::size_t>(s)] = step.count; break;
        case step_kind::repeat_end:
          if (--me.rounds[static_cast<std::size_t>(step.other)] > 0) s = step.other;
          break;
        case step_kind::while_begin:
          if (!is_true(step.tensor, me)) s = step.other;
          break;
        case step_kind::while_end: s = step.other - 1; break;
        case step_kind::if_begin:
          if (is_true(step.tensor, me) == (planted_fault == 6)) s = step.other;
          break;
        case step_kind::if_else: s = step.other; break;
        case step_kind::if_end:
        case step_kind::block_begin:
        case step_kind::block_end: break;
      }
      if (profiling_) {
        std::int64_t* const time = &me.times[static_cast<std::size_t>(here) * 3];
        ++time[0];
        time[1] += now() - began;
        time[2] += began - arrived;
      }
    }
    barrier_.wait();
  }

  bool compute(int s, int thread, thread_state& me) {
    std::int64_t const* const table = me.table.data();
    if (plan_.barrier_inside[s]) {
      slice const packs = schedule_.packing_of(s, thread);
      for (int i = packs.first; i < packs.last; ++i) schedule_.packing[static_cast<std::size_t>(i)].apply(table);
      if (!meet(me)) return false;
    }
    slice const range = schedule_.vertices_of(s, thread);
    for (int i = range.first; i < range.last; ++i) {
      vertex_entry& v = schedule_.vertices[static_cast<std::size_t>(i)];
      if (!v.active || (me.failed_tile >= 0 && has_failed(v.tile, me))) continue;
      try {
        if (v.rebinds && v.bound_at != me.swaps && planted_fault != 7) {
          schedule_.bind(v, table);
          v.bound_at = me.swaps;
        }
        for (int b = v.first_pack; b < v.first_pack + v.packs; ++b)
          schedule_.packing[static_cast<std::size_t>(b)].apply(table);
        for (int a = v.first_before; a < v.first_before + v.before; ++a)
          perform(schedule_.actions[static_cast<std::size_t>(a)], plan_.program, memory_, v.tile, table);
        next_memory = v.ahead;
        v.run(v.object);
        for (int a = v.first_after; a < v.first_after + v.after; ++a)
          perform(schedule_.actions[static_cast<std::size_t>(a)], plan_.program, memory_, v.tile, table);
      } catch (...) {
        fail(v, me);
      }
    }
    return true;
  }

  /// After a failure tiles above the lowest failing one have nothing to say any more, but lower ones do.
  static bool has_failed(int tile, thread_state const& me) { return tile >= me.failed_tile; }
  [[gnu::cold]] void fail(vertex_entry const& v, thread_state& me) {
    me.failed_tile = v.tile;
    try {
      throw;
    } catch (run_error const& e) {   // a vertex does not know where it runs
      char const* const name = plan_.program.kernels[plan_.program.executes[v.execute].kernel].name;
      me.failure = e.tile() >= 0
                       ? std::current_exception()
                       : std::make_exception_ptr(run_error(std::string(e.what()) + " (vertex " + name + " on tile " +
                                                               std::to_string(v.tile) + ")",
                                                           e.tensor(), v.tile));
    } catch (...) {
      me.failure = std::current_exception();
    }
    std::uint64_t earliest = failed_at_.load(std::memory_order_relaxed);
    while (me.meetings < earliest &&
           !failed_at_.compare_exchange_weak(earliest, me.meetings, std::memory_order_relaxed)) {
    }
  }
  [[noreturn, gnu::cold]] void rethrow() {
    thread_state* lowest = nullptr;
    for (auto& state : tables_)
      if (state->failed_tile >= 0 && (lowest == nullptr || state->failed_tile < lowest->failed_tile))
        lowest = state.get();
    // Threads may have left at different swaps: begin again from the plan.
    for (auto& state : tables_) {
      state->table = memory_.table();
      state->swaps = 0;
    }
    schedule_.bind_all(memory_.table().data(), 0);
    std::rethrow_exception(lowest->failure);
  }

  void swap(step_record const& step, thread_state& me) {
    int const a = plan_.program.accesses[step.first].tensor;
    int const b = plan_.program.accesses[step.first + 1].tensor;
    for (int c = 0; c < plan_.classes; ++c)
      std::swap(me.table[static_cast<std::size_t>(c * plan_.program.tensor_count + a)],
                me.table[static_cast<std::size_t>(c * plan_.program.tensor_count + b)]);
    ++me.swaps;
  }

  bool is_true(int tensor, thread_state const& me) const {
    tensor_record const& t = plan_.program.tensors[tensor];
    int const owner_tile = t.map.replicated ? 0 : t.map.first_tile;
    std::byte const* const at = memory_.locate(tensor, owner_tile, whole_of(t)).address(me.table.data());
    for (int i = 0; i < bytes_of(t.type); ++i)
      if (at[i] != std::byte{0}) return true;
    return false;
  }

  [[gnu::noinline]] void move_whole(int tensor, std::byte* outside_data, bool into_tensor) {
    program_view const& p = plan_.program;
    tensor_record const& t = p.tensors[tensor];
    std::int64_t const* const table = tables_[0]->table.data();
    place outside;
    outside.base = outside_data;
    region const all = whole_of(t);
    bool const every = t.map.replicated && !p.target.shared && into_tensor;
    for (int tile = 0; tile < (every ? p.target.tiles : 1); ++tile)
      for (owned_parts parts(p, tensor, tile, all); parts.next();)
        transfer_of(p, tensor, memory_.locate(tensor, parts.owner, parts.part), parts.part, outside, all, into_tensor)
            .apply(table);
  }

  plan_view plan_;
  int threads_;
  int lengths_[max_lengths] = {end, end, end, end, end, end, end, end};
  storage memory_;
  bindings bindings_;
  schedule schedule_;
  barrier barrier_;
  workers team_;
  std::vector<std::unique_ptr<thread_state>> tables_;
  bool profiling_ = false;
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  std::atomic<std::uint64_t> failed_at_{never};   ///< how many meetings there had been when a vertex first failed
};

TESSERA_ISA_END
}  // namespace tessera

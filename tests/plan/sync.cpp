// SPDX-License-Identifier: Apache-2.0
#include "plan/random_program.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace plan_test;

namespace {

// Barriers before steps as a picture; '2' has one inside as well, '1' only inside.
template <record_counts N>
constexpr bool barriers(sync_plan<N> const& plan, char const* picture) {
  for (int s = 0; s < N.steps; ++s) {
    char const mark = plan.before[s] ? (plan.inside[s] ? '2' : '|') : (plan.inside[s] ? '1' : '.');
    if (mark != picture[s]) return false;
  }
  return picture[N.steps] == 0;
}

struct ping_pong {
  constexpr void operator()(builder& b) const {
    int const u = b.rows("u", 64, 64), v = b.rows("v", 64, 64);
    int const k = b.kernel("jacobi");
    b.input(u);
    b.output(u);
    b.repeat(50);
    b.compute(k, {halo(u), out(v)});
    b.compute(k, {halo(v), out(u)});
    b.end_repeat();
  }
};
static_assert(barriers(planned_records<ping_pong>::sync, ".||."));

struct copied {
  constexpr void operator()(builder& b) const {
    int const u = b.rows("u", 64, 64), v = b.rows("v", 64, 64);
    int const k = b.kernel("jacobi");
    b.input(u);
    b.output(u);
    b.repeat(50);
    b.compute(k, {halo(u), out(v)});
    b.copy(v, u);
    b.end_repeat();
  }
};
static_assert(planned_records<copied>::swaps.swap[2]);
static_assert(barriers(planned_records<copied>::sync, ".|.."));  // the swap moves nothing and waits for nobody

struct chain {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("k");
    int last = b.rows("a", 64, 64);
    b.input(last);
    for (int i = 0; i < 3; ++i) {
      int const next = b.rows("t", 64, 64);
      b.input(next);  // kept apart, so that no two of them share memory
      b.compute(k, {own(last), out(next)});
      last = next;
    }
    b.output(last);
  }
};
static_assert(barriers(planned_records<chain>::sync, "..."));

struct packed {
  constexpr void operator()(builder& b) const {
    b.target = shared_machine(8);
    int const k = b.kernel("gemm");
    int const a = b.rows("a", 64, 64), w = b.rows("w", 64, 64), c = b.rows("c", 64, 64), d = b.rows("d", 64, 64);
    b.input(a);
    b.input(w);
    b.output(c);
    b.output(d);
    b.compute(k, {out(c), own(a), with_layout(whole(w), {layout_kind::panels, 16})});
    b.compute(k, {out(d), own(c), with_layout(whole(w), {layout_kind::panels, 16})});
  }
};
// Filling the second step's buffer reads only w, and no vertex of the first step that still runs minds, unless both
// buffers have the same place.
static_assert(planned_records<packed>::sync.inside[0] && planned_records<packed>::sync.inside[1] &&
              !planned_records<packed>::sync.before[0]);

struct predicates {
  constexpr void operator()(builder& b) const {
    int const k = b.kernel("k");
    int const go = b.on_tile("go", 0, 1, 1), a = b.rows("a", 64, 64);
    b.input(go);
    b.input(a);
    b.output(a);
    b.begin_while(go);
    b.compute(k, {inout(a)});
    b.compute(k, {inout(go)});
    b.end_while();
  }
};
// Everybody reads the predicate before the step that changes it, and after.
static_assert(barriers(planned_records<predicates>::sync, "|.|."));

/// Bytes that a tile touches, in the machine's arena or that of a tile.
struct touch {
  int arena;
  std::int64_t first, last;
  int tile;
  bool write;
};

/// What the tiles of a phase touch, byte by byte from the definitions; `place` says where tensors are at the moment.
class tracker {
 public:
  static constexpr record_counts n = random_program::capacity;
  tracker(program_view const& p, run_time_plans const& plans) : p_(p), plans_(plans) {
    for (int c = 0; c < plans.memory.classes; ++c)
      for (int t = 0; t < p.tensor_count; ++t) place_[c][t] = plans.memory.offset[c][t];
  }

  void step(int s) {
    step_record const& step = p_.steps[s];
    if (plans_.sync.before[s]) pending_.clear();
    if (step.kind == step_kind::while_begin || step.kind == step_kind::if_begin) {
      for (int t = 0; t < p_.target.tiles; ++t) add_box(step.tensor, whole_of(p_.tensors[step.tensor]), t, false);
    } else if (step.kind == step_kind::copy) {
      int const from = p_.accesses[step.first].tensor;
      int const to = p_.accesses[step.first + 1].tensor;
      if (plans_.swaps.swap[s]) {
        for (auto& places : place_) std::swap(places[from], places[to]);
        return;
      }
      for (int t = 0; t < p_.target.tiles; ++t) {
        region box = block_of(p_.tensors[to], t);
        if (p_.target.shared && p_.tensors[to].map.replicated)
          box[0] = block_span(p_.tensors[to].extent[0], p_.target.tiles, t);
        if (box.empty()) continue;
        add_box(from, box, t, false);
        add_box(to, box, t, true);
      }
    } else if (step.kind == step_kind::compute) {
      if (plans_.sync.inside[s]) {
        phase(step, true);
        check();
        pending_.clear();
      }
      phase(step, false);
    }
    check();
  }

  int conflicts = 0;

 private:
  int class_of(int tile) const {
    for (int c = 0; c < plans_.memory.classes; ++c)
      if (tile >= plans_.memory.tiles[c].first && tile <= plans_.memory.tiles[c].last) return c;
    return 0;
  }

  void add_box(int tensor, region const& box, int tile, bool write) {
    tensor_record const& t = p_.tensors[tensor];
    std::int64_t const size = bytes_of(t.type);
    if (p_.target.shared) {
      if (place_[0][tensor] < 0) return;
      for (int row = box[0].first; row < box[0].last; ++row) {
        std::int64_t const start = place_[0][tensor] + row * t.extent[1] * size;
        now_.push_back({0, start + box[1].first * size, start + box[1].last * size, tile, write});
      }
      return;
    }
    if (t.map.replicated) return own_memory(place_[class_of(tile)][tensor], t.bytes(), tile, write);
    for (int owner = 0; owner < p_.target.tiles; ++owner)
      if (overlap(box, block_of(t, owner))) {
        std::int64_t const from = place_[class_of(owner)][tensor];
        now_.push_back({owner, from, from + block_of(t, owner).volume() * size, tile, write});
      }
  }
  void own_memory(std::int64_t from, std::int64_t bytes, int tile, bool write) {
    now_.push_back({p_.target.shared ? 0 : tile, from, from + bytes, tile, write});
  }

  void phase(step_record const& step, bool packing) {
    for (int i = step.first; i < step.first + step.count; ++i) {
      execute_record const& e = p_.executes[i];
      for (int tile = 0; tile < p_.target.tiles; ++tile) {
        if (!runs_on(p_, e, tile)) continue;
        for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
          access_record const& a = p_.accesses[j];
          access_plan const& plan = plans_.exchange.access[j];
          region const box = intersect(covered(p_, a, tile), whole_of(p_.tensors[a.tensor]));
          bool const shared = plan.form == field_form::shared;
          std::int64_t const buffer = plans_.memory.offset[class_of(tile)][n.tensors + j];
          if (packing != shared) {
            if (shared) own_memory(buffer, plan.boxes * plan.box_bytes, tile, false);
            continue;
          }
          if (shared || plan.form == field_form::gathered || a.dir != direction::out)
            add_box(a.tensor, box, tile, false);
          if (a.dir != direction::in) add_box(a.tensor, box, tile, true);
          if (buffer >= 0) own_memory(buffer, shared ? plan.boxes * plan.box_bytes : plan.box_bytes, tile, true);
        }
        std::int64_t const scratch = plans_.memory.offset[class_of(tile)][n.tensors + n.accesses + i];
        if (!packing && scratch >= 0) own_memory(scratch, p_.kernels[e.kernel].scratch_bytes, tile, true);
      }
    }
  }

  void check() {
    for (touch const& a : now_)
      for (touch const& b : pending_)
        if (a.arena == b.arena && a.tile != b.tile && (a.write || b.write) && a.first < b.last && b.first < a.last)
          ++conflicts;
    pending_.insert(pending_.end(), now_.begin(), now_.end());
    now_.clear();
  }

  program_view p_;
  run_time_plans const& plans_;
  std::int64_t place_[max_tile_classes][n.tensors + 1] = {};
  std::vector<touch> pending_, now_;
};

}  // namespace

TEST_CASE("no tile touches what another one wrote since the last barrier, nor writes what it touched") {
  std::mt19937 chance(5);
  int barriers_kept = 0;
  int steps = 0;
  int swaps = 0;
  for (int seed = 0; seed < 250; ++seed) {
    random_program const random(seed);
    program_view const p = random.view();
    auto const plans = std::make_unique<run_time_plans>(p);
    for (int s = 0; s < p.step_count; ++s) {
      if (p.steps[s].kind != step_kind::compute && p.steps[s].kind != step_kind::copy) continue;
      barriers_kept += plans->sync.before[s];
      swaps += plans->swaps.swap[s];
      ++steps;
    }
    for (int run = 0; run < 4; ++run) {
      std::vector<int> trace = random_run(p, chance);
      if (trace.size() > 300) trace.resize(300);
      auto const memory = std::make_unique<tracker>(p, *plans);
      for (int s : trace) memory->step(s);
      INFO("seed " << seed);
      CHECK(memory->conflicts == 0);
    }
  }
  MESSAGE(barriers_kept << " barriers before " << steps << " steps, " << swaps << " swaps");
  CHECK(barriers_kept < steps);
  CHECK(swaps > 10);
}

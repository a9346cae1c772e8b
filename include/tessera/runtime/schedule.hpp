// SPDX-License-Identifier: Apache-2.0
// Schedule: what each thread does in each step, with every address computed once, when an engine is built.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/base/ahead.hpp>
#include <tessera/base/config.hpp>
#include <tessera/plan/fault.hpp>
#include <tessera/runtime/binding.hpp>
#include <tessera/runtime/exchange.hpp>
#include <tessera/runtime/storage.hpp>

namespace tessera {
TESSERA_ISA_BEGIN

/// One vertex on one tile.
struct vertex_entry {
  void (*run)(void*) = nullptr;
  void* object = nullptr;
  int tile = 0;
  int execute = 0;
  int first_pack = 0, packs = 0;      ///< shared buffers that are filled first, where one thread does everything
  int first_before = 0, before = 0;   ///< actions before it runs
  int first_after = 0, after = 0;     ///< actions after it ran
  std::uint32_t bound_at = 0;         ///< number of swaps when its fields were bound
  bool rebinds = false;               ///< a field is a view of a tensor that takes part in swaps
  bool active = true;                 ///< with the current lengths it has something to write
  memory_ahead ahead;                 ///< the packed parameters that the thread reads after those of this vertex
};

/// A range of one of the arrays.
struct slice {
  int first = 0;
  int last = 0;
};

/// The lists of vertices, copies and packing of each step and thread.
class schedule {
 public:
  /// @param fields  must outlive this object
  explicit schedule(bindings const& fields) : fields_(fields), plan_(fields.plan()), threads_(fields.threads()) {
    program_view const& p = plan_.program;
    for (int s = 0; s < p.step_count; ++s) swapped_tensors(s);
    for (int s = 0; s < p.step_count; ++s) {
      for (int k = 0; k < threads_; ++k) {
        slice entries{static_cast<int>(vertices.size()), 0};
        slice moves{static_cast<int>(copies.size()), 0};
        slice packs{static_cast<int>(packing.size()), 0};
        if (p.steps[s].kind == step_kind::compute) {
          add_vertices(p.steps[s], k);
          packs.first = static_cast<int>(packing.size());
          add_packing(p.steps[s], k);
        } else if (p.steps[s].kind == step_kind::copy && !plan_.swap[s]) {
          add_copies(p.steps[s], k);
        }
        entries.last = static_cast<int>(vertices.size());
        moves.last = static_cast<int>(copies.size());
        packs.last = static_cast<int>(packing.size());
        vertex_range_.push_back(entries);
        copy_range_.push_back(moves);
        pack_range_.push_back(packs);
      }
    }
    look_ahead();
    bind_all(fields_.memory().table().data(), 0);
  }

  slice vertices_of(int step, int thread) const { return vertex_range_[at(step, thread)]; }
  slice copies_of(int step, int thread) const { return copy_range_[at(step, thread)]; }
  slice packing_of(int step, int thread) const { return pack_range_[at(step, thread)]; }

  std::vector<vertex_entry> vertices;
  std::vector<exchange_action> actions;
  std::vector<transfer> copies;
  std::vector<pack_entry> packing;

  /// Sets every vertex's state to what it was when the program began.
  void reset_state(std::int64_t const* table, std::uint32_t swaps) {
    for (vertex_entry& v : vertices) construct(v);
    bind_all(table, swaps);
  }

  /// Points the fields of a vertex at where they are now.
  void bind(vertex_entry& v, std::int64_t const* table) const {
    v.active = fields_.bind(v.object, v.execute, v.tile, table);
  }
  /// bind() of all; `swaps` is the number of swaps that led to the table.
  void bind_all(std::int64_t const* table, std::uint32_t swaps) {
    for (vertex_entry& v : vertices) {
      bind(v, table);
      v.bound_at = swaps;
    }
  }

  /// Packs the resident buffers that come from one parameter, all of whose elements lie at `values`, row-major.
  void pack_parameter(int tensor, std::byte const* values) const {
    program_view const& p = plan_.program;
    tensor_record const& t = p.tensors[tensor];
    for (int e = 0; e < p.execute_count; ++e)
      for (int i = p.executes[e].first_access; i < p.executes[e].first_access + p.executes[e].accesses; ++i) {
        if (p.accesses[i].tensor != tensor || plan_.access[i].form != field_form::resident) continue;
        for (int tile : tiles_with_boxes(fields_, p.executes[e], i)) {
          pack_entry const pack = box_packing(fields_, i, tile);
          region const box = covered(p, p.accesses[i], tile);
          std::ptrdiff_t const row_bytes = std::ptrdiff_t{t.extent[1]} * bytes_of(t.type);
          runtime_detail::pack(pack.layout, pack.buffer,
                               values + box[0].first * row_bytes + std::ptrdiff_t{box[1].first} * bytes_of(t.type),
                               row_bytes, pack.rows, pack.cols, pack.first, pack.last, pack.element_bytes);
        }
      }
  }

 private:
  std::size_t at(int step, int thread) const { return static_cast<std::size_t>(step * threads_ + thread); }

  /// Whether a tile is left out: no, unless a fault is planted, which takes the last one if its block is not like the
  /// first one's.
  bool left_out([[maybe_unused]] execute_record const& x, [[maybe_unused]] int tile) const {
    if constexpr (planted_fault == 5) {
      program_view const& p = plan_.program;
      for (int t = tile + x.stride; t <= x.last_tile; t += x.stride)
        if (runs_on(p, x, t)) return false;
      for (int i = x.first_access; i < x.first_access + x.accesses; ++i)
        if (p.accesses[i].dir != direction::in)
          return covered(p, p.accesses[i], x.first_tile).volume() != covered(p, p.accesses[i], tile).volume();
    }
    return false;
  }

  void swapped_tensors(int s) {
    program_view const& p = plan_.program;
    swaps_.resize(static_cast<std::size_t>(p.tensor_count), 0);
    if (p.steps[s].kind != step_kind::copy || !plan_.swap[s]) return;
    for (int i = 0; i < 2; ++i) swaps_[static_cast<std::size_t>(p.accesses[p.steps[s].first + i].tensor)] = 1;
  }
  bool swaps(int tensor) const { return swaps_[static_cast<std::size_t>(tensor)] != 0; }

  void construct(vertex_entry& v) const {
    execute_record const& e = plan_.program.executes[v.execute];
    plan_.program.kernels[e.kernel].construct(v.object);
    if (e.state != nullptr) e.state(v.object, {v.tile, plan_.program.target.tiles}, e.number);
  }

  /// The access with the largest buffer of panels that tiles share, or -1. Tiles with the same one run one after the
  /// other, so that it stays in cache: a kernel passes over its panels again and again, over other operands once.
  int largest_packed(execute_record const& e) const {
    int largest = -1;
    for (int i = e.first_access; i < e.first_access + e.accesses; ++i) {
      field_form const form = plan_.access[i].form;
      layout_kind const kind = plan_.program.accesses[i].layout.kind;
      bool const shared = form == field_form::shared || form == field_form::resident;
      if (!shared || (kind != layout_kind::panels && kind != layout_kind::row_panels)) continue;
      if (largest < 0 || plan_.access[i].box_bytes > plan_.access[largest].box_bytes) largest = i;
    }
    return largest;
  }

  void add_vertices(step_record const& s, int thread) {
    program_view const& p = plan_.program;
    for (int e = s.first; e < s.first + s.count; ++e) {
      execute_record const& x = p.executes[e];
      kernel_record const& k = p.kernels[x.kernel];
      std::vector<int> tiles;
      int const panels = largest_packed(x);
      auto const before = [&](int t, int u) {
        return box_number(p, p.accesses[panels], t) < box_number(p, p.accesses[panels], u);
      };
      for (int t = x.first_tile; t <= x.last_tile; t += x.stride)
        if (fields_.owner(t) == thread && runs_on(p, x, t) && !left_out(x, t))
          tiles.insert(panels < 0 ? tiles.end() : std::upper_bound(tiles.begin(), tiles.end(), t, before), t);
      if (tiles.empty()) continue;
      std::int64_t const alignment = std::max(k.object_alignment, 8);
      std::int64_t const step = (k.object_bytes + alignment - 1) / alignment * alignment;
      objects_.emplace_back(step * static_cast<std::int64_t>(tiles.size()));
      std::byte* object = objects_.back().data();
      std::vector<std::pair<int, int>> filled;
      for (int t : tiles) {
        vertex_entry v;
        v.run = k.run;
        v.object = object;
        v.tile = t;
        v.execute = e;
        object += step;
        construct(v);
        v.first_pack = static_cast<int>(packing.size());
        if (threads_ == 1) add_boxes(x, t, filled);
        v.packs = static_cast<int>(packing.size()) - v.first_pack;
        v.first_before = static_cast<int>(actions.size());
        for (int i = x.first_access; i < x.first_access + x.accesses; ++i) {
          exchange_before(fields_, i, t, actions);
          v.rebinds |= swaps(p.accesses[i].tensor) && is_view(p, fields_.shown(i), plan_.access[i], t);
        }
        v.before = static_cast<int>(actions.size()) - v.first_before;
        v.first_after = static_cast<int>(actions.size());
        for (int i = x.first_access; i < x.first_access + x.accesses; ++i)
          if (plan_.access[i].form == field_form::staged) exchange_after(fields_, i, t, actions);
        v.after = static_cast<int>(actions.size()) - v.first_after;
        vertices.push_back(v);
      }
    }
  }

  /// Tells each vertex what its thread reads after it: the panels of the nearest later vertex that has others, if they
  /// were packed beforehand.
  void look_ahead() {
    for (int k = 0; k < threads_; ++k) {
      memory_ahead later, beyond;   // panels of the nearest later vertex, and what that one has ahead of it
      for (int s = plan_.program.step_count - 1; s >= 0; --s) {
        slice const range = vertices_of(s, k);
        for (int i = range.last - 1; i >= range.first; --i) {
          vertex_entry& v = vertices[static_cast<std::size_t>(i)];
          int const panels = largest_packed(plan_.program.executes[v.execute]);
          if (panels < 0 || plan_.access[panels].form != field_form::resident) continue;
          memory_ahead const own{fields_.buffer(panels, v.tile), plan_.access[panels].box_bytes};
          if (own.data != later.data) {
            beyond = later;
            later = own;
          }
          v.ahead = beyond;
        }
      }
    }
  }

  /// One thread fills a shared buffer just before the first vertex that reads it: it is in cache then.
  void add_boxes(execute_record const& e, int tile, std::vector<std::pair<int, int>>& filled) {
    for (int i = e.first_access; i < e.first_access + e.accesses; ++i) {
      access_record const& a = plan_.program.accesses[i];
      if (plan_.access[i].form != field_form::shared || covered(plan_.program, a, tile).empty()) continue;
      std::pair<int, int> const box{i, box_number(plan_.program, a, tile)};
      if (std::find(filled.begin(), filled.end(), box) != filled.end()) continue;
      filled.push_back(box);
      packing.push_back(box_packing(fields_, i, tile));
    }
  }

  /// A thread's share of the shared buffers of a compute set: an equal part of all panels of all boxes.
  void add_packing(step_record const& s, int thread) {
    if (threads_ == 1) return;   // add_boxes
    program_view const& p = plan_.program;
    for (int e = s.first; e < s.first + s.count; ++e)
      for (int i = p.executes[e].first_access; i < p.executes[e].first_access + p.executes[e].accesses; ++i) {
        if (plan_.access[i].form != field_form::shared) continue;
        std::vector<int> const tiles = tiles_with_boxes(fields_, p.executes[e], i);
        int total = 0;
        for (int tile : tiles) total += box_packing(fields_, i, tile).last;
        span const share = block_span(total, threads_, thread);
        int before = 0;
        for (int tile : tiles) {
          pack_entry pack = box_packing(fields_, i, tile);
          int const panels = pack.last;
          span const mine = intersect(share, {before, before + panels});
          if (!mine.empty()) {
            pack.first = mine.first - before;
            pack.last = mine.last - before;
            packing.push_back(pack);
          }
          before += panels;
        }
      }
  }

  void add_copies(step_record const& s, int thread) {
    program_view const& p = plan_.program;
    access_record const& source = p.accesses[s.first];
    access_record const& target = p.accesses[s.first + 1];
    storage const& memory = fields_.memory();
    bool const once = p.target.shared && p.tensors[target.tensor].map.replicated;
    for (int t = 0; t < p.target.tiles; ++t) {
      if (fields_.owner(t) != thread || (once && t != 0)) continue;
      region const r = block_of(p.tensors[target.tensor], t);
      if (r.empty()) continue;
      for (owned_parts parts(p, source.tensor, t, r); parts.next();) {
        transfer m;
        m.from = memory.locate(source.tensor, parts.owner, parts.part);
        m.to = memory.locate(target.tensor, t, parts.part);
        for (int d = 0; d < p.tensors[source.tensor].rank; ++d) m.n[d] = parts.part[d].size();
        m.element_bytes = bytes_of(p.tensors[source.tensor].type);
        m.collapse();
        copies.push_back(m);
      }
    }
  }

  bindings const& fields_;
  plan_view const& plan_;
  int threads_;
  std::vector<char> swaps_;   ///< of each tensor, whether a swap moves it
  std::vector<arena> objects_;
  std::vector<slice> vertex_range_, copy_range_, pack_range_;
};

TESSERA_ISA_END
}  // namespace tessera

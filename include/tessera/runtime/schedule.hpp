// SPDX-License-Identifier: Apache-2.0
// Schedule: what each thread does in each step, with every address computed once, when an engine is built.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tessera/base/config.hpp>
#include <tessera/base/error.hpp>
#include <tessera/plan/fault.hpp>
#include <tessera/runtime/storage.hpp>

namespace tessera {
TESSERA_ISA_BEGIN

/// What a tile does to one of its buffers before its vertex runs, or after.
struct exchange_action {
  enum class kind : std::uint8_t { move, zero, clamp, pack, gather } what = kind::move;
  transfer move;                  ///< move
  std::byte* buffer = nullptr;    ///< all but move: the field's buffer; zero: bytes to clear
  std::byte* source = nullptr;    ///< pack: a row-major copy of the box
  std::int64_t bytes = 0;         ///< zero
  layout_record layout;           ///< pack
  int rows = 0, cols = 0;         ///< pack
  int element_bytes = 0;
  int extent[max_rank] = {1, 1, 1, 1};   ///< clamp, gather: of the field
  region inside;                  ///< clamp: the part of the field that is there
  int tensor = -1;                ///< gather: the tensor whose rows are read …
  int index = -1;                 ///< … and the vector that says which
  region index_block;             ///< gather: the tile's block of the indices
};

/// One vertex on one tile.
struct vertex_entry {
  void (*run)(void*) = nullptr;
  void* object = nullptr;
  int tile = 0;
  int execute = 0;
  int first_before = 0, before = 0;   ///< actions before it runs
  int first_after = 0, after = 0;     ///< actions after it ran
  std::uint32_t bound_at = 0;         ///< number of swaps when its fields were bound
  bool rebinds = false;               ///< a field is a view of a tensor that takes part in swaps
  bool active = true;                 ///< with the current lengths it has something to write
};

/// A share of the packing of shared buffers: panels [first, last) of one distinct box.
struct pack_entry {
  place source;
  std::byte* buffer = nullptr;
  layout_record layout;
  int rows = 0, cols = 0, first = 0, last = 0, element_bytes = 0;

  void apply(std::int64_t const* table) const {
    runtime_detail::pack(layout, buffer, source.address(table), source.stride[0], rows, cols, first, last, element_bytes);
  }
};

/// A range of one of the arrays.
struct slice {
  int first = 0;
  int last = 0;
};

class schedule {
 public:
  /// @param cyclic  tile t belongs to thread t mod threads, instead of each thread having a run of tiles
  schedule(plan_view const& plan, storage& memory, int threads, bool cyclic, int const* lengths)
      : plan_(plan), memory_(memory), threads_(threads), cyclic_(cyclic), lengths_(lengths) {
    program_view const& p = plan.program;
    if constexpr (planted_fault == 3) {
      narrowed_.assign(p.accesses, p.accesses + p.access_count);
      for (access_record& a : narrowed_)
        for (dim_rule& rule : a.dim) rule.radius = static_cast<std::int8_t>(rule.radius > 0 ? rule.radius - 1 : 0);
    }
    for (int s = 0; s < p.step_count; ++s) swapped_tensors(s);
    plan_workspaces();
    for (int s = 0; s < p.step_count; ++s) {
      for (int k = 0; k < threads; ++k) {
        slice entries{static_cast<int>(vertices.size()), 0};
        slice moves{static_cast<int>(copies.size()), 0};
        slice packs{static_cast<int>(packing.size()), 0};
        if (p.steps[s].kind == step_kind::compute) {
          add_vertices(p.steps[s], k);
          add_packing(p.steps[s], k);
        } else if (p.steps[s].kind == step_kind::copy && !plan.swap[s]) {
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
    bind_all(memory.table().data());
  }

  slice vertices_of(int step, int thread) const { return vertex_range_[at(step, thread)]; }
  slice copies_of(int step, int thread) const { return copy_range_[at(step, thread)]; }
  slice packing_of(int step, int thread) const { return pack_range_[at(step, thread)]; }

  std::vector<vertex_entry> vertices;
  std::vector<exchange_action> actions;
  std::vector<transfer> copies;
  std::vector<pack_entry> packing;

  int owner(int tile) const {
    int const tiles = plan_.program.target.tiles;
    return cyclic_ ? tile % threads_ : block_holding(tiles, std::min(threads_, tiles), tile);
  }

  /// Sets every vertex's state to what it was when the program began.
  void reset_state() {
    for (vertex_entry& v : vertices) construct(v);
    bind_all(memory_.table().data());
  }

  /// Points the fields of a vertex at where they are now.
  void bind(vertex_entry& v, std::int64_t const* table) const {
    program_view const& p = plan_.program;
    execute_record const& e = p.executes[v.execute];
    kernel_record const& k = p.kernels[e.kernel];
    field_binding fields[max_fields];
    v.active = false;
    for (int i = e.first_access; i < e.first_access + e.accesses; ++i) {
      access_record const& a = shown(i);
      field_binding& b = fields[a.field];
      region const r = field_region(a, v.tile);
      if (a.dir != direction::in && !r.empty()) v.active = true;
      bind_field(b, i, v.tile, r, table);
    }
    bind_scratch(fields, v.execute, v.tile);
    k.bind(v.object, fields);
  }
  /// bind() of all, after lengths have changed.
  void bind_all(std::int64_t const* table) {
    for (vertex_entry& v : vertices) bind(v, table);
  }

  /// Packs the resident buffers that come from one parameter, all of whose elements lie at `values`, row-major.
  void pack_parameter(int tensor, std::byte const* values) const {
    program_view const& p = plan_.program;
    tensor_record const& t = p.tensors[tensor];
    for (int e = 0; e < p.execute_count; ++e)
      for (int i = p.executes[e].first_access; i < p.executes[e].first_access + p.executes[e].accesses; ++i) {
        if (p.accesses[i].tensor != tensor || plan_.access[i].form != field_form::resident) continue;
        for_each_box(p.executes[e], i, [&](pack_entry pack, region const& box) {
          std::ptrdiff_t const row_bytes = std::ptrdiff_t{t.extent[1]} * bytes_of(t.type);
          runtime_detail::pack(pack.layout, pack.buffer,
                       values + box[0].first * row_bytes + std::ptrdiff_t{box[1].first} * bytes_of(t.type), row_bytes,
                       pack.rows, pack.cols, pack.first, pack.last, pack.element_bytes);
        });
      }
  }

  /// Workspace of each thread, in bytes (shared machines: gathered buffers and scratch; any: row-major copies).
  std::int64_t workspace_bytes() const { return workspace_bytes_; }

 private:
  std::size_t at(int step, int thread) const { return static_cast<std::size_t>(step * threads_ + thread); }

  /// What an access shows on tiles: the program's, unless a fault is planted.
  access_record const& shown(int access) const {
    if constexpr (planted_fault == 3) return narrowed_[static_cast<std::size_t>(access)];
    else return plan_.program.accesses[access];
  }
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
    swaps_.resize(static_cast<std::size_t>(p.tensor_count), false);
    if (p.steps[s].kind != step_kind::copy || !plan_.swap[s]) return;
    for (int i = 0; i < 2; ++i) swaps_[static_cast<std::size_t>(p.accesses[p.steps[s].first + i].tensor)] = true;
  }
  bool swaps(int tensor) const { return swaps_[static_cast<std::size_t>(tensor)]; }

  bool has_own_buffer(int access) const {
    field_form const form = plan_.access[access].form;
    return form == field_form::gathered || form == field_form::bordered || form == field_form::staged;
  }
  std::int64_t row_major_bytes(execute_record const& e, int access) const {
    access_record a = plan_.program.accesses[access];
    if (a.layout.is_row_major()) return 0;
    a.layout = row_major::record;
    return largest_buffer(plan_.program, e, a);
  }

  /// Every thread's workspace holds what one vertex at a time needs; offsets of buffers in it, by access.
  void plan_workspaces() {
    program_view const& p = plan_.program;
    workspace_offset_.resize(static_cast<std::size_t>(p.access_count), 0);
    scratch_offset_.resize(static_cast<std::size_t>(p.execute_count), 0);
    for (int e = 0; e < p.execute_count; ++e) {
      execute_record const& x = p.executes[e];
      std::int64_t bytes = 0;
      std::int64_t copies_bytes = 0;
      for (int i = x.first_access; i < x.first_access + x.accesses; ++i) {
        workspace_offset_[static_cast<std::size_t>(i)] = bytes;
        if (p.target.shared && has_own_buffer(i)) bytes += plan_.access[i].box_bytes;
        if (has_own_buffer(i)) copies_bytes = std::max(copies_bytes, row_major_bytes(x, i));
      }
      scratch_offset_[static_cast<std::size_t>(e)] = bytes;
      if (p.target.shared) bytes += scratch_bytes(p, x);
      workspace_bytes_ = std::max(workspace_bytes_, bytes);
      row_major_bytes_ = std::max(row_major_bytes_, copies_bytes);
    }
    row_major_offset_ = workspace_bytes_;
    workspace_bytes_ += row_major_bytes_;
    for (int k = 0; k < threads_; ++k) workspaces_.emplace_back(workspace_bytes_);
  }
  std::byte* workspace(int tile) const { return workspaces_[static_cast<std::size_t>(owner(tile))].data(); }

  /// The buffer of an access on a tile.
  std::byte* buffer(int access, int tile) const {
    program_view const& p = plan_.program;
    access_plan const& plan = plan_.access[access];
    if (plan.form == field_form::resident)
      return memory_.parameter_item(plan_.buffer_item(access)) +
             box_number(p, p.accesses[access], tile) * plan.box_bytes;
    if (plan.form == field_form::shared)
      return memory_.item(tile, plan_.buffer_item(access)) + box_number(p, p.accesses[access], tile) * plan.box_bytes;
    if (p.target.shared) return workspace(tile) + workspace_offset_[static_cast<std::size_t>(access)];
    return memory_.item(tile, plan_.buffer_item(access));
  }

  /// What a field covers, cut to the current lengths.
  region field_region(access_record const& a, int tile) const {
    region r = covered(plan_.program, a, tile);
    int const valid = plan_.program.tensors[a.tensor].valid;
    if (valid >= 0 && !r.empty()) r[0] = intersect(r[0], {0, lengths_[valid]});
    return r.empty() ? empty_region() : r;
  }

  void bind_field(field_binding& b, int access, int tile, region const& r, std::int64_t const* table) const {
    program_view const& p = plan_.program;
    access_record const& a = shown(access);
    tensor_record const& t = p.tensors[a.tensor];
    region const core = r.empty() ? r : core_of(p, a, tile);
    for (int d = 0; d < t.rank; ++d) {
      b.extent[d] = r[d].size();
      b.first[d] = a.kind == access_kind::gather && d == 0 ? 0 : r[d].first;
      b.tensor_extent[d] = t.extent[d];
      b.before[d] = core[d].first - r[d].first;
      b.after[d] = r[d].last - core[d].last;
    }
    if (r.empty()) return;
    if (is_view(p, a, plan_.access[access], tile)) {
      place const where = memory_.locate(a.tensor, tile, r);
      b.data = where.address(table);
      for (int d = 0; d < t.rank; ++d) b.stride[d] = where.stride[d] / bytes_of(t.type);
    } else {
      b.data = buffer(access, tile);
      std::ptrdiff_t step = 1;
      for (int d = t.rank - 1; d >= 0; --d) {
        b.stride[d] = step;
        step *= d == t.rank - 1 ? a.layout.row_step(b.extent[d]) : b.extent[d];
      }
    }
  }
  void bind_scratch(field_binding* fields, int execute, int tile) const {
    program_view const& p = plan_.program;
    kernel_record const& k = p.kernels[p.executes[execute].kernel];
    if (k.scratch_fields == 0) return;
    std::byte* data = p.target.shared ? workspace(tile) + scratch_offset_[static_cast<std::size_t>(execute)]
                                      : memory_.item(tile, plan_.scratch_item(execute));
    for (int f = 0; f < k.fields; ++f) {
      if (k.scratch_of_field[f] == 0) continue;
      fields[f].data = data;
      data += k.scratch_of_field[f];
    }
    if (k.workspace_field >= 0) fields[k.workspace_field].data = data;
  }

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
      for (int t = x.first_tile; t <= x.last_tile; t += x.stride)
        if (owner(t) == thread && runs_on(p, x, t) && !left_out(x, t)) tiles.push_back(t);
      if (tiles.empty()) continue;
      if (int const panels = largest_packed(x); panels >= 0)
        std::sort(tiles.begin(), tiles.end(), [&](int t, int u) {   // not stable_sort: clang warns of GCC 12's
          int const a = box_number(p, p.accesses[panels], t);
          int const b = box_number(p, p.accesses[panels], u);
          return a != b ? a < b : t < u;
        });
      std::int64_t const alignment = std::max(k.object_alignment, 8);
      std::int64_t const step = (k.object_bytes + alignment - 1) / alignment * alignment;
      objects_.emplace_back(step * static_cast<std::int64_t>(tiles.size()));
      std::byte* object = objects_.back().data();
      for (int t : tiles) {
        vertex_entry v;
        v.run = k.run;
        v.object = object;
        v.tile = t;
        v.execute = e;
        object += step;
        construct(v);
        v.first_before = static_cast<int>(actions.size());
        for (int i = x.first_access; i < x.first_access + x.accesses; ++i) {
          add_actions_before(x, i, t);
          v.rebinds |= swaps(shown(i).tensor) && is_view(p, shown(i), plan_.access[i], t);
        }
        v.before = static_cast<int>(actions.size()) - v.first_before;
        v.first_after = static_cast<int>(actions.size());
        for (int i = x.first_access; i < x.first_access + x.accesses; ++i)
          if (plan_.access[i].form == field_form::staged) add_scatter(i, t);
        v.after = static_cast<int>(actions.size()) - v.first_after;
        vertices.push_back(v);
      }
    }
  }

  void add_actions_before(execute_record const&, int access, int tile) {
    program_view const& p = plan_.program;
    access_record const& a = shown(access);
    tensor_record const& t = p.tensors[a.tensor];
    if (!has_own_buffer(access) || is_view(p, a, plan_.access[access], tile) || a.dir == direction::out) return;
    region const r = covered(p, a, tile);
    if (r.empty()) return;
    std::byte* const target = buffer(access, tile);
    exchange_action action;
    action.buffer = target;
    action.element_bytes = bytes_of(t.type);
    for (int d = 0; d < t.rank; ++d) action.extent[d] = r[d].size();
    bool const packs = !a.layout.is_row_major();
    std::byte* const rows = packs ? workspace(tile) + row_major_offset_ : target;
    auto const pack = [&] {
      action.what = exchange_action::kind::pack;
      action.buffer = target;
      action.source = rows;
      action.layout = a.layout;
      action.rows = r[0].size();
      action.cols = r[1].size();
      actions.push_back(action);
    };
    if (a.kind == access_kind::gather) {
      action.what = exchange_action::kind::gather;
      action.buffer = rows;
      action.tensor = a.tensor;
      action.index = a.index;
      action.index_block = block_of(p.tensors[a.index], tile);
      actions.push_back(action);
      if (packs) pack();
      return;
    }
    if (a.kind == access_kind::halo && a.edge == edge_rule::zero && !whole_of(t).contains(r)) {
      action.what = exchange_action::kind::zero;
      action.buffer = rows;
      action.bytes = r.volume() * bytes_of(t.type);
      actions.push_back(action);
    }
    region inside = r;
    for_each_piece(p, a, tile, [&](piece const& part) {
      // In the field, the piece lies at part.at; in row-major memory of the field's box, at those coordinates.
      region placed;
      for (int d = 0; d < t.rank; ++d) placed[d] = {part.at[d], part.at[d] + part.source[d].size()};
      if (a.edge == edge_rule::clamp) inside = placed;
      memory_.for_each_owner(a.tensor, tile, part.source, [&](int owner_tile, region const& owned) {
        exchange_action move;
        place outside;
        outside.base = rows;
        region all, moved;
        for (int d = 0; d < t.rank; ++d) {
          all[d] = {0, r[d].size()};
          int const shift = part.at[d] - part.source[d].first;
          moved[d] = {owned[d].first + shift, owned[d].last + shift};
        }
        move.move = transfer_of(p, a.tensor, memory_.locate(a.tensor, owner_tile, owned), moved, outside, all, false);
        actions.push_back(move);
      });
    });
    if (a.kind == access_kind::halo && a.edge == edge_rule::clamp && !whole_of(t).contains(r)) {
      action.what = exchange_action::kind::clamp;
      action.buffer = rows;
      action.inside = inside;
      actions.push_back(action);
    }
    if (packs) pack();
  }

  void add_scatter(int access, int tile) {
    program_view const& p = plan_.program;
    access_record const& a = p.accesses[access];
    region const r = covered(p, a, tile);
    memory_.for_each_owner(a.tensor, tile, r, [&](int owner_tile, region const& owned) {
      exchange_action move;
      place outside;
      outside.base = buffer(access, tile);
      move.move = transfer_of(p, a.tensor, memory_.locate(a.tensor, owner_tile, owned), owned, outside, r, true);
      actions.push_back(move);
    });
  }

  /// Calls visit(pack, box) once for each distinct box of a shared or resident access.
  template <class Visit>
  void for_each_box(execute_record const& e, int access, Visit&& visit) const {
    program_view const& p = plan_.program;
    access_record const& a = shown(access);
    std::vector<bool> seen(static_cast<std::size_t>(distinct_boxes(p, a)), false);
    for (int t = e.first_tile; t <= e.last_tile; t += e.stride) {
      region const r = covered(p, a, t);
      if (r.empty() || !runs_on(p, e, t)) continue;
      auto const number = static_cast<std::size_t>(box_number(p, a, t));
      if (seen[number]) continue;
      seen[number] = true;
      pack_entry pack;
      if (plan_.access[access].form == field_form::shared) pack.source = memory_.locate(a.tensor, t, r);
      pack.buffer = buffer(access, t);
      pack.layout = a.layout;
      pack.rows = r[0].size();
      pack.cols = r[1].size();
      pack.first = 0;
      pack.last = runtime_detail::panel_count(a.layout, pack.rows, pack.cols);
      pack.element_bytes = bytes_of(p.tensors[a.tensor].type);
      visit(pack, r);
    }
  }

  /// A thread's share of the shared buffers of a compute set: an equal part of all panels of all boxes.
  void add_packing(step_record const& s, int thread) {
    program_view const& p = plan_.program;
    for (int e = s.first; e < s.first + s.count; ++e)
      for (int i = p.executes[e].first_access; i < p.executes[e].first_access + p.executes[e].accesses; ++i) {
        if (plan_.access[i].form != field_form::shared) continue;
        int total = 0;
        for_each_box(p.executes[e], i, [&](pack_entry const& pack, region const&) { total += pack.last; });
        span const share = block_span(total, threads_, thread);
        int before = 0;
        for_each_box(p.executes[e], i, [&](pack_entry pack, region const&) {
          int const panels = pack.last;
          span const mine = intersect(share, {before, before + panels});
          if (!mine.empty()) {
            pack.first = mine.first - before;
            pack.last = mine.last - before;
            packing.push_back(pack);
          }
          before += panels;
        });
      }
  }

  void add_copies(step_record const& s, int thread) {
    program_view const& p = plan_.program;
    access_record const& source = p.accesses[s.first];
    access_record const& target = p.accesses[s.first + 1];
    bool const once = p.target.shared && p.tensors[target.tensor].map.replicated;
    for (int t = 0; t < p.target.tiles; ++t) {
      if (owner(t) != thread || (once && t != 0)) continue;
      region const r = block_of(p.tensors[target.tensor], t);
      if (r.empty()) continue;
      memory_.for_each_owner(source.tensor, t, r, [&](int owner_tile, region const& owned) {
        transfer m;
        m.from = memory_.locate(source.tensor, owner_tile, owned);
        m.to = memory_.locate(target.tensor, t, owned);
        for (int d = 0; d < p.tensors[source.tensor].rank; ++d) m.n[d] = owned[d].size();
        m.element_bytes = bytes_of(p.tensors[source.tensor].type);
        m.collapse();
        copies.push_back(m);
      });
    }
  }

  plan_view plan_;
  storage& memory_;
  int threads_;
  bool cyclic_;
  int const* lengths_;
  std::vector<bool> swaps_;
  std::vector<access_record> narrowed_;   ///< only where a fault is planted
  std::vector<std::int64_t> workspace_offset_;
  std::vector<std::int64_t> scratch_offset_;
  std::int64_t workspace_bytes_ = 0;
  std::int64_t row_major_bytes_ = 0;
  std::int64_t row_major_offset_ = 0;
  std::vector<arena> workspaces_;
  std::vector<arena> objects_;
  std::vector<slice> vertex_range_, copy_range_, pack_range_;
};

TESSERA_ISA_END
}  // namespace tessera

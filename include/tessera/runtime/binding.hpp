// SPDX-License-Identifier: Apache-2.0
// Bindings: where the fields of a vertex are. A field is a view of its tensor's memory or a buffer: in the tile's arena
// where memory is private; where it is shared, in the arena if tiles share it, else in the workspace of the thread that
// runs the tile, which holds what one vertex at a time needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <tessera/base/config.hpp>
#include <tessera/plan/fault.hpp>
#include <tessera/runtime/storage.hpp>

namespace tessera {
TESSERA_ISA_BEGIN

/// Addresses of fields, buffers and scratch.
class bindings {
 public:
  /// @param cyclic   tile t belongs to thread t mod threads, instead of each thread having a run of tiles
  /// @param lengths  the current run-time lengths; must outlive this object
  bindings(plan_view const& plan, storage& memory, int threads, bool cyclic, int const* lengths)
      : plan_(plan), memory_(memory), threads_(threads), cyclic_(cyclic), lengths_(lengths) {
    if constexpr (planted_fault == 3) {
      program_view const& p = plan.program;
      narrowed_.assign(p.accesses, p.accesses + p.access_count);
      for (access_record& a : narrowed_)
        for (dim_rule& rule : a.dim) rule.radius = static_cast<std::int8_t>(rule.radius > 0 ? rule.radius - 1 : 0);
    }
    plan_workspaces();
  }

  plan_view const& plan() const { return plan_; }
  storage& memory() const { return memory_; }
  int threads() const { return threads_; }
  /// The thread that a tile belongs to.
  int owner(int tile) const {
    int const tiles = plan_.program.target.tiles;
    return cyclic_ ? tile % threads_ : block_holding(tiles, std::min(threads_, tiles), tile);
  }

  /// What an access shows on tiles: the program's, unless a fault is planted.
  access_record const& shown(int access) const {
    if constexpr (planted_fault == 3) return narrowed_[static_cast<std::size_t>(access)];
    else return plan_.program.accesses[access];
  }
  /// Whether an access has a buffer of the tile's own.
  bool has_own_buffer(int access) const {
    field_form const form = plan_.access[access].form;
    return form == field_form::gathered || form == field_form::bordered || form == field_form::staged;
  }
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

  /// Row-major memory for a box that is packed into the buffer of an access next.
  std::byte* row_major_copy(int tile) const { return workspace(tile) + row_major_offset_; }

  /// Points the fields of an execute's vertex on a tile at where they are now.
  /// @return whether it has something to write with the current lengths
  bool bind(void* object, int execute, int tile, std::int64_t const* table) const {
    program_view const& p = plan_.program;
    execute_record const& e = p.executes[execute];
    field_binding fields[max_fields];
    bool writes = false;
    for (int i = e.first_access; i < e.first_access + e.accesses; ++i) {
      access_record const& a = shown(i);
      region const r = field_region(a, tile);
      if (a.dir != direction::in && !r.empty()) writes = true;
      bind_field(fields[a.field], i, tile, r, table);
    }
    bind_scratch(fields, execute, tile);
    p.kernels[e.kernel].bind(object, fields);
    return writes;
  }

  /// What an execute's vertex on a tile has to do with the current lengths.
  work work_of(int execute, int tile) const {
    program_view const& p = plan_.program;
    execute_record const& e = p.executes[execute];
    region fields[max_fields];
    for (region& r : fields) r = empty_region();
    bool writes = false;
    for (int i = e.first_access; i < e.first_access + e.accesses; ++i) {
      access_record const& a = p.accesses[i];
      fields[a.field] = field_region(a, tile);
      writes |= a.dir != direction::in && !fields[a.field].empty();
    }
    return writes ? p.kernels[e.kernel].cost(fields) : work{};
  }

  /// Workspace of each thread, in bytes.
  std::int64_t workspace_bytes() const { return workspace_bytes_; }

 private:
  /// Every thread's workspace holds what one vertex at a time needs; offsets of buffers in it, by access.
  void plan_workspaces() {
    program_view const& p = plan_.program;
    workspace_offset_.resize(static_cast<std::size_t>(p.access_count));
    scratch_offset_.resize(static_cast<std::size_t>(p.execute_count));
    for (int e = 0; e < p.execute_count; ++e) {
      execute_record const& x = p.executes[e];
      std::int64_t bytes = 0;
      std::int64_t copies_bytes = 0;
      for (int i = x.first_access; i < x.first_access + x.accesses; ++i) {
        workspace_offset_[static_cast<std::size_t>(i)] = bytes;
        if (p.target.shared && has_own_buffer(i)) bytes += plan_.access[i].box_bytes;
        // No layout takes less than the row-major one.
        bool const packs = has_own_buffer(i) && !p.accesses[i].layout.is_row_major();
        if (packs) copies_bytes = std::max(copies_bytes, plan_.access[i].box_bytes);
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

  plan_view plan_;
  storage& memory_;
  int threads_;
  bool cyclic_;
  int const* lengths_;
  std::vector<access_record> narrowed_;   ///< only where a fault is planted
  std::vector<std::int64_t> workspace_offset_;
  std::vector<std::int64_t> scratch_offset_;
  std::int64_t workspace_bytes_ = 0;
  std::int64_t row_major_bytes_ = 0;
  std::int64_t row_major_offset_ = 0;
  std::vector<arena> workspaces_;
};

TESSERA_ISA_END
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Exchange: what fills the buffers of fields before vertices run, and empties those of outputs afterwards. Actions are
// made when an engine is built; a run performs them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <tessera/base/config.hpp>
#include <tessera/base/error.hpp>
#include <tessera/runtime/binding.hpp>

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

/// Appends what fills the buffer of an input or inout on a tile; nothing where the field is a view.
inline void exchange_before(bindings const& fields, int access, int tile, std::vector<exchange_action>& actions) {
  program_view const& p = fields.plan().program;
  access_record const& a = fields.shown(access);
  tensor_record const& t = p.tensors[a.tensor];
  if (!fields.has_own_buffer(access) || is_view(p, a, fields.plan().access[access], tile) || a.dir == direction::out) return;
  region const r = covered(p, a, tile);
  if (r.empty()) return;
  std::byte* const target = fields.buffer(access, tile);
  exchange_action action;
  action.buffer = target;
  action.element_bytes = bytes_of(t.type);
  for (int d = 0; d < t.rank; ++d) action.extent[d] = r[d].size();
  bool const packs = !a.layout.is_row_major();
  std::byte* const rows = packs ? fields.row_major_copy(tile) : target;
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
    for (owned_parts parts(p, a.tensor, tile, part.source); parts.next();) {
      region const& owned = parts.part;
      exchange_action move;
      place outside;
      outside.base = rows;
      region all, moved;
      for (int d = 0; d < t.rank; ++d) {
        all[d] = {0, r[d].size()};
        int const shift = part.at[d] - part.source[d].first;
        moved[d] = {owned[d].first + shift, owned[d].last + shift};
      }
      move.move =
          transfer_of(p, a.tensor, fields.memory().locate(a.tensor, parts.owner, owned), moved, outside, all, false);
      actions.push_back(move);
    }
  });
  if (a.kind == access_kind::halo && a.edge == edge_rule::clamp && !whole_of(t).contains(r)) {
    action.what = exchange_action::kind::clamp;
    action.buffer = rows;
    action.inside = inside;
    actions.push_back(action);
  }
  if (packs) pack();
}

/// Appends what scatters the buffer of an output or inout from a tile to the tiles that own its elements.
inline void exchange_after(bindings const& fields, int access, int tile, std::vector<exchange_action>& actions) {
  program_view const& p = fields.plan().program;
  access_record const& a = p.accesses[access];
  region const r = covered(p, a, tile);
  for (owned_parts parts(p, a.tensor, tile, r); parts.next();) {
    exchange_action move;
    place outside;
    outside.base = fields.buffer(access, tile);
    move.move = transfer_of(p, a.tensor, fields.memory().locate(a.tensor, parts.owner, parts.part), parts.part, outside,
                            r, true);
    actions.push_back(move);
  }
}

/// The packing of the whole box that a shared or resident access covers on a tile.
[[gnu::noinline]] inline pack_entry box_packing(bindings const& fields, int access, int tile) {
  program_view const& p = fields.plan().program;
  access_record const& a = fields.shown(access);
  region const r = covered(p, a, tile);
  pack_entry pack;
  if (fields.plan().access[access].form == field_form::shared) pack.source = fields.memory().locate(a.tensor, tile, r);
  pack.buffer = fields.buffer(access, tile);
  pack.layout = a.layout;
  pack.rows = r[0].size();
  pack.cols = r[1].size();
  pack.first = 0;
  pack.last = runtime_detail::panel_count(a.layout, pack.rows, pack.cols);
  pack.element_bytes = bytes_of(p.tensors[a.tensor].type);
  return pack;
}

/// The first tile of each distinct box of a shared or resident access.
[[gnu::noinline]] inline std::vector<int> tiles_with_boxes(bindings const& fields, execute_record const& e, int access) {
  program_view const& p = fields.plan().program;
  access_record const& a = fields.shown(access);
  std::vector<int> tiles;
  std::vector<char> seen(static_cast<std::size_t>(distinct_boxes(p, a)), 0);
  for (int t = e.first_tile; t <= e.last_tile; t += e.stride) {
    if (covered(p, a, t).empty() || !runs_on(p, e, t)) continue;
    char& known = seen[static_cast<std::size_t>(box_number(p, a, t))];
    if (known == 0) tiles.push_back(t);
    known = 1;
  }
  return tiles;
}

namespace runtime_detail {

/// Fills what lies outside of a.inside with the nearest element that is there, innermost dimension first.
inline void clamp(exchange_action const& a) {
  std::ptrdiff_t stride[max_rank];
  std::ptrdiff_t step = a.element_bytes;
  for (int d = max_rank - 1; d >= 0; --d) {
    stride[d] = step;
    step *= a.extent[d];
  }
  region filled = a.inside;
  for (int d = max_rank - 1; d >= 0; --d) {
    region slab = filled;
    for (int i = 0; i < a.extent[d]; ++i) {
      if (i >= filled[d].first && i < filled[d].last) continue;
      int const nearest = i < filled[d].first ? filled[d].first : filled[d].last - 1;
      transfer m;
      m.element_bytes = a.element_bytes;
      for (int e = 0; e < max_rank; ++e) {
        m.from.stride[e] = m.to.stride[e] = stride[e];
        m.n[e] = e == d ? 1 : slab[e].size();
        m.from.offset += (e == d ? nearest : slab[e].first) * stride[e];
        m.to.offset += (e == d ? i : slab[e].first) * stride[e];
      }
      m.from.base = m.to.base = a.buffer;
      m.collapse();
      m.apply(nullptr);
    }
    filled[d] = {0, a.extent[d]};
  }
}

[[gnu::cold, noreturn]] inline void refuse_index(exchange_action const& a, program_view const& p, int tile, int i,
                                                  std::int64_t row) {
  tensor_record const& t = p.tensors[a.tensor];
  char const* const name = p.tensors[a.index].name;
  throw run_error("tessera: " + std::string(name) + "[" + std::to_string(a.index_block[0].first + i) + "] is " +
                      std::to_string(row) + ", but " + t.name + " has rows 0 to " + std::to_string(t.extent[0] - 1),
                  name, tile);
}

inline void gather(exchange_action const& a, program_view const& p, storage const& memory, int tile,
                   std::int64_t const* table) {
  tensor_record const& t = p.tensors[a.tensor];
  tensor_record const& index = p.tensors[a.index];
  std::byte const* indices = memory.locate(a.index, tile, a.index_block).address(table);
  region all;
  for (int d = 0; d < t.rank; ++d) all[d] = {0, a.extent[d]};
  for (int i = 0; i < a.extent[0]; ++i, indices += bytes_of(index.type)) {
    std::int64_t row = 0;
    if (index.type == element::int32) {
      std::int32_t narrow = 0;
      std::memcpy(&narrow, indices, sizeof narrow);
      row = narrow;
    } else {
      std::memcpy(&row, indices, sizeof row);
    }
    if (row < 0 || row >= t.extent[0]) refuse_index(a, p, tile, i, row);
    region wanted = whole_of(t);
    wanted[0] = {static_cast<int>(row), static_cast<int>(row) + 1};
    for (owned_parts parts(p, a.tensor, tile, wanted); parts.next();) {
      region placed = parts.part;
      placed[0] = {i, i + 1};
      place outside;
      outside.base = a.buffer;
      transfer_of(p, a.tensor, memory.locate(a.tensor, parts.owner, parts.part), placed, outside, all, false).apply(table);
    }
  }
}

}  // namespace runtime_detail

/// Performs an action of a tile.
inline void perform(exchange_action const& a, program_view const& p, storage const& memory, int tile,
                  std::int64_t const* table) {
  switch (a.what) {
    case exchange_action::kind::move: a.move.apply(table); break;
    case exchange_action::kind::zero: std::memset(a.buffer, 0, static_cast<std::size_t>(a.bytes)); break;
    case exchange_action::kind::clamp: runtime_detail::clamp(a); break;
    case exchange_action::kind::pack:
      runtime_detail::pack(a.layout, a.buffer, a.source, std::ptrdiff_t{a.cols} * a.element_bytes, a.rows, a.cols, 0,
                   runtime_detail::panel_count(a.layout, a.rows, a.cols), a.element_bytes);
      break;
    case exchange_action::kind::gather: runtime_detail::gather(a, p, memory, tile, table); break;
  }
}

TESSERA_ISA_END
}  // namespace tessera

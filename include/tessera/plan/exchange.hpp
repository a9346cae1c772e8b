// SPDX-License-Identifier: Apache-2.0
// Exchange: how each field gets its elements. On a shared-memory machine a field whose elements already lie as it wants
// them is a view; what several tiles want packed is packed once, by its sharers together.
//
//   halo<1>(u) on host  ->  view        cols(b) into input<float, 2, panels<16>>  ->  shared, one box a grid column
#pragma once

#include <tessera/base/config.hpp>
#include <tessera/plan/summary.hpp>
#include <tessera/program/geometry.hpp>

namespace tessera {
TESSERA_ISA_BEGIN   // engines call these at run time

/// Where a field's elements come from, or go to.
enum class field_form : std::uint8_t {
  view,      ///< the tensor's own memory
  bordered,  ///< a view where the box lies inside the tensor, a buffer where an edge rule fills
  gathered,  ///< a buffer of the tile's own, filled by the tile just before its vertex runs
  shared,    ///< one buffer for each distinct box, filled by its sharers together, then a barrier
  resident,  ///< like shared, filled once when a parameter is loaded
  staged     ///< a buffer of the tile's own that an output (inout: also filled before) is scattered from afterwards
};

/// The exchange of one access.
struct access_plan {
  field_form form = field_form::view;
  int boxes = 0;                ///< distinct buffers: for shared and resident one a distinct box, else one a tile
  std::int64_t box_bytes = 0;   ///< bytes of the largest of them, a multiple of 64; 0 where there is no buffer
};

template <record_counts N>
struct exchange_plan {
  access_plan access[N.accesses + 1];
};

/// The number of the distinct box that an access covers on a tile: boxes are equal where the grid coordinates that the
/// access looks at are.
[[gnu::noinline]] constexpr int box_number(program_view const& p, access_record const& a, int tile_index) {
  tensor_record const& by = p.tensors[a.by];
  int number = 0;
  for (int d = 0; d < max_rank; ++d) {
    bool used = false;
    for (int e = 0; e < p.tensors[a.tensor].rank; ++e) used |= a.dim[e].from == d && a.dim[e].fixed < 0;
    if (used) number = number * by.map.grid[d] + by.map.coordinate(tile_index, d);
  }
  return number;
}

/// How many distinct boxes an access has.
constexpr int distinct_boxes(program_view const& p, access_record const& a) {
  tensor_record const& by = p.tensors[a.by];
  int boxes = 1;
  for (int d = 0; d < max_rank; ++d) {
    bool used = false;
    for (int e = 0; e < p.tensors[a.tensor].rank; ++e) used |= a.dim[e].from == d && a.dim[e].fixed < 0;
    if (used) boxes *= by.map.grid[d];
  }
  return boxes;
}

/// Bytes of a buffer that holds a box of these extents in the field's layout, a multiple of 64.
constexpr std::int64_t buffer_bytes(tensor_record const& t, layout_record layout, int const (&extent)[max_rank]) {
  std::int64_t elements = 1;
  for (int d = 0; d < t.rank; ++d) elements *= extent[d];
  if (elements == 0) return 0;
  if (!layout.is_row_major()) {
    int const rows = extent[t.rank - 2];
    int const cols = extent[t.rank - 1];
    elements = elements / (std::int64_t{rows} * cols) * layout.size(rows, cols);
  }
  return (elements * bytes_of(t.type) + 63) / 64 * 64;
}

/// Bytes of the buffer that holds what an access covers on a tile, in the field's layout, a multiple of 64.
constexpr std::int64_t buffer_bytes(program_view const& p, access_record const& a, int tile_index) {
  tensor_record const& t = p.tensors[a.tensor];
  region const r = covered(p, a, tile_index);
  int extent[max_rank] = {};
  for (int d = 0; d < max_rank; ++d) extent[d] = r[d].size();
  return buffer_bytes(t, a.layout, extent);
}

TESSERA_ISA_END
namespace detail {

/// The most that a span of a halo, band or block has: blocks of ceil(extent / parts) elements, `radius` on either side.
/// With rest 1 only the last block has that many, and no halo behind it; with two parts every block is at an edge.
constexpr int largest_span(int extent, int parts, int radius, bool clipped, int limit) {
  int const small = extent / parts;
  int const large = (extent + parts - 1) / parts;
  if (!clipped) return large + 2 * radius;
  int most = large + (parts > 1 ? radius : 0);
  int const interior = parts < 3 ? 0 : (extent % parts == 1 ? small : large) + 2 * radius;
  if (interior > most) most = interior;
  return most < limit ? most : limit;
}

/// The most rows that a window meets for any block of pixels.
constexpr int largest_window(window_rule const& window, int extent, int parts) {
  int most = 0;
  for (int i = 0; i < parts; ++i) {
    span const own = block_span(extent, parts, i);
    if (int const size = own.empty() ? 0 : window.of(own).size(); size > most) most = size;
  }
  return most;
}

/// The extents of the largest box that an access covers on any tile; at least that in closed form, for any access but
/// `at`.
constexpr void largest_extents(program_view const& p, access_record const& a, int (&extent)[max_rank]) {
  tensor_record const& t = p.tensors[a.tensor];
  tensor_record const& by = p.tensors[a.by];
  for (int d = 0; d < t.rank; ++d) {
    dim_rule const& rule = a.dim[d];
    extent[d] = t.extent[d];
    if (a.kind == access_kind::window && d == 0) {
      extent[d] = largest_window(a.window, by.extent[0], by.map.grid[0]);
    } else if (rule.from >= 0) {
      extent[d] = largest_span(by.extent[rule.from], by.map.grid[rule.from], rule.radius,
                               a.edge == edge_rule::clip && a.kind == access_kind::halo, t.extent[d]);
    }
  }
}

}  // namespace detail
TESSERA_ISA_BEGIN

/// The largest buffer of an access over the tiles of an execute. `at` functions are asked about every tile, unless
/// their summaries are at hand.
constexpr std::int64_t largest_buffer(program_view const& p, execute_record const& e, access_record const& a,
                                      at_summary const* summary = nullptr) {
  tensor_record const& t = p.tensors[a.tensor];
  int extent[max_rank] = {1, 1, 1, 1};
  if (a.kind != access_kind::at) {
    detail::largest_extents(p, a, extent);
    return buffer_bytes(t, a.layout, extent);
  }
  if (summary != nullptr && a.layout.is_row_major()) return (summary->largest * bytes_of(t.type) + 63) / 64 * 64;
  std::int64_t most = 0;
  execute_tiles const range = range_of(p, e);
  detail::at_box box;
  for (int i = 0; i < range.count; ++i) {
    if (!box.read(a, t, range.tile_at(i), p.target.tiles)) continue;
    for (int d = 0; d < t.rank; ++d) extent[d] = box.last[d] - box.first[d];
    std::int64_t const bytes = buffer_bytes(t, a.layout, extent);
    if (bytes > most) most = bytes;
  }
  return most;
}

/// The form of one access of an execute.
constexpr field_form form_of(program_view const& p, execute_record const& e, access_record const& a) {
  tensor_record const& t = p.tensors[a.tensor];
  bool const own = (a.kind == access_kind::own && a.by == a.tensor) || t.map.replicated;
  bool const apart = a.layout.kind == layout_kind::padded && p.target.shared &&
                     rows_are_apart(std::int64_t{t.extent[t.rank - 1] + t.row_gap} * bytes_of(t.type));
  bool const plain = (a.layout.is_row_major() || apart) && a.kind != access_kind::gather;
  if (a.dir != direction::in)
    return p.target.shared || own ? field_form::view : field_form::staged;
  bool const filled = a.kind == access_kind::halo && a.edge != edge_rule::clip;   // beyond the tensor's edge
  if (t.parameter && p.target.shared && a.kind != access_kind::gather && a.kind != access_kind::at && !plain && !filled)
    return field_form::resident;
  bool written_here = false;   // the vertex itself writes elements of this tensor: its input keeps the old values
  for (int i = e.first_access; i < e.first_access + e.accesses; ++i)
    written_here |= p.accesses[i].tensor == a.tensor && p.accesses[i].dir != direction::in;
  if (plain && !written_here && (p.target.shared || own))
    return a.edge == edge_rule::clip || a.kind != access_kind::halo ? field_form::view : field_form::bordered;
  bool const sharable = p.target.shared && !written_here && a.kind != access_kind::gather &&
                        a.kind != access_kind::at && a.edge == edge_rule::clip;
  bool const several = sharable && distinct_boxes(p, a) < (e.last_tile - e.first_tile) / e.stride + 1;
  return several ? field_form::shared : field_form::gathered;
}

/// Whether a tile's field is a view of the tensor's own memory.
[[gnu::noinline]] constexpr bool is_view(program_view const& p, access_record const& a, access_plan const& plan,
                                         int tile_index) {
  if (plan.form == field_form::view) return true;
  if (plan.form != field_form::bordered) return false;
  return whole_of(p.tensors[a.tensor]).contains(covered(p, a, tile_index));
}

/// The exchange of a whole program. A gather on tiles is bounded by its index tensor's largest block. Where there are
/// `at` accesses on many tiles, their summaries (plan/summary.hpp) save walking over the tiles again.
template <record_counts N>
constexpr exchange_plan<N> plan_exchange(program_view const& p, at_summaries const& summaries = {}) {
  exchange_plan<N> plan;
  for (int i = 0; i < p.execute_count; ++i) {
    execute_record const& e = p.executes[i];
    for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
      access_record const& a = p.accesses[j];
      access_plan& out = plan.access[j];
      out.form = form_of(p, e, a);
      if (out.form == field_form::view) continue;
      bool const together = out.form == field_form::shared || out.form == field_form::resident;
      bool const known = a.kind == access_kind::at && summaries.count > 0;
      out.boxes = together ? distinct_boxes(p, a) : (e.last_tile - e.first_tile) / e.stride + 1;
      out.box_bytes = largest_buffer(p, e, a, known ? &summaries.of(j) : nullptr);
    }
  }
  return plan;
}

/// Tensors that something reads as they are, and not packed at load: an access, a gather's indices, a branch. Parameters
/// that are not among them need not be kept.
template <record_counts N>
struct unpacked_tensors {
  bool has[N.tensors + 1] = {};
};
template <record_counts N>
constexpr unpacked_tensors<N> find_unpacked(program_view const& p, exchange_plan<N> const& exchange) {
  unpacked_tensors<N> out;
  for (int i = 0; i < p.access_count; ++i) {
    if (exchange.access[i].form != field_form::resident) out.has[p.accesses[i].tensor] = true;
    if (p.accesses[i].kind == access_kind::gather) out.has[p.accesses[i].index] = true;
  }
  for (int s = 0; s < p.step_count; ++s)
    if (p.steps[s].tensor >= 0) out.has[p.steps[s].tensor] = true;
  return out;
}

TESSERA_ISA_END
}  // namespace tessera

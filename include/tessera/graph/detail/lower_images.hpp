// SPDX-License-Identifier: Apache-2.0
// Lowering of the operators on images. A result is split by pixels or by channels; of an image a tile reads the lines that
// its pixels' windows meet.
#pragma once

#include <tessera/codelets/convolution.hpp>
#include <tessera/codelets/winograd.hpp>
#include <tessera/graph/detail/record_writer.hpp>
#include <tessera/graph/images.hpp>

namespace tessera {
TESSERA_ISA_BEGIN
namespace isa_detail {

template <record_counts N, bool Store>
class image_lowering : public record_writer<N, Store> {
  using base = record_writer<N, Store>;

 protected:
  using base::access, base::addend_of, base::all, base::begin, base::block_cols, base::block_rows, base::cols;
  using base::finish, base::g_, base::grid_of_product, base::has_bias, base::machine_, base::map, base::number;
  using base::panels_of, base::product, base::records, base::rest_of_product, base::rows, base::window, base::workspace;

  constexpr image_lowering(graph const& g, machine const& m) : base(g, m) {}

  /// A convolution: 1 x 1 a product, groups channel by channel, 3 x 3 by Winograd's algorithm where that is faster, else a
  /// product whose left side is made on the way.
  constexpr void convolution(op_record const& op) {
    dims const filter = shape(op.operand[1]);
    filters(op, filter[2] * filter[3]);
    if (op.attribute[5] != 0)
      return product(op, {op_kind::matmul, function(op), has_bias(op), addend_of(op), false, true},
                     cols(op.operand[0]));
    if (op.attribute[3] > 1) return grouped(op);
    if (winograd_choice const choice = tiles_of(op); choice.tile != 0) return in_tiles(op, choice);
    int const taps = filter[2] * filter[3];
    tile_grid const grid = grid_of_product(rows(op.result), cols(op.result), filter[1] * taps);
    map(op.result, grid);
    begin({op.kind, function(op), has_bias(op), addend_of(op), false}, grid);
    window_numbers(op, filter[2], filter[3]);
    layout_record panels = panels_of(true);
    panels.taps = taps;
    window(0, op.operand[0], op.result, lines(op, filter[2]), all);
    access(1, op.operand[1], op.result, block_cols, all, panels);
    rest_of_product(op);
  }

  constexpr void pool(op_record const& op) {
    bool const adaptive = op.attribute[2] == detail::adaptive_pool;
    dims const in = shape(op.operand[0]);
    tile_grid const grid = pixels_grid(rows(op.result), cols(op.result));
    map(op.result, grid);
    begin({op.kind, op.attribute[2]}, grid);
    window_numbers(op, detail::first_of(op.attribute[1]), detail::second_of(op.attribute[1]));
    number(op.attribute[3] != 0 ? in[1] + detail::first_of(op.attribute[5]) : 0);
    number(op.attribute[3] != 0 ? in[2] + detail::second_of(op.attribute[5]) : 0);
    window_rule meets = lines(op, detail::first_of(op.attribute[1]));
    if (adaptive) meets.stride = meets.before = 0, meets.reach = in[1];   // the whole image
    window(0, op.operand[0], op.result, meets, block_cols);
    access(1, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }

  constexpr void group_norm(op_record const& op) {
    int const images = shape(op.result)[0], groups = op.attribute[0];
    int const parts = largest_divisor(images, machine_.tiles);
    tile_grid const grid{parts, largest_divisor(groups, machine_.tiles / parts)};
    map(op.result, grid);
    begin({op.kind}, grid);
    workspace(2 * cols(op.result) / grid.cols);
    number(rows(op.result) / images);
    number(cols(op.result) / groups);
    number(op.number[0]);
    access(0, op.operand[0], op.result, block_rows, block_cols);
    access(1, op.operand[1], op.result, block_cols, all);
    access(2, op.operand[2], op.result, block_cols, all);
    access(3, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }

  constexpr void move_channels(op_record const& op) {
    dims const s = shape(op.result);
    bool const to_planes = op.attribute[0] != 0;
    tile_grid const grid = rows_grid(machine_, rows(op.result));
    map(op.result, grid);
    begin({op.kind, to_planes}, grid);
    number(to_planes ? s[1] : s[3]);
    number(to_planes ? s[2] * s[3] : s[1] * s[2]);
    access(0, op.operand[0], op.result, all, all);
    access(1, op.result, op.result, block_rows, block_cols, row_major::record, direction::out);
    finish();
  }

 private:
  /// Sees the filter as a row for each result, of `taps` elements a channel: that changes nothing in memory, unless it is
  /// transformed at load.
  constexpr void filters(op_record const& op, int taps) {
    dims const filter = shape(op.operand[1]);
    if constexpr (Store) {
      tensor_record& t = records.tensors[op.operand[1]];
      t.extent[0] = filter[0];
      t.extent[1] = filter[1] * taps;
    }
  }
  /// Winograd's algorithm is for filters that are known at load, and that nothing else reads.
  constexpr winograd_choice tiles_of(op_record const& op) {
    dims const filter = shape(op.operand[1]), in = shape(op.operand[0]), out = shape(op.result);
    if (g_.use_winograd == winograd::off || !g_.nodes[op.operand[1]].parameter || filter[2] != 3 || filter[3] != 3) return {};
    if (op.attribute[0] != detail::packed_pair(1, 1) || op.attribute[1] != detail::packed_pair(1, 1)) return {};
    int readers = 0;
    for (op_record const& other : g_.ops)
      for (int k = 0; k < other.operands; ++k) readers += other.operand[k] == op.operand[1];
    if (readers > 1) return {};
    for (chosen const& c : chosen_)
      if (same(c.in, in) && same(c.out, out)) return c.choice;
    winograd_choice const choice =
        winograd_grid(machine_, {out[0], out[1], out[2], in[3], out[3]}, codelets::panel_width,
                      g_.use_winograd == winograd::tiles_of_2   ? 2
                      : g_.use_winograd == winograd::tiles_of_4 ? 4
                                                                : 0);
    chosen_[next_chosen_++ % most_chosen] = {in, out, choice};
    return choice;
  }
  static constexpr bool same(dims const& a, dims const& b) {
    for (int d = 0; d < 4; ++d)
      if (a.rank != 4 || a[d] != b[d]) return false;
    return true;
  }
  constexpr void in_tiles(op_record const& op, winograd_choice const& choice) {
    int const channels = shape(op.operand[0])[3], taps = codelets::transformed_taps(choice.tile);
    filters(op, taps);
    map(op.result, choice.grid);
    begin({op.kind, function(op), has_bias(op), addend_of(op), false, choice.tile}, choice.grid);
    window_numbers(op, 3, 3);
    workspace(codelets::winograd_workspace(choice.tile, channels));
    layout_record panels = panels_of(true);
    panels.taps = taps;
    window(0, op.operand[0], op.result, lines(op, 3), all);
    access(1, op.operand[1], op.result, block_cols, all, panels);
    rest_of_product(op);
  }

  static constexpr int function(op_record const& op) { return static_cast<int>(detail::function_of(op)); }
  constexpr dims shape(int node) const {
    dims const& s = g_.nodes[node].shape;
    return s.rank == 2 ? dims{s.dim[0], 1, 1, s.dim[1]} : s;   // a pixel for each image
  }

  constexpr void grouped(op_record const& op) {
    dims const in = shape(op.operand[0]), filter = shape(op.operand[1]), out = shape(op.result);
    int const groups = op.attribute[3], made = out[3], group_out = made / groups;
    tile_grid const grid = groups_grid(out[0] * out[1], groups, group_out);
    map(op.result, grid);
    begin({op.kind, function(op), has_bias(op), addend_of(op), true}, grid);
    window_numbers(op, filter[2], filter[3]);
    number(filter[1]);
    number(group_out);
    int const reach_x = (filter[3] - 1) * detail::second_of(op.attribute[1]) + 1;
    window_rule const meets = lines(op, filter[2]);
    workspace(codelets::grouped_workspace(meets.reach, reach_x, detail::second_of(op.attribute[0]), out[2], filter[1],
                                          (made + grid.cols - 1) / grid.cols));
    layout_record by_taps = col_major::record;
    by_taps.taps = filter[2] * filter[3];
    window(0, op.operand[0], op.result, meets, in[3] == made ? block_cols : all);
    access(1, op.operand[1], op.result, block_cols, all, by_taps);
    rest_of_product(op);
  }

  /// Blocks of at least eight lines, and as many parts of the groups as make sixteen tiles, if their channels still fill
  /// vectors.
  constexpr tile_grid groups_grid(int lines, int groups, int group_out) const {
    tile_grid grid{largest_divisor(lines, lines / 8 > machine_.tiles ? machine_.tiles : lines / 8), 1};
    for (int c = 2; c <= groups && grid.rows * grid.cols < 16 && grid.rows * c <= machine_.tiles; ++c)
      if (groups % c == 0 && groups / c * group_out % 16 == 0) grid.cols = c;
    return grid;
  }
  /// Pixels that are worked on one by one; few of them, in parts of the channels.
  constexpr tile_grid pixels_grid(int pixels, int channels) const {
    tile_grid grid = rows_grid(machine_, pixels);
    while (grid.rows * grid.cols < 16 && channels % (grid.cols * 32) == 0) grid.cols *= 2;
    return grid;
  }

  constexpr window_rule lines(op_record const& op, int kernel) const {
    dims const in = shape(op.operand[0]), out = shape(op.result);
    return {.width = out[2],
            .height = out[1],
            .in_width = in[2],
            .in_height = in[1],
            .stride = detail::first_of(op.attribute[0]),
            .before = detail::first_of(op.attribute[4]),
            .reach = (kernel - 1) * (op.kind == op_kind::pool ? 1 : detail::first_of(op.attribute[1])) + 1};
  }
  /// What codelets::image_windows is made of. Of a pool attribute 1 is the kernel; its taps are neighbours.
  constexpr void window_numbers(op_record const& op, int kernel_y, int kernel_x) {
    dims const in = shape(op.operand[0]), out = shape(op.result);
    bool const dilated = op.kind == op_kind::convolution;
    for (int n : {in[1], in[2], out[1], out[2], kernel_y, kernel_x}) number(n);
    for (int n : {detail::first_of(op.attribute[0]), detail::second_of(op.attribute[0])}) number(n);
    number(dilated ? detail::first_of(op.attribute[1]) : 1);
    number(dilated ? detail::second_of(op.attribute[1]) : 1);
    for (int n : {detail::first_of(op.attribute[4]), detail::second_of(op.attribute[4])}) number(n);
  }

  /// Choices so far: a network has few distinct shapes.
  struct chosen {
    dims in, out;
    winograd_choice choice;
  };
  static constexpr int most_chosen = 8;
  chosen chosen_[most_chosen];
  int next_chosen_ = 0;
};

}  // namespace isa_detail
TESSERA_ISA_END
}  // namespace tessera

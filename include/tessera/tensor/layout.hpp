// SPDX-License-Identifier: Apache-2.0
// Layouts: in which order a field's elements lie in memory. A tensor is row-major; a field that wants another order
// says so in its type, and the exchange phase produces it.
//
//   ts::input<float, 2, ts::panels<16>> b;    // (k, n)  ->  offset (n / 16) * rows * 16 + k * 16 + n % 16
#pragma once

#include <cstdint>

namespace tessera {

/// Which order a layout is.
enum class layout_kind : std::uint8_t { row_major, padded, col_major, panels, row_panels };

/// A layout as a value. `width` is the panel width, where there are panels. With `taps` above 1 columns are taken in
/// another order, in col_major and row_panels: column channel * taps + tap as if it were tap * channels + channel, which
/// is how the filters of a convolution, (channel, tap) in files, meet the elements of an image.
struct layout_record {
  layout_kind kind = layout_kind::row_major;
  int width = 1;
  int taps = 1;

  constexpr bool is_row_major() const { return kind == layout_kind::row_major; }
  /// Whether rows follow one another, with or without a gap: fields of such a layout have strides and rows.
  constexpr bool has_rows() const { return kind == layout_kind::row_major || kind == layout_kind::padded; }
  /// Elements from one row to the next in a buffer of `cols` columns.
  constexpr int row_step(int cols) const { return kind == layout_kind::padded ? cols + width : cols; }
  /// Elements that a rows x cols box occupies, padding included.
  constexpr std::int64_t size(int rows, int cols) const {
    switch (kind) {
      case layout_kind::panels: return std::int64_t{rows} * ((cols + width - 1) / width) * width;
      case layout_kind::row_panels: return std::int64_t{cols} * ((rows + width - 1) / width) * width;
      case layout_kind::padded: return std::int64_t{rows} * row_step(cols);
      default: return std::int64_t{rows} * cols;
    }
  }
  /// Which column a column is taken for.
  constexpr int taken_as(int cols, int col) const { return col % taps * (cols / taps) + col / taps; }
  /// Where element (row, col) of a rows x cols box lies.
  constexpr std::int64_t offset(int rows, int cols, int row, int col) const {
    switch (kind) {
      case layout_kind::row_major:
      case layout_kind::padded: return std::int64_t{row} * row_step(cols) + col;
      case layout_kind::col_major: return std::int64_t{taken_as(cols, col)} * rows + row;
      case layout_kind::panels: return (std::int64_t{col / width} * rows + row) * width + col % width;
      case layout_kind::row_panels: return (std::int64_t{row / width} * cols + taken_as(cols, col)) * width + row % width;
    }
    return 0;
  }
  friend constexpr bool operator==(layout_record, layout_record) = default;
};

/// Rows one after the other: the layout of every tensor.
struct row_major {
  static constexpr layout_record record{layout_kind::row_major, 1};
};
/// Rows one after the other, but not a multiple of 4 KiB apart: rows at such a distance share a few sets of a
/// first-level cache and evict each other. A view where the tensor's own rows are not; otherwise a copy with a gap.
struct padded {
  static constexpr layout_record record{layout_kind::padded, 16};
};
/// Whether rows of `row_bytes` are where `padded` wants them.
constexpr bool rows_are_apart(std::int64_t row_bytes) { return row_bytes % 4096 != 0; }
/// Columns one after the other: what a kernel wants that walks down columns, or reads a transposed matrix by rows.
struct col_major {
  static constexpr layout_record record{layout_kind::col_major, 1};
};
/// Panels of `Width` columns, each stored row by row, the last one padded with zeros: the right operand of a matrix
/// product as register-tile kernels want it (Goto and van de Geijn, "Anatomy of high-performance matrix
/// multiplication", ACM TOMS 34(3), 2008).
template <int Width>
struct panels {
  static constexpr layout_record record{layout_kind::panels, Width};
};
/// Panels of `Width` rows, each stored column by column, the last one padded with zeros: `panels` of the transpose.
template <int Width>
struct row_panels {
  static constexpr layout_record record{layout_kind::row_panels, Width};
};

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Transfers: a box of elements from one place in memory to another, possibly into another layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/base/config.hpp>
#include <tessera/tensor/layout.hpp>
#include <tessera/tensor/region.hpp>

namespace tessera {
TESSERA_ISA_BEGIN

/// Where a box begins and how its dimensions step. With a tensor the address follows the tensor's base, which a swap
/// may change; without one `base` is all.
struct place {
  std::byte* base = nullptr;       ///< of the tile's arena, or absolute
  int entry = -1;                  ///< index into the table of tensor offsets; -1: none
  std::ptrdiff_t offset = 0;       ///< bytes
  std::ptrdiff_t stride[max_rank] = {};  ///< bytes

  std::byte* address(std::int64_t const* table) const { return base + (entry >= 0 ? table[entry] : 0) + offset; }
};

/// One move of a box. Rows that are contiguous on both sides are moved at once.
struct transfer {
  place from;
  place to;
  int n[max_rank] = {1, 1, 1, 1};
  int element_bytes = 0;

  /// Makes the inner dimensions that are contiguous on both sides one.
  void collapse() {
    for (int d = max_rank - 1; d > 0; --d) {
      if (n[d] == 1) {   // the step of a single element does not matter
        from.stride[d] = element_run(d);
        to.stride[d] = element_run(d);
      }
    }
    run_ = element_bytes;
    inner_ = max_rank;
    while (inner_ > 0 && from.stride[inner_ - 1] == run_ && to.stride[inner_ - 1] == run_) run_ *= n[--inner_];
  }
  std::ptrdiff_t bytes() const {
    return std::ptrdiff_t{element_bytes} * n[0] * n[1] * n[2] * n[3];
  }
  [[gnu::noinline]] void apply(std::int64_t const* table) const {
    std::byte const* const source = from.address(table);
    std::byte* const target = to.address(table);
    int count[max_rank];
    for (int d = 0; d < max_rank; ++d) count[d] = d < inner_ ? n[d] : 1;
    for (int a = 0; a < count[0]; ++a)
      for (int b = 0; b < count[1]; ++b)
        for (int c = 0; c < count[2]; ++c)
          for (int d = 0; d < count[3]; ++d)
            std::memcpy(target + a * to.stride[0] + b * to.stride[1] + c * to.stride[2] + d * to.stride[3],
                        source + a * from.stride[0] + b * from.stride[1] + c * from.stride[2] + d * from.stride[3],
                        static_cast<std::size_t>(run_));
  }

 private:
  std::ptrdiff_t element_run(int d) const {
    std::ptrdiff_t run = element_bytes;
    for (int e = max_rank - 1; e > d; --e) run *= n[e];
    return run;
  }
  int inner_ = max_rank;
  std::ptrdiff_t run_ = 0;
};

namespace runtime_detail {

/// Rows of a matrix into panels of `width` columns; `width` elements of one row move at once.
inline void pack_panels(std::byte* to, std::byte const* from, std::ptrdiff_t row_bytes, int rows, int cols, int width,
                        int first_panel, int last_panel, int element_bytes) {
  std::ptrdiff_t const panel_row = std::ptrdiff_t{width} * element_bytes;
  for (int p = first_panel; p < last_panel; ++p) {
    int const present = cols - p * width < width ? cols - p * width : width;
    std::byte* out = to + std::ptrdiff_t{p} * rows * panel_row;
    std::byte const* in = from + p * panel_row;
    if (present == width && panel_row == 128) {
      for (int r = 0; r < rows; ++r, out += 128, in += row_bytes) std::memcpy(out, in, 128);
    } else if (present == width && panel_row == 64) {
      for (int r = 0; r < rows; ++r, out += 64, in += row_bytes) std::memcpy(out, in, 64);
    } else {
      auto const bytes = static_cast<std::size_t>(present) * static_cast<std::size_t>(element_bytes);
      for (int r = 0; r < rows; ++r, out += panel_row, in += row_bytes) {
        std::memcpy(out, in, bytes);
        std::memset(out + bytes, 0, static_cast<std::size_t>(panel_row) - bytes);
      }
    }
  }
}

/// A matrix of Size-byte elements, transposed: element (r, c) of `from` to row c, column r of `to`. In blocks of
/// columns, so that both sides stay in cache; steps are bytes from one row to the next.
template <std::size_t Size>
void transpose(std::byte* to, std::ptrdiff_t to_step, std::byte const* from, std::ptrdiff_t from_step, int rows,
               int cols) {
  constexpr int block = 16;
  for (int c0 = 0; c0 < cols; c0 += block) {
    int const c1 = c0 + block < cols ? c0 + block : cols;
    for (int r = 0; r < rows; ++r)
      for (int c = c0; c < c1; ++c)
        std::memcpy(to + c * to_step + r * std::ptrdiff_t{Size}, from + r * from_step + c * std::ptrdiff_t{Size}, Size);
  }
}
inline void transpose(std::byte* to, std::ptrdiff_t to_step, std::byte const* from, std::ptrdiff_t from_step, int rows,
                      int cols, int element_bytes) {
  switch (element_bytes) {
    case 8: return transpose<8>(to, to_step, from, from_step, rows, cols);
    case 4: return transpose<4>(to, to_step, from, from_step, rows, cols);
    case 2: return transpose<2>(to, to_step, from, from_step, rows, cols);
    default: return transpose<1>(to, to_step, from, from_step, rows, cols);
  }
}

/// The same where columns are taken in another order: column channel * taps + tap becomes row tap * channels + channel.
inline void transpose_taps(int taps, std::byte* to, std::ptrdiff_t to_step, std::byte const* from,
                           std::ptrdiff_t from_step, int rows, int cols, int element_bytes) {
  int const channels = cols / taps;
  auto const bytes = static_cast<std::size_t>(element_bytes);
  for (int channel = 0; channel < channels; ++channel)
    for (int tap = 0; tap < taps; ++tap) {
      std::byte* const row = to + (std::ptrdiff_t{tap} * channels + channel) * to_step;
      std::byte const* const column = from + (std::ptrdiff_t{channel} * taps + tap) * element_bytes;
      for (int r = 0; r < rows; ++r) std::memcpy(row + r * std::ptrdiff_t{element_bytes}, column + r * from_step, bytes);
    }
}

/// Panels [first, last) of a matrix in the layout a field wants; of padded, rows; col_major is one panel.
inline void pack(layout_record layout, std::byte* to, std::byte const* from, std::ptrdiff_t row_bytes, int rows,
                 int cols, int first, int last, int element_bytes) {
  std::ptrdiff_t const e = element_bytes;
  switch (layout.kind) {
    case layout_kind::panels:
      pack_panels(to, from, row_bytes, rows, cols, layout.width, first, last, element_bytes);
      break;
    case layout_kind::row_panels:
      for (int p = first; p < last; ++p) {
        int const present = rows - p * layout.width < layout.width ? rows - p * layout.width : layout.width;
        std::byte* const panel = to + std::ptrdiff_t{p} * cols * layout.width * e;
        if (present < layout.width)
          std::memset(panel, 0, static_cast<std::size_t>(cols) * static_cast<std::size_t>(layout.width * e));
        std::byte const* const rows_of_panel = from + std::ptrdiff_t{p} * layout.width * row_bytes;
        if (layout.taps > 1)
          transpose_taps(layout.taps, panel, layout.width * e, rows_of_panel, row_bytes, present, cols, element_bytes);
        else transpose(panel, layout.width * e, rows_of_panel, row_bytes, present, cols, element_bytes);
      }
      break;
    case layout_kind::col_major:
      if (layout.taps > 1) transpose_taps(layout.taps, to, rows * e, from, row_bytes, rows, cols, element_bytes);
      else transpose(to, rows * e, from, row_bytes, rows, cols, element_bytes);
      break;
    case layout_kind::padded: {
      std::ptrdiff_t const step = layout.row_step(cols) * e;
      for (int r = first; r < last; ++r)
        std::memcpy(to + r * step, from + r * row_bytes, static_cast<std::size_t>(cols * e));
      break;
    }
    case layout_kind::row_major: break;
  }
}

/// How many panels pack() has for a matrix.
inline int panel_count(layout_record layout, int rows, int cols) {
  switch (layout.kind) {
    case layout_kind::panels: return (cols + layout.width - 1) / layout.width;
    case layout_kind::row_panels: return (rows + layout.width - 1) / layout.width;
    case layout_kind::padded: return rows;
    default: return 1;
  }
}

}  // namespace runtime_detail
TESSERA_ISA_END
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Makes panels (gemm_kernel.hpp) of a matrix B, from either storage order and for any range of panels, so that several
// workers can pack one matrix together.
//
//   pack_panels(b, n, k, n, panels, 0, gemm_panels(n));               // b is (K, N), row-major
//   pack_transposed_panels(bt, k, k, n, panels, 0, gemm_panels(n));   // bt is (N, K), row-major: B transposed
#pragma once

#include <tessera/codelets/detail/gemm_kernel.hpp>
#include <tessera/simd/tail.hpp>
#include <tessera/simd/transpose.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets::detail {

/// Rows between a prefetch and its use: hardware does not follow short pieces of rows that are far apart.
inline constexpr int pack_ahead = 8;

/// Panels [first, last) of B = `from`, row-major.
/// @param from         (depth, columns), rows `from_stride` elements apart
/// @param panels       the whole packed matrix: gemm_packed_size(depth, columns) floats, of which panels [first, last)
///                     are written, padding columns as zero
inline void pack_panels(float const* from, std::ptrdiff_t from_stride, int depth, int columns, float* panels, int first,
                        int last) {
  constexpr int nr = gemm_tile.columns;
  constexpr int width = simd::lanes<float>;
  std::ptrdiff_t const panel_size = std::ptrdiff_t{depth} * nr;
  int const whole_panels = std::min(last, columns / nr);
  // A few panels side by side: long reads of each row, few streams of writes.
  constexpr int side_by_side = 4;
  for (int panel = first; panel < whole_panels; panel += side_by_side) {
    int const count = std::min(side_by_side, whole_panels - panel);
    float* const to = panels + panel * panel_size;
    for (int k = 0; k < depth; ++k) {
      float const* const row = from + k * from_stride + std::ptrdiff_t{panel} * nr;
      for (int p = 0; p < count; ++p) {
        for (int v = 0; v < nr; v += line_of_floats) simd::prefetch(row + pack_ahead * from_stride + p * nr + v);
        for (int v = 0; v < nr; v += width)
          simd::store(to + p * panel_size + std::ptrdiff_t{k} * nr + v, simd::load(row + p * nr + v));
      }
    }
  }
  if (first <= columns / nr && columns / nr < last && columns % nr != 0) {
    int const rest = columns % nr;
    float* const to = panels + (columns / nr) * panel_size;
    for (int k = 0; k < depth; ++k)
      for (int v = 0; v < nr; v += width) {
        int const count = std::clamp(rest - v, 0, width);
        float const* const row = from + k * from_stride + (columns - rest);
        simd::store(to + std::ptrdiff_t{k} * nr + v,
                    count == 0 ? simd::batch<float>(0.0f) : simd::load(row + v, count));
      }
  }
}

/// Panels [first, last) of B, given as its transpose.
/// @param from         (columns, depth), rows `from_stride` elements apart: row n is column n of B
/// @param panels       as in `pack_panels`
inline void pack_transposed_panels(float const* from, std::ptrdiff_t from_stride, int depth, int columns, float* panels,
                                   int first, int last) {
  constexpr int nr = gemm_tile.columns;
  constexpr int side = simd::transpose_side;
  static_assert(nr % side == 0);
  std::ptrdiff_t const panel_size = std::ptrdiff_t{depth} * nr;
  for (int panel = first; panel < last; ++panel) {
    float const* const rows = from + std::ptrdiff_t{panel} * nr * from_stride;
    float* const to = panels + panel * panel_size;
    int const present = std::min(nr, columns - panel * nr);
    if (present < nr) std::memset(to, 0, static_cast<std::size_t>(panel_size) * sizeof(float));
    int const whole_rows = present - present % side;
    int const whole_depth = depth - depth % side;
    for (int k = 0; k < whole_depth; k += side)
      for (int n = 0; n < whole_rows; n += side) {
        if (k % line_of_floats == 0)   // the same line of the next panel's rows
          for (int r = 0; r < side; ++r) simd::prefetch(rows + (nr + n + r) * from_stride + k);
        simd::transpose_square(rows + n * from_stride + k, from_stride, to + std::ptrdiff_t{k} * nr + n, nr);
      }
    for (int n = 0; n < present; ++n)
      for (int k = n < whole_rows ? whole_depth : 0; k < depth; ++k)
        to[std::ptrdiff_t{k} * nr + n] = rows[n * from_stride + k];
  }
}

}  // namespace codelets::detail
TESSERA_ISA_END
}  // namespace tessera

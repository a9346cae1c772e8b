// SPDX-License-Identifier: Apache-2.0
// The matrix product as a vertex: one block of C = A B. The right operand comes in panels, the exchange packs it.
//
//   ts::execute<ts::codelets::gemm>(ts::rows(a), ts::cols(b), c)        // a, b, c mapped by_blocks<8, 8>
#pragma once

#include <tessera/codelets/activation.hpp>
#include <tessera/codelets/detail/gemm_kernel.hpp>
#include <tessera/program/vertex.hpp>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// The width of the panels that this instruction set's register tile reads.
inline constexpr int panel_width = detail::gemm_tile.columns;

/// c (M, N) = a (M, K) · b (K, N), float, any sizes.
struct gemm {
  input<float, 2, padded> a;
  input<float, 2, panels<panel_width>> b;
  output<float, 2> c;
  TESSERA_FIELDS(gemm, a, b, c);

  static constexpr work cost(extents a, extents b, extents c) {
    return {2.0 * c.volume() * a.cols(), 4.0 * (a.volume() + b.volume() + c.volume())};
  }
  void compute() const {
    auto const left = unchecked(a);
    auto const out = unchecked(c);
    detail::gemm_block({.rows = c.rows(),
                        .columns = c.cols(),
                        .depth = a.cols(),
                        .a = left.data,
                        .a_stride = left.stride,
                        .b = unchecked(b).data,
                        .c = out.data,
                        .c_stride = out.stride,
                        .ahead = next_memory});
  }
};

/// c (M, N) += a (M, K) · b (K, N): one slice of a longer product.
struct gemm_add {
  input<float, 2, padded> a;
  input<float, 2, panels<panel_width>> b;
  inout<float, 2> c;
  TESSERA_FIELDS(gemm_add, a, b, c);

  static constexpr work cost(extents a, extents b, extents c) {
    return {2.0 * c.volume() * a.cols(), 4.0 * (a.volume() + b.volume() + 2 * c.volume())};
  }
  void compute() const {
    auto const left = unchecked(a);
    auto const out = unchecked(c);
    detail::gemm_block({.rows = c.rows(),
                        .columns = c.cols(),
                        .depth = a.cols(),
                        .a = left.data,
                        .a_stride = left.stride,
                        .b = unchecked(b).data,
                        .c = out.data,
                        .c_stride = out.stride,
                        .accumulate = true,
                        .ahead = next_memory});
  }
};

namespace detail {
/// What a product with these fields does to its sums, as the epilogue of gemm_block; see finished().
template <activation Function, bool Bias, addend Residual>
struct finish_of_product {
  unchecked_view<float const> biases, rest;

  finish_of_product(input<float, 2> const& bias, input<float, 2> const& residual)
      : biases(unchecked(bias)), rest(unchecked(residual)) {}
  TESSERA_INLINE simd::batch<float> operator()(simd::batch<float> sum, int row, int column, auto count) const {
    return finished<Function, Bias, Residual>(
        sum, [&] { return simd::load(biases.data + column, count); },
        [&] { return simd::load(rest.row(row) + column, count); });
  }
  /// What will be read of a block.
  void expect(int row, int rows, int column) const {
    if constexpr (Residual != addend::none)
      for (int r = row; r < row + rows; ++r)
        for (int line = 0; line < gemm_tile.columns; line += line_of_floats) simd::prefetch(rest.row(r) + column + line);
  }
};
}  // namespace detail

/// The product of graphs: c = function(a b + bias) + residual, each part where and when the template says so. A transposed left
/// operand is (K, M) and comes column-major, a transposed right operand is (N, K) and comes in row panels.
/// Weight: float or bf16, what b holds.
template <activation Function, bool Bias, addend Residual, bool TransposeA, bool TransposeB, class Weight = float>
struct dense {
  using left_layout = std::conditional_t<TransposeA, col_major, padded>;
  using right_layout = std::conditional_t<TransposeB, row_panels<panel_width>, panels<panel_width>>;
  input<float, 2, left_layout> a;
  input<Weight, 2, right_layout> b;
  input<float, 2> bias;      ///< (N, 1), one column
  input<float, 2> residual;  ///< (M, N)
  output<float, 2> c;
  TESSERA_FIELDS(dense, a, b, bias, residual, c);

  static constexpr work cost(extents a, extents b, extents, extents, extents c) {
    return {2.0 * c.volume() * (TransposeA ? a.rows() : a.cols()),
            4.0 * (a.volume() + c.volume()) + static_cast<double>(sizeof(Weight)) * b.volume()};
  }
  void compute() const {
    int const depth = TransposeA ? a.rows() : a.cols();
    auto const left = unchecked(a);
    auto const out = unchecked(c);
    detail::gemm_operands const operands{.rows = c.rows(),
                                         .columns = c.cols(),
                                         .depth = depth,
                                         .a = left.data,
                                         .a_stride = TransposeA ? depth : left.stride,
                                         .b = unchecked(b).data,
                                         .c = out.data,
                                         .c_stride = out.stride,
                                         .ahead = next_memory};
    detail::gemm_block<Weight>(operands, detail::finish_of_product<Function, Bias, Residual>(bias, residual));
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

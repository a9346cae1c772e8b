// SPDX-License-Identifier: Apache-2.0
// Normalisations of rows: layer norm, also of a sum, and L2.
//
//   y.row(i) = (x.row(i) - mean) / √(variance + eps) · weight + bias
#pragma once

#include <tessera/codelets/detail/row_kernels.hpp>
#include <tessera/program/vertex.hpp>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// Layer normalisation of every row of x (R, C) (Ba, Kiros, Hinton, "Layer normalization", 2016). With `vector` x and y
/// are (C, 1), one row that stands upright.
struct layer_norm {
  input<float, 2> x;
  input<float, 2> weight;  ///< (C, 1)
  input<float, 2> bias;    ///< (C, 1)
  output<float, 2> y;
  float eps = 1e-5f;
  bool vector = false;
  TESSERA_FIELDS(layer_norm, x, weight, bias, y, eps, vector);

  static constexpr work cost(extents x, extents, extents, extents) { return {8.0 * x.volume(), 8.0 * x.volume()}; }
  void configure(double const* number) {
    eps = static_cast<float>(number[0]);
    vector = number[1] != 0;
  }
  void compute() const {
    auto const in = unchecked(x);
    auto const out = unchecked(y);
    auto const rows = vector ? 1 : y.rows(), cols = vector ? y.rows() : y.cols();
    for (int r = 0; r < rows; ++r)
      detail::layer_norm_row(in.row(r), unchecked(weight).data, unchecked(bias).data, out.row(r), cols, eps);
  }
};

/// The same of x + addend, both (R, C), or with Vector both (C, 1): a residual connection and the norm behind it.
template <bool Vector = false>
struct layer_norm_of_sum {
  input<float, 2> x;
  input<float, 2> weight;  ///< (C, 1)
  input<float, 2> bias;    ///< (C, 1)
  input<float, 2> addend;
  output<float, 2> y;
  float eps = 1e-5f;
  TESSERA_FIELDS(layer_norm_of_sum, x, weight, bias, addend, y, eps);

  static constexpr work cost(extents x, extents, extents, extents, extents) {
    return {9.0 * x.volume(), 12.0 * x.volume()};
  }
  void configure(double const* number) { eps = static_cast<float>(number[0]); }
  void compute() const {
    auto const out = unchecked(y);
    auto const rows = Vector ? 1 : y.rows(), cols = Vector ? y.rows() : y.cols();
    for (int r = 0; r < rows; ++r) {
      // The row of y holds the sum until it is normalised, in place: it stays in the first-level cache.
      float const *const a = unchecked(x).row(r), *const b = unchecked(addend).row(r);
      float* const sum = out.row(r);
      simd::for_each_batch<float>(cols, [&](int j, auto count) {
        simd::store(sum + j, simd::load(a + j, count) + simd::load(b + j, count), count);
      });
      detail::layer_norm_row(sum, unchecked(weight).data, unchecked(bias).data, sum, cols, eps);
    }
  }
};

/// x / max(‖x‖₂, eps) of every row of x (R, C); `vector` as in layer_norm.
struct l2_normalize {
  input<float, 2> x;
  output<float, 2> y;
  float eps = 1e-12f;
  bool vector = false;
  TESSERA_FIELDS(l2_normalize, x, y, eps, vector);

  static constexpr work cost(extents x, extents) { return {3.0 * x.volume(), 8.0 * x.volume()}; }
  void configure(double const* number) {
    eps = static_cast<float>(number[0]);
    vector = number[1] != 0;
  }
  void compute() const {
    auto const in = unchecked(x);
    auto const out = unchecked(y);
    auto const rows = vector ? 1 : y.rows(), cols = vector ? y.rows() : y.cols();
    for (int r = 0; r < rows; ++r) detail::l2_normalize_row(in.row(r), out.row(r), cols, eps);
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

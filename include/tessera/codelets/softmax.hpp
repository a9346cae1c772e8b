// SPDX-License-Identifier: Apache-2.0
// Softmax: e^(x - max) / sum, along rows or across them.
#pragma once

#include <tessera/codelets/detail/row_kernels.hpp>
#include <tessera/program/vertex.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// Softmax of every row of x (R, C). With a mask (N, C) of int64, rows [n · shared, (n + 1) · shared) of the tensor
/// take part where row n of the mask is not 0; a row in which nothing takes part becomes zero. With `vector` x and y
/// are (C, 1), one row that stands upright.
template <bool Masked>
struct softmax_rows {
  input<float, 2> x;
  input<std::int64_t, 2> mask;
  output<float, 2> y;
  int shared = 1;
  bool vector = false;
  TESSERA_FIELDS(softmax_rows, x, mask, y, shared, vector);

  static constexpr work cost(extents x, extents, extents) { return {16.0 * x.volume(), 8.0 * x.volume()}; }
  void configure(double const* number) {
    shared = static_cast<int>(number[2]);
    vector = number[3] != 0;
  }
  void compute() const {
    auto const in = unchecked(x);
    auto const out = unchecked(y);
    int const n = vector ? y.rows() : y.cols();
    for (int r = 0; r < (vector ? 1 : y.rows()); ++r) {
      if constexpr (Masked) {
        std::int64_t const* const keep = unchecked(mask).row(y.tensor_row(r) / shared);
        for (int j = 0; j < n; ++j)
          out.row(r)[j] = keep[j] != 0 ? in.row(r)[j] : -std::numeric_limits<float>::infinity();
        detail::softmax_row(out.row(r), nullptr, out.row(r), n);
      } else {
        detail::softmax_row(in.row(r), nullptr, out.row(r), n);
      }
    }
  }
};

/// Softmax along a dimension that is not the last: x is groups of `axis` times `inner` elements, and each of the inner
/// positions of a group is a softmax of its own.
struct softmax_across {
  input<float, 2> x;
  output<float, 2> y;
  int axis = 1;
  int inner = 1;
  TESSERA_FIELDS(softmax_across, x, y, axis, inner);

  static constexpr work cost(extents x, extents) { return {16.0 * x.volume(), 8.0 * x.volume()}; }
  void configure(double const* number) {
    axis = static_cast<int>(number[0]);
    inner = static_cast<int>(number[1]);
  }
  void compute() const {
    auto const groups = y.size() / (std::ptrdiff_t{axis} * inner);
    for (std::ptrdiff_t g = 0; g < groups; ++g) {
      float const* const in = unchecked(x).data + g * axis * inner;
      float* const out = unchecked(y).data + g * axis * inner;
      simd::for_each_batch<float>(inner, [&](int i, auto count) {
        simd::batch<float> largest = simd::load(in + i, count);
        for (int a = 1; a < axis; ++a)
          largest = simd::max(largest, simd::load(in + std::ptrdiff_t{a} * inner + i, count));
        simd::batch<float> sum(0.0f);
        for (int a = 0; a < axis; ++a) {
          auto const e = simd::exp(simd::load(in + std::ptrdiff_t{a} * inner + i, count) - largest);
          sum = sum + e;
          simd::store(out + std::ptrdiff_t{a} * inner + i, e, count);
        }
        for (int a = 0; a < axis; ++a) {
          float* const at = out + std::ptrdiff_t{a} * inner + i;
          simd::store(at, simd::div(simd::load(at, count), sum), count);
        }
      });
    }
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

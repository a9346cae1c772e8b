// SPDX-License-Identifier: Apache-2.0
// Element-wise vertices: functions of one element, of two with broadcasting, and repetition along dimensions.
#pragma once

#include <tessera/codelets/activation.hpp>
#include <tessera/program/vertex.hpp>
#include <tessera/simd/tail.hpp>

#include <algorithm>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// y = function(x), element by element.
template <activation Function>
struct map_elements {
  input<float, 2> x;
  output<float, 2> y;
  TESSERA_FIELDS(map_elements, x, y);

  static constexpr work cost(extents x, extents) { return {10.0 * x.volume(), 8.0 * x.volume()}; }
  void compute() const {
    auto const in = unchecked(x);
    auto const out = unchecked(y);
    // Where rows follow one another without a gap they are one long row.
    bool const one = in.stride == y.cols() && out.stride == y.cols();
    int const rows = one ? 1 : y.rows();
    int const cols = one ? static_cast<int>(y.size()) : y.cols();
    for (int r = 0; r < rows; ++r)
      simd::for_each_batch<float>(cols, [&](int j, auto count) {
        simd::store(out.row(r) + j, apply<Function>(simd::load(in.row(r) + j, count)), count);
      });
  }
};

namespace detail {
/// A tensor of up to max_rank dimensions seen by rows of the last: where row r of the result begins in an operand whose
/// elements lie `stride` apart, 0 where the operand repeats.
struct broadcast_index {
  int extent[max_rank] = {1, 1, 1, 1};
  int stride[max_rank] = {};

  void configure(double const* extents, double const* strides) {
    for (int d = 0; d < max_rank; ++d) {
      extent[d] = static_cast<int>(extents[d]);
      stride[d] = static_cast<int>(strides[d]);
    }
  }
  std::ptrdiff_t row(int r) const {
    std::ptrdiff_t at = 0;
    for (int d = max_rank - 2; d >= 0; --d) {
      at += std::ptrdiff_t{r % extent[d]} * stride[d];
      r /= extent[d];
    }
    return at;
  }
  bool repeats() const { return stride[max_rank - 1] == 0; }
};
/// Lanes j … of a row, or its one element in all lanes.
TESSERA_INLINE simd::batch<float> load_repeated(float const* row, bool repeats, int j, auto count) {
  return repeats ? simd::broadcast(row[0]) : simd::load(row + j, count);
}
}  // namespace detail

/// y = a op b with NumPy's broadcasting; a and b are given completely. A vector is a column here, so that rows of the
/// result are rows of the tensor's last dimension only where there are two dimensions or more.
template <binary_kind Kind>
struct combine_elements {
  input<float, 2> a;
  input<float, 2> b;
  output<float, 2> y;
  detail::broadcast_index index_a;
  detail::broadcast_index index_b;
  TESSERA_FIELDS(combine_elements, a, b, y, index_a, index_b);

  static constexpr work cost(extents, extents, extents y) { return {1.0 * y.volume(), 12.0 * y.volume()}; }
  void configure(double const* number) {
    index_a.configure(number, number + max_rank);
    index_b.configure(number, number + 2 * max_rank);
  }
  static TESSERA_INLINE simd::batch<float> combine(simd::batch<float> const& l, simd::batch<float> const& r) {
    if constexpr (Kind == binary_kind::add) return l + r;
    else if constexpr (Kind == binary_kind::sub) return l - r;
    else if constexpr (Kind == binary_kind::mul) return l * r;
    else return simd::div(l, r);
  }
  void compute() const {
    float* const out = unchecked(y).data;
    // The block is whole rows of the matrix: walk it by rows of the last dimension, or parts of them for a vector.
    int const cols = index_a.extent[max_rank - 1];
    std::ptrdiff_t const first = std::ptrdiff_t{y.first_row()} * y.cols();
    for (std::ptrdiff_t done = 0; done < y.size();) {
      std::ptrdiff_t const at = first + done;
      int const row = static_cast<int>(at / cols), from = static_cast<int>(at % cols);
      int const n = static_cast<int>(std::min<std::ptrdiff_t>(cols - from, y.size() - done));
      float const* const l = unchecked(a).data + index_a.row(row) + (index_a.repeats() ? 0 : from);
      float const* const r = unchecked(b).data + index_b.row(row) + (index_b.repeats() ? 0 : from);
      simd::for_each_batch<float>(n, [&](int j, auto count) {
        simd::store(out + done + j,
                    combine(detail::load_repeated(l, index_a.repeats(), j, count),
                            detail::load_repeated(r, index_b.repeats(), j, count)),
                    count);
      });
      done += n;
    }
  }
};

/// y = x repeated along dimensions of extent 1; x is given completely.
struct expand {
  input<float, 2> x;
  output<float, 2> y;
  detail::broadcast_index index;
  TESSERA_FIELDS(expand, x, y, index);

  static constexpr work cost(extents, extents y) { return {0.0, 8.0 * y.volume()}; }
  void configure(double const* number) { index.configure(number, number + max_rank); }
  void compute() const {
    float* const out = unchecked(y).data;
    int const cols = index.extent[max_rank - 1];
    std::ptrdiff_t const first = std::ptrdiff_t{y.first_row()} * y.cols();
    for (std::ptrdiff_t done = 0; done < y.size();) {
      std::ptrdiff_t const at = first + done;
      int const row = static_cast<int>(at / cols), from = static_cast<int>(at % cols);
      int const n = static_cast<int>(std::min<std::ptrdiff_t>(cols - from, y.size() - done));
      float const* const in = unchecked(x).data + index.row(row) + (index.repeats() ? 0 : from);
      simd::for_each_batch<float>(n, [&](int j, auto count) {
        simd::store(out + done + j, detail::load_repeated(in, index.repeats(), j, count), count);
      });
      done += n;
    }
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

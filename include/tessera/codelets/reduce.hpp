// SPDX-License-Identifier: Apache-2.0
// Reductions over any set of dimensions, and means over runs of rows.
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/codelets/detail/row_kernels.hpp>
#include <tessera/codelets/kinds.hpp>
#include <tessera/program/vertex.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// y = reduction of x over some of its dimensions; x is given completely. Sums are taken in double.
template <reduce_kind Kind>
struct reduce {
  input<float, 2> x;
  output<float, 2> y;
  int extent[max_rank] = {1, 1, 1, 1};
  int gone = 0;  ///< the dimensions that disappear, as bits
  TESSERA_FIELDS(reduce, x, y, extent, gone);

  static constexpr work cost(extents x, extents) { return {1.0 * x.volume(), 4.0 * x.volume()}; }
  void configure(double const* number) {
    for (int d = 0; d < max_rank; ++d) extent[d] = static_cast<int>(number[d]);
    gone = static_cast<int>(number[max_rank]);
  }
  void compute() const {
    float* const out = unchecked(y).data;
    std::ptrdiff_t const first = std::ptrdiff_t{y.first_row()} * y.cols();
    for (std::ptrdiff_t i = 0; i < y.size(); ++i) out[i] = element(first + i);
  }

 private:
  bool is_gone(int d) const { return (gone >> d & 1) != 0; }
  /// Calls visit(x) for every element that result number `at` is made of.
  template <class Visit>
  void for_each_of(std::ptrdiff_t at, Visit visit) const {
    int first[max_rank], last[max_rank];
    for (int d = max_rank - 1; d >= 0; --d) {
      first[d] = is_gone(d) ? 0 : static_cast<int>(at % extent[d]);
      last[d] = is_gone(d) ? extent[d] : first[d] + 1;
      if (!is_gone(d)) at /= extent[d];
    }
    for (int a = first[0]; a < last[0]; ++a)
      for (int b = first[1]; b < last[1]; ++b)
        for (int c = first[2]; c < last[2]; ++c) {
          float const* const row =
              unchecked(x).data + ((std::ptrdiff_t{a} * extent[1] + b) * extent[2] + c) * std::ptrdiff_t{extent[3]};
          for (int d = first[3]; d < last[3]; ++d) visit(row[d]);
        }
  }
  float element(std::ptrdiff_t at) const {
    double count = 1;
    for (int d = 0; d < max_rank; ++d)
      if (is_gone(d)) count *= extent[d];
    if constexpr (Kind == reduce_kind::max) {
      float largest = -std::numeric_limits<float>::infinity();
      for_each_of(at, [&](float value) { largest = value > largest || value != value ? value : largest; });
      return largest;
    } else {
      double sum = 0;
      if constexpr (Kind == reduce_kind::l2_norm) for_each_of(at, [&](float v) { sum += double{v} * v; });
      else for_each_of(at, [&](float v) { sum += v; });
      if constexpr (Kind == reduce_kind::variance) {
        double const mean = sum / count;
        double squares = 0;
        for_each_of(at, [&](float v) { squares += (v - mean) * (v - mean); });
        return static_cast<float>(squares / count);
      }
      if constexpr (Kind == reduce_kind::mean) return static_cast<float>(sum / count);
      if constexpr (Kind == reduce_kind::l2_norm) return static_cast<float>(std::sqrt(sum));
      return static_cast<float>(sum);
    }
  }
};

namespace detail {
/// Throws if [first, last) are no rows of x, or none.
inline void check_rows(std::int32_t first, std::int32_t last, int rows, int number) {
  if (first < 0 || last > rows || last <= first)
    throw run_error("tessera: sequence " + std::to_string(number) + " has rows " + std::to_string(first) + " to " +
                        std::to_string(last) + ", which are not in [0, " + std::to_string(rows) + ")",
                    "bounds");
}
}  // namespace detail

/// y (B, C): row i is the mean of rows bounds(i, 0) … bounds(i, 1) - 1 of x.
struct sequence_mean {
  input<float, 2> x;
  input<std::int32_t, 2> bounds;
  output<float, 2> y;
  TESSERA_FIELDS(sequence_mean, x, bounds, y);

  static constexpr work cost(extents x, extents, extents) { return {1.0 * x.volume(), 4.0 * x.volume()}; }
  void compute() const {
    auto const in = unchecked(x);
    auto const out = unchecked(y);
    for (int r = 0; r < y.rows(); ++r) {
      detail::check_rows(bounds(r, 0), bounds(r, 1), x.rows(), y.tensor_row(r));
      detail::mean_of_rows(in.row(bounds(r, 0)), in.stride, bounds(r, 1) - bounds(r, 0), out.row(r), y.cols());
    }
  }
};

/// y (B, C): row i is row bounds(i, 0) of x.
struct select_rows {
  input<float, 2> x;
  input<std::int32_t, 2> bounds;
  output<float, 2> y;
  TESSERA_FIELDS(select_rows, x, bounds, y);

  static constexpr work cost(extents, extents, extents y) { return {0.0, 8.0 * y.volume()}; }
  void compute() const {
    auto const out = unchecked(y);
    for (int r = 0; r < y.rows(); ++r) {
      detail::check_rows(bounds(r, 0), bounds(r, 1), x.rows(), y.tensor_row(r));
      std::memcpy(out.row(r), unchecked(x).row(bounds(r, 0)), static_cast<std::size_t>(y.cols()) * sizeof(float));
    }
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

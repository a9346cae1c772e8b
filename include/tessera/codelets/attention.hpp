// SPDX-License-Identifier: Apache-2.0
// Attention: softmax(q kᵀ / √D) v as one vertex for a head and a block of rows; the matrix of scores never exists.
// (Vaswani et al., "Attention is all you need", 2017)
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/codelets/detail/attention_kernel.hpp>
#include <tessera/program/vertex.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// Floats of workspace that `attention` and `packed_attention` need: of the kernel, and a term a key for the mask.
constexpr std::ptrdiff_t attention_workspace(int keys, int depth) {
  return detail::attention_scratch(keys, depth) + (keys + 15) / 16 * 16;
}

/// One head of one batch element: q (S, D), k and v (K, D), y (S, D), all rows of the tensors that the tile has. mask
/// (B, K) of int64 is given completely: 0 for keys that do not take part; the tile's head is row_of_y / S, its batch
/// element that by `heads`. A query that sees no key gets zeros.
template <bool Masked>
struct attention {
  input<float, 2> q;
  input<float, 2> k;
  input<float, 2> v;
  input<std::int64_t, 2> mask;
  output<float, 2> y;
  workspace<float> space;  ///< attention_workspace(K, D) floats
  int heads = 1;
  TESSERA_FIELDS(attention, q, k, v, mask, y, space, heads);

  static constexpr work cost(extents q, extents k, extents, extents, extents) {
    return {4.0 * q.volume() * k.rows(), 4.0 * (2 * q.volume() + 2 * k.volume())};
  }
  void configure(double const* number) { heads = static_cast<int>(number[0]); }
  void compute() const {
    auto const queries = unchecked(q), keys = unchecked(k), values = unchecked(v);
    auto const out = unchecked(y);
    float* const terms = space.data() + detail::attention_scratch(k.rows(), k.cols());
    if constexpr (Masked) {
      std::int64_t const* const keep = unchecked(mask).row(y.first_row() / y.rows() / heads);
      for (int j = 0; j < k.rows(); ++j) terms[j] = keep[j] != 0 ? 0.0f : -std::numeric_limits<float>::infinity();
    }
    detail::attention_head({.queries = q.rows(),
                            .keys = k.rows(),
                            .depth = q.cols(),
                            .q = queries.data,
                            .q_stride = queries.stride,
                            .k = keys.data,
                            .k_stride = keys.stride,
                            .v = values.data,
                            .v_stride = values.stride,
                            .out = out.data,
                            .out_stride = out.stride,
                            .scale = 1.0f / std::sqrt(static_cast<float>(q.cols())),
                            .mask = Masked ? terms : nullptr},
                           space.data());
  }
};

/// Some heads of some rows of a packed batch: q and y (R, H·D), k and v (T, H·D); row r attends to rows bounds(r, 0) …
/// bounds(r, 1) - 1. Rows of one sequence follow one another.
struct packed_attention {
  input<float, 2> q;
  input<float, 2> k;
  input<float, 2> v;
  input<std::int32_t, 2> bounds;
  output<float, 2> y;
  workspace<float> space;  ///< attention_workspace(T, D) floats
  int heads = 1;           ///< in this block
  TESSERA_FIELDS(packed_attention, q, k, v, bounds, y, space, heads);

  static constexpr work cost(extents q, extents k, extents, extents, extents) {
    return {4.0 * q.volume() * k.rows(), 4.0 * (2 * q.volume() + 2 * k.volume())};
  }
  void configure(double const* number) { heads = static_cast<int>(number[0]); }
  void compute() const {
    auto const queries = unchecked(q), keys = unchecked(k), values = unchecked(v);
    auto const out = unchecked(y);
    int const depth = q.cols() / heads;
    float const scale = 1.0f / std::sqrt(static_cast<float>(depth));
    for (int r = 0; r < y.rows();) {
      int const first = bounds(r, 0), last = bounds(r, 1);
      if (first < 0 || last > k.rows() || last <= first)
        throw run_error("tessera: row " + std::to_string(y.tensor_row(r)) + " belongs to rows " +
                            std::to_string(first) + " to " + std::to_string(last) + ", which are not in [0, " +
                            std::to_string(k.rows()) + ")",
                        "bounds");
      int same = r + 1;
      while (same < y.rows() && bounds(same, 0) == first && bounds(same, 1) == last) ++same;
      for (int h = 0; h < heads; ++h)
        detail::attention_head({.queries = same - r,
                                .keys = last - first,
                                .depth = depth,
                                .q = queries.row(r) + h * depth,
                                .q_stride = queries.stride,
                                .k = keys.row(first) + h * depth,
                                .k_stride = keys.stride,
                                .v = values.row(first) + h * depth,
                                .v_stride = values.stride,
                                .out = out.row(r) + h * depth,
                                .out_stride = out.stride,
                                .scale = scale},
                               space.data());
      r = same;
    }
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

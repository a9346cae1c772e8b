// SPDX-License-Identifier: Apache-2.0
// Embeddings: rows of a table by run-time ids, which are checked.
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/codelets/detail/row_kernels.hpp>
#include <tessera/program/vertex.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {
namespace detail {
/// Throws if `id` is no row of a table.
inline void check_id(std::int64_t id, int rows, char const* what, int position) {
  if (id < 0 || id >= rows)
    throw run_error("tessera: " + std::string(what) + " " + std::to_string(id) + " at position " +
                        std::to_string(position) + " is not in [0, " + std::to_string(rows) + ")",
                    what);
}
}  // namespace detail

/// y (R, C): row r is the row of table (V, C) that the r-th id names; Wide: the ids are int64, else int32.
template <bool Wide>
struct embedding {
  using id_type = std::conditional_t<Wide, std::int64_t, std::int32_t>;
  input<float, 2> table;
  input<id_type, 2> ids;  ///< all of them
  output<float, 2> y;
  TESSERA_FIELDS(embedding, table, ids, y);

  static constexpr work cost(extents, extents, extents y) { return {0.0, 8.0 * y.volume()}; }
  void compute() const {
    auto const out = unchecked(y);
    id_type const* const id = unchecked(ids).data + y.first_row();
    for (int r = 0; r < y.rows(); ++r) {
      detail::check_id(id[r], table.rows(), "id", y.tensor_row(r));
      std::memcpy(out.row(r), unchecked(table).row(static_cast<int>(id[r])),
                  static_cast<std::size_t>(y.cols()) * sizeof(float));
    }
  }
};

/// y (T, C): the layer norm of the sum of a word's, a segment's and a position's embedding (Devlin et al., "BERT",
/// 2018).
template <bool Wide>
struct embedding_norm {
  using id_type = std::conditional_t<Wide, std::int64_t, std::int32_t>;
  input<float, 2> words;
  input<float, 2> kinds;
  input<float, 2> positions;
  input<id_type, 2> word_ids;  ///< (T, 1), as the other ids
  input<id_type, 2> kind_ids;
  input<id_type, 2> position_ids;
  input<float, 2> weight;  ///< (C, 1)
  input<float, 2> bias;    ///< (C, 1)
  output<float, 2> y;
  float eps = 1e-12f;
  TESSERA_FIELDS(embedding_norm, words, kinds, positions, word_ids, kind_ids, position_ids, weight, bias, y, eps);

  static constexpr work cost(extents, extents, extents, extents, extents, extents, extents, extents, extents y) {
    return {10.0 * y.volume(), 20.0 * y.volume()};
  }
  void configure(double const* number) { eps = static_cast<float>(number[0]); }
  void compute() const {
    auto const out = unchecked(y);
    for (int r = 0; r < y.rows(); ++r) {
      int const at = y.tensor_row(r);
      std::int64_t const word = word_ids(r, 0), kind = kind_ids(r, 0), position = position_ids(r, 0);
      detail::check_id(word, words.rows(), "token id", at);
      detail::check_id(kind, kinds.rows(), "token type", at);
      detail::check_id(position, positions.rows(), "position", at);
      float const* const w = unchecked(words).row(static_cast<int>(word));
      float const* const k = unchecked(kinds).row(static_cast<int>(kind));
      float const* const p = unchecked(positions).row(static_cast<int>(position));
      simd::for_each_batch<float>(y.cols(), [&](int i, auto count) {
        simd::store(out.row(r) + i, (simd::load(w + i, count) + simd::load(k + i, count)) + simd::load(p + i, count),
                    count);
      });
      detail::layer_norm_row(out.row(r), unchecked(weight).data, unchecked(bias).data, out.row(r), y.cols(), eps);
    }
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

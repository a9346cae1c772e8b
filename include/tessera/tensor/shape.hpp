// SPDX-License-Identifier: Apache-2.0
// Shapes: the extents of a tensor as a type.      ts::shape<1024, 768>  ->  rank 2, volume 786432
#pragma once

#include <cstdint>

#include <tessera/tensor/region.hpp>

namespace tessera {

// Rules are functions: clang takes nothing of a class in which an assertion has failed for constant.
namespace detail {
template <int Rank>
constexpr int rank_of_shape() {
  static_assert(1 <= Rank && Rank <= max_rank,
                "tessera: a tensor has 1 to 4 dimensions (docs/errors/argument_in_range.md)");
  return Rank < 1 ? 1 : Rank < max_rank ? Rank : max_rank;
}
template <int Extent>
constexpr int positive() {
  static_assert(Extent > 0, "tessera: every extent is positive (docs/errors/argument_in_range.md)");
  return Extent > 0 ? Extent : 1;
}
}  // namespace detail

/// Extents of a tensor, outermost first; rank 1 to max_rank, every extent positive.
template <int... Extents>
struct shape {
  static constexpr int rank = detail::rank_of_shape<sizeof...(Extents)>();
  static constexpr int extent[sizeof...(Extents) + (sizeof...(Extents) == 0)] = {detail::positive<Extents>()...};
  static constexpr std::int64_t volume = (std::int64_t{1} * ... * detail::positive<Extents>());
};

}  // namespace tessera

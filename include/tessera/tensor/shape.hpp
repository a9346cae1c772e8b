// SPDX-License-Identifier: Apache-2.0
// Shapes: the extents of a tensor as a type.      ts::shape<1024, 768>  ->  rank 2, volume 786432
#pragma once

#include <cstdint>

#include <tessera/tensor/region.hpp>

namespace tessera {

/// Extents of a tensor, outermost first; rank 1 to max_rank, every extent positive.
template <int... Extents>
struct shape {
  static constexpr int rank = sizeof...(Extents);
  static_assert(rank >= 1 && rank <= max_rank, "tessera: a tensor has 1 to 4 dimensions");
  static_assert(((Extents > 0) && ...), "tessera: every extent is positive");
  static constexpr int extent[sizeof...(Extents)] = {Extents...};
  static constexpr std::int64_t volume = (std::int64_t{1} * ... * Extents);
};

}  // namespace tessera

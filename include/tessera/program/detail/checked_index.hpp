// SPDX-License-Identifier: Apache-2.0
// Bounds of view accesses, checked where TESSERA_CHECKED is 1; partial stores of a batch.
#pragma once

#include <string>

#include <tessera/base/config.hpp>
#include <tessera/base/error.hpp>

namespace tessera::detail {

[[noreturn]] TESSERA_NOINLINE inline void index_out_of_range(int index, int extent) {
  throw run_error("tessera: index " + std::to_string(index) + " of a field is outside [0, " + std::to_string(extent) +
                  ")");
}

TESSERA_INLINE void check_index([[maybe_unused]] int index, [[maybe_unused]] int extent) {
#if TESSERA_CHECKED
  if (index < 0 || index >= extent) index_out_of_range(index, extent);
#endif
}

template <int Rank, class... Index>
TESSERA_INLINE void check_indices([[maybe_unused]] int const (&extent)[Rank], [[maybe_unused]] Index... index) {
#if TESSERA_CHECKED
  int d = 0;
  ((check_index(index, extent[d]), ++d), ...);
#endif
}

TESSERA_INLINE void check_lanes([[maybe_unused]] int first, [[maybe_unused]] int lanes, [[maybe_unused]] int extent) {
#if TESSERA_CHECKED
  if (first < 0 || first + lanes > extent) index_out_of_range(first < 0 ? first : first + lanes - 1, extent);
#endif
}

/// The first n lanes of a batch to memory that has room for no more.
template <class T, class Batch>
TESSERA_INLINE void store_lanes(T* to, Batch const& lanes, int n) {
  alignas(64) T all[Batch::size];
  lanes.store_unaligned(all);
  for (int i = 0; i < n; ++i) to[i] = all[i];
}

}  // namespace tessera::detail

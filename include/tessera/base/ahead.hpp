// SPDX-License-Identifier: Apache-2.0
// Memory ahead: what a thread reads after the vertex that it runs. The order of vertices and every address are known
// before a run, so kernels that pass over their own operands again and again can fetch the next ones meanwhile.
//
//   memory_ahead const next = next_memory;   // in compute(): say, the panels of weights of the tile that comes next
#pragma once

#include <cstddef>

namespace tessera {

/// A range of bytes; empty where nothing is known. It may be prefetched, not read: it can be another tile's.
struct memory_ahead {
  std::byte const* data = nullptr;
  std::ptrdiff_t bytes = 0;
};

/// Of the vertex that runs on this thread; executors set it before each.
inline constinit thread_local memory_ahead next_memory{};

}  // namespace tessera

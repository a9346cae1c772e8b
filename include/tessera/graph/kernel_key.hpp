// SPDX-License-Identifier: Apache-2.0
// Kernel keys: what tells apart the vertex types that a graph needs. One instantiation for each distinct key.
#pragma once

#include <tessera/graph/graph.hpp>

namespace tessera {

/// The operator and what of it is decided at compile time; see graph/kernels.hpp for the meaning of a, b, ….
struct kernel_key {
  op_kind kind = op_kind::matmul;
  int a = 0;
  int b = 0;
  int c = 0;
  int d = 0;
  int e = 0;
  int f = 0;
  vertex_kind const* vertex = nullptr;   ///< of kind vertex: the user's
  friend constexpr bool operator==(kernel_key const&, kernel_key const&) = default;
};

}  // namespace tessera

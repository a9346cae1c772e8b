// EXPECT: a grid has at least one tile in each dimension
// SPDX-License-Identifier: Apache-2.0
// A grid of tiles without rows.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

#ifdef TESSERA_MUST_FAIL
using extents = ts::shape<8, 8>;
using mapping = ts::by_blocks<0, 2>;
using machine = ts::machines::host<4>;
#else
using extents = ts::shape<8, 8>;
using mapping = ts::by_blocks<2, 2>;
using machine = ts::machines::host<4>;
#endif

constexpr ts::tensor<"u", int, extents, mapping> u;
constexpr ts::tensor<"v", int, extents, mapping> v;

constexpr auto program = ts::program<machine>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v));
});

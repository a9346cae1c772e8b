// EXPECT: a tensor has 1 to 4 dimensions
// SPDX-License-Identifier: Apache-2.0
// A tensor of five dimensions.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

#ifdef TESSERA_MUST_FAIL
using extents = ts::shape<1, 2, 3, 4, 5>;
using mapping = ts::by_rows;
using machine = ts::machines::host<4>;
#else
using extents = ts::shape<2, 3, 4, 5>;
using mapping = ts::by_rows;
using machine = ts::machines::host<4>;
#endif

constexpr ts::tensor<"u", int, extents, mapping> u;
constexpr ts::tensor<"v", int, extents, mapping> v;

constexpr auto program = ts::program<machine>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v));
});

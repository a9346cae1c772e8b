// EXPECT: wants positive numbers
// SPDX-License-Identifier: Apache-2.0
// A machine whose tiles have no memory.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

#ifdef TESSERA_MUST_FAIL
using extents = ts::shape<8, 8>;
using mapping = ts::by_rows;
using machine = ts::machines::host<4, 0>;
#else
using extents = ts::shape<8, 8>;
using mapping = ts::by_rows;
using machine = ts::machines::host<4, 4096>;
#endif

constexpr ts::tensor<"u", int, extents, mapping> u;
constexpr ts::tensor<"v", int, extents, mapping> v;

constexpr auto program = ts::program<machine>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v));
});

// EXPECT: wants 0 <= first <= last
// SPDX-License-Identifier: Apache-2.0
// Tiles that end before they begin.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

#ifdef TESSERA_MUST_FAIL
using extents = ts::shape<8, 8>;
using mapping = ts::on_tiles<3, 1, ts::by_rows>;
using machine = ts::machines::host<4>;
#else
using extents = ts::shape<8, 8>;
using mapping = ts::on_tiles<1, 3, ts::by_rows>;
using machine = ts::machines::host<4>;
#endif

constexpr ts::tensor<"u", int, extents, mapping> u;
constexpr ts::tensor<"v", int, extents, mapping> v;

constexpr auto program = ts::program<machine>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v));
});

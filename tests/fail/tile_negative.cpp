// EXPECT: tiles are counted from 0
// SPDX-License-Identifier: Apache-2.0
// A tile before the first.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

#ifdef TESSERA_MUST_FAIL
using extents = ts::shape<8, 8>;
using mapping = ts::on_tile<-1>;
using machine = ts::machines::host<4>;
#else
using extents = ts::shape<8, 8>;
using mapping = ts::on_tile<1>;
using machine = ts::machines::host<4>;
#endif

constexpr ts::tensor<"u", int, extents, mapping> u;
constexpr ts::tensor<"v", int, extents, mapping> v;

constexpr auto program = ts::program<machine>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v));
});

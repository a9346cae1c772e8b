// EXPECT: repeat<n> wants n >= 1
// SPDX-License-Identifier: Apache-2.0
// A loop that never runs.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

constexpr auto program = ts::program<ts::machines::host<4>>([] {
#ifdef TESSERA_MUST_FAIL
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v), ts::repeat<0>(ts::copy(u, v)));
#else
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v), ts::repeat<1>(ts::copy(u, v)));
#endif
});

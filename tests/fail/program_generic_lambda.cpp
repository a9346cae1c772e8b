// EXPECT: a program is written program<machine>
// SPDX-License-Identifier: Apache-2.0
// A lambda with a deduced argument.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

#ifdef TESSERA_MUST_FAIL
constexpr auto program = ts::program<ts::machines::host<4>>([](auto) { return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v)); });
#else
constexpr auto program = ts::program<ts::machines::host<4>>([] { return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v)); });
#endif

// EXPECT: elements are float, double
// SPDX-License-Identifier: Apache-2.0
// A tensor of an element type that is not there.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

#ifdef TESSERA_MUST_FAIL
using number = unsigned;
#else
using number = int;
#endif
constexpr ts::tensor<"u", number, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", number, ts::shape<8>, ts::by_rows> v;

constexpr auto program =
    ts::program<ts::machines::host<4>>([] { return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v)); });

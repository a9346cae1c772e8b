// EXPECT: no captures, nor \[&\] or \[=\]
// SPDX-License-Identifier: Apache-2.0
// A lambda that could capture, though it does not.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

int main() {
#ifdef TESSERA_MUST_FAIL
  auto program = ts::program<ts::machines::host<4>>([&] { return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v)); });
#else
  auto program = ts::program<ts::machines::host<4>>([] { return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v)); });
#endif
  static_cast<void>(program);
}

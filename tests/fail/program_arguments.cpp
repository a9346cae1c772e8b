// EXPECT: a lambda without arguments
// SPDX-License-Identifier: Apache-2.0
// What a program is cannot depend on an argument.
#include <tessera/tile.hpp>

namespace ts = tessera;

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

#ifdef TESSERA_MUST_FAIL
constexpr auto wrong = ts::program<ts::machines::host<4>>([](int) {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v));
});
#else
constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::copy(u, v));
});
#endif

int main() {
  ts::engine engine{wrong};
  engine.run();
}

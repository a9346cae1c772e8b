// EXPECT: the lambda of a program has no captures
// SPDX-License-Identifier: Apache-2.0
// A program is keyed by its lambda's type, so what it captures could not be part of it.
#include <tessera/tile.hpp>

namespace ts = tessera;

struct twice {
  ts::input<int> u;
  ts::output<int> v;
  TESSERA_FIELDS(twice, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

int main() {
#ifdef TESSERA_MUST_FAIL
  int number = 3;
  auto wrong = ts::program<ts::machines::host<4>>([number] {
    (void)number;
#else
  auto wrong = ts::program<ts::machines::host<4>>([] {
#endif
    return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(u, v));
  });
  ts::engine engine{wrong};
  engine.run();
}

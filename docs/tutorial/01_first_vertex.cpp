// SPDX-License-Identifier: Apache-2.0
#include <tessera/tile.hpp>

#include <cstdio>

namespace ts = tessera;

struct square {
  ts::input<int> x;
  ts::output<int> y;
  TESSERA_FIELDS(square, x, y);

  void compute() const {
    for (int i = 0; i < y.rows(); ++i) y(i) = x(i) * x(i);
  }
};

constexpr ts::tensor<"x", int, ts::shape<8>, ts::by_rows> x;
constexpr ts::tensor<"y", int, ts::shape<8>, ts::by_rows> y;

constexpr auto squares = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(x), ts::outputs(y), ts::execute<square>(x, y));
});

int main() {
  ts::engine engine{squares, {.threads = 2}};
  engine.write(x, {1, 2, 3, 4, 5, 6, 7, 8});
  engine.run();
  for (int value : engine.read(y)) std::printf(" %d", value);
  std::printf("\n");
}

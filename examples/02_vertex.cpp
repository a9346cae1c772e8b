// SPDX-License-Identifier: Apache-2.0
// The first vertex. Ten numbers live on four tiles; each tile scales its own ones and adds them to y.
//
// A vertex is a struct: input, output and inout fields are the elements it gets, everything else is state. The line
// TESSERA_FIELDS lists them in the order in which execute() takes its arguments.
#include <tessera/tile.hpp>

#include <cstdio>
#include <vector>

namespace ts = tessera;

struct axpy {
  ts::input<float> x;
  ts::inout<float> y;
  float a = 1;
  TESSERA_FIELDS(axpy, x, y, a);

  void compute() const {
    for (int i = 0; i < y.rows(); ++i) y(i) += a * x(i);
  }
};

// by_rows splits ten elements over four tiles: {0, 1} {2, 3, 4} {5, 6} {7, 8, 9}.
constexpr ts::tensor<"x", float, ts::shape<10>, ts::by_rows> x;
constexpr ts::tensor<"y", float, ts::shape<10>, ts::by_rows> y;

constexpr auto scale_and_add = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(x, y), ts::outputs(y), ts::execute<axpy>(x, y, ts::value<0.5f>));
});

int main() {
  ts::engine engine{scale_and_add};
  engine.write(x, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  engine.write(y, std::vector<float>(10, 100));
  engine.run();
  for (float value : engine.read(y)) std::printf(" %g", value);
  std::printf("\n");
}

// SPDX-License-Identifier: Apache-2.0
#include <tessera/tile.hpp>

#include <cstdio>

namespace ts = tessera;

struct add_up {
  ts::input<double> x;
  ts::output<double> sum;
  TESSERA_FIELDS(add_up, x, sum);

  void compute() const {
    double total = 0;
    for (double value : x.row()) total += value;
    sum(0) = total;
  }
};

struct subtract_mean {
  ts::inout<double> x;
  ts::input<double> sum;
  TESSERA_FIELDS(subtract_mean, x, sum);

  void compute() const {
    double const mean = sum(0) / x.tensor_rows();
    for (int i = 0; i < x.rows(); ++i) x(i) -= mean;
  }
};

constexpr ts::tensor<"x", double, ts::shape<10>, ts::by_rows> x;
constexpr ts::tensor<"partial", double, ts::shape<4>, ts::by_rows> partial;   // one sum a tile
constexpr ts::tensor<"sum", double, ts::shape<1>, ts::on_tile<0>> sum;

constexpr auto centre = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(x), ts::outputs(x),
                      ts::execute<add_up>(x, partial),              // on all tiles
                      ts::execute<add_up>(ts::whole(partial), sum), // on tile 0
                      ts::execute<subtract_mean>(x, ts::whole(sum)));
});

int main() {
  ts::engine engine{centre, {.threads = 2}};
  engine.write(x, {1, 2, 3, 4, 5, 6, 7, 8, 9, 5});
  engine.run();
  for (double value : engine.read(x)) std::printf(" %g", value);
  std::printf("\n");
}

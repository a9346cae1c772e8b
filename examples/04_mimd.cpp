// SPDX-License-Identifier: Apache-2.0
// Different vertices on different tiles in one superstep: each tile of a compute set runs its own code.
#include <tessera/tile.hpp>

#include <cstdio>

namespace ts = tessera;

struct smallest {
  ts::input<int> x;
  ts::output<int> result;
  TESSERA_FIELDS(smallest, x, result);
  void compute() const {
    int least = x(0);
    for (int value : x.row()) least = value < least ? value : least;
    result(0) = least;
  }
};

struct largest {
  ts::input<int> x;
  ts::output<int> result;
  TESSERA_FIELDS(largest, x, result);
  void compute() const {
    int most = x(0);
    for (int value : x.row()) most = value > most ? value : most;
    result(0) = most;
  }
};

struct total {
  ts::input<int> x;
  ts::output<int> result;
  TESSERA_FIELDS(total, x, result);
  void compute() const {
    int sum = 0;
    for (int value : x.row()) sum += value;
    result(0) = sum;
  }
};

constexpr ts::tensor<"x", int, ts::shape<9>, ts::by_rows> x;
constexpr ts::tensor<"low", int, ts::shape<1>, ts::on_tile<0>> low;
constexpr ts::tensor<"high", int, ts::shape<1>, ts::on_tile<1>> high;
constexpr ts::tensor<"sum", int, ts::shape<1>, ts::on_tile<2>> sum;

constexpr auto statistics = ts::program<ts::machines::host<3>>([] {
  return ts::sequence(ts::inputs(x), ts::outputs(low, high, sum),
                      ts::compute_set(ts::on<0>(ts::execute<smallest>(ts::whole(x), low)),
                                      ts::on<1>(ts::execute<largest>(ts::whole(x), high)),
                                      ts::on<2>(ts::execute<total>(ts::whole(x), sum))));
});

int main() {
  ts::engine engine{statistics, {.threads = 3}};
  engine.write(x, {3, 1, 4, 1, 5, 9, 2, 6, 5});
  engine.run();
  std::printf("smallest %d, largest %d, sum %d\n", engine.read(low)[0], engine.read(high)[0], engine.read(sum)[0]);
}

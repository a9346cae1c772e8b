// SPDX-License-Identifier: Apache-2.0
#include <tessera/tile.hpp>

#include <cstdio>
#include <vector>

namespace ts = tessera;

struct mark {
  ts::output<int, 2> x;
  int tile = -1;
  TESSERA_FIELDS(mark, x, tile);

  void compute() const {
    for (int i = 0; i < x.rows(); ++i)
      for (int j = 0; j < x.cols(); ++j) x(i, j) = tile;
  }
};

using matrix = ts::shape<5, 6>;
constexpr ts::tensor<"rows", int, matrix, ts::by_rows> rows;
constexpr ts::tensor<"cols", int, matrix, ts::by_cols> cols;
constexpr ts::tensor<"blocks", int, matrix, ts::by_blocks<2, 2>> blocks;
constexpr ts::tensor<"some", int, matrix, ts::on_tiles<1, 2, ts::by_rows>> some;
constexpr ts::tensor<"one", int, matrix, ts::on_tile<3>> one;

constexpr auto number = ts::per_tile([](ts::tile t) { return t.index; });

constexpr auto marks = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::outputs(rows, cols, blocks, some, one),
                      ts::execute<mark>(rows, number), ts::execute<mark>(cols, number),
                      ts::execute<mark>(blocks, number), ts::execute<mark>(some, number),
                      ts::execute<mark>(one, number));
});

int main() {
  ts::engine engine{marks};
  engine.run();
  std::vector<int> const tiles[] = {engine.read(rows), engine.read(cols), engine.read(blocks), engine.read(some),
                                    engine.read(one)};
  std::printf("by_rows  by_cols  by_blocks<2, 2>  on_tiles<1, 2, by_rows>  on_tile<3>\n");
  for (int i = 0; i < 5; ++i) {
    int const spaces[] = {3, 3, 11, 19, 0};
    for (int tensor = 0; tensor < 5; ++tensor) {
      for (int j = 0; j < 6; ++j) std::printf("%d", tiles[tensor][6 * i + j]);
      std::printf("%*s", spaces[tensor], "");
    }
    std::printf("\n");
  }
}

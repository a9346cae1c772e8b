// SPDX-License-Identifier: Apache-2.0
#include <tessera/tile.hpp>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace ts = tessera;

struct generation {
  ts::input<bool, 2> now;    // the own block and one cell round it
  ts::output<bool, 2> next;  // the own block
  TESSERA_FIELDS(generation, now, next);

  void compute() const {
    for (int i = 0; i < next.rows(); ++i)
      for (int j = 0; j < next.cols(); ++j) {
        int alive = 0;
        for (int di = 0; di < 3; ++di)
          for (int dj = 0; dj < 3; ++dj) alive += now(i + di, j + dj) ? 1 : 0;
        bool const here = now(i + 1, j + 1);
        next(i, j) = alive == 3 || (here && alive == 4);   // the cell itself is among those counted
      }
  }
};

using grid = ts::by_blocks<2, 2>;
constexpr ts::tensor<"a", bool, ts::shape<8, 12>, grid> a;
constexpr ts::tensor<"b", bool, ts::shape<8, 12>, grid> b;

constexpr auto life = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(a), ts::outputs(a),
                      ts::repeat<4>(ts::execute<generation>(ts::halo<1, 1>(a, ts::edge::wrap), b),
                                    ts::execute<generation>(ts::halo<1, 1>(b, ts::edge::wrap), a)));
});

int main() {
  std::vector<std::uint8_t> cells(8 * 12);
  for (auto [row, col] : {std::pair{4, 9}, {5, 10}, {6, 8}, {6, 9}, {6, 10}}) cells[12 * row + col] = 1;
  ts::engine engine{life, {.threads = 2}};
  engine.write(a, cells);
  engine.run();
  std::vector<std::uint8_t> const later = engine.read(a);
  std::printf("at first         after 8 generations\n");
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 12; ++j) std::printf("%c", cells[12 * i + j] != 0 ? '#' : '.');
    std::printf("     ");
    for (int j = 0; j < 12; ++j) std::printf("%c", later[12 * i + j] != 0 ? '#' : '.');
    std::printf("\n");
  }
}

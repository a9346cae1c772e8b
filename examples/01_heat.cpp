// SPDX-License-Identifier: Apache-2.0
#include <tessera/tile.hpp>
#include <cstdio>
namespace ts = tessera;

struct jacobi {                       // a vertex: it runs on a tile and sees its fields, nothing else
  ts::input<float, 2> u;              // this tile's rows, and one element round them
  ts::output<float, 2> v;             // this tile's rows
  TESSERA_FIELDS(jacobi, u, v);
  void compute() const {
    for (int i = 0; i < v.rows(); ++i)
      for (int j = 0; j < v.cols(); ++j)
        v(i, j) = (u(i, j + 1) + u(i + 1, j) + u(i + 1, j + 2) + u(i + 2, j + 1)) / 4;
  }
};
constexpr ts::tensor<"u", float, ts::shape<64, 64>, ts::by_rows> u;   // rows 0 to 7 live on tile 0, 8 to 15 on tile 1, …
constexpr ts::tensor<"v", float, ts::shape<64, 64>, ts::by_rows> v;
constexpr auto heat = ts::program<ts::machines::host<8>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(u), ts::repeat<1000>(
      ts::execute<jacobi>(ts::halo<1, 1>(u, ts::edge::zero), v), ts::copy(v, u)));
});

int main() {
  ts::engine engine{heat, {.threads = 2}};
  engine.write(u, std::vector<float>(64 * 64, 100));      // a plate of 100 degrees, whose rim is kept at 0
  engine.run();
  std::printf("the middle of the plate: %.2f\n", engine.read(u)[64 * 32 + 32]);
}

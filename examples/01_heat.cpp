// SPDX-License-Identifier: Apache-2.0
// A plate with one hot edge: a hundred times every inner point becomes the mean of its four neighbours.
#include <tessera/tile.hpp>
#include <cstdio>
#include <vector>
namespace ts = tessera;

struct jacobi {                                          // a vertex: it sees its fields, and nothing else
  ts::input<float, 2> u;                                 // this tile's rows of u, and one row on either side
  ts::output<float, 2> v;                                // this tile's rows of v
  TESSERA_FIELDS(jacobi, u, v);
  void compute() const {
    for (int i = 0, k = u.before(0); i < v.rows(); ++i, ++k)          // row i of v is row k of u
      for (int j = 0; j < v.cols(); ++j) {
        bool const inner = k > 0 && k + 1 < u.rows() && j > 0 && j + 1 < u.cols();
        v(i, j) = inner ? (u(k - 1, j) + u(k + 1, j) + u(k, j - 1) + u(k, j + 1)) / 4 : u(k, j);
      }
  }
};
constexpr ts::tensor<"u", float, ts::shape<64, 64>, ts::by_rows> u;      // rows 0–7 live on tile 0, 8–15 on tile 1, …
constexpr ts::tensor<"v", float, ts::shape<64, 64>, ts::by_rows> v;
constexpr auto heat = ts::program<ts::machines::host<8>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(u),     // what the host may write before a run, and read after it
                      ts::repeat<100>(ts::execute<jacobi>(ts::halo<1>(u), v), ts::copy(v, u)));
});

int main() {
  std::vector<float> plate(64 * 64);
  for (int j = 0; j < 64; ++j) plate[j] = 100;
  ts::engine engine{heat, {.threads = 2}};
  engine.write(u, plate);
  engine.run();
  plate = engine.read(u);
  for (int i = 0; i < 12; i += 2) std::printf("row %2d: %6.2f\n", i, plate[i * 64 + 32]);
}

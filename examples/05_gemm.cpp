// SPDX-License-Identifier: Apache-2.0
// A matrix product on a grid of 8 x 8 tiles. Each tile computes one block of c from a band of rows of a and a band of
// columns of b. The bundled vertex wants its right operand in panels: its field says so, and the exchange packs it.
#include <tessera/codelets/gemm.hpp>
#include <tessera/tile.hpp>

#include <cstdio>
#include <vector>

namespace ts = tessera;

constexpr int m = 192, k = 160, n = 224;
using grid = ts::by_blocks<8, 8>;
constexpr ts::tensor<"a", float, ts::shape<m, k>, grid> a;
constexpr ts::tensor<"b", float, ts::shape<k, n>, grid> b;
constexpr ts::tensor<"c", float, ts::shape<m, n>, grid> c;

// rows(a) is the band of rows of this tile's block of a, cols(b) the band of columns of its block of b.
constexpr auto product = ts::program<ts::machines::host<64>>([] {
  return ts::sequence(ts::inputs(a, b), ts::outputs(c),
                      ts::execute<ts::codelets::gemm>(ts::rows(a), ts::cols(b), c));
});

int main() {
  // Small whole numbers: every sum is exact, so that the result can be compared for equality.
  std::vector<float> left(m * k), right(k * n);
  for (int i = 0; i < m * k; ++i) left[i] = static_cast<float>(i % 7 - 3);
  for (int i = 0; i < k * n; ++i) right[i] = static_cast<float>(i % 5 - 2);

  ts::engine engine{product, {.threads = 2}};
  engine.write(a, left);
  engine.write(b, right);
  engine.run();
  std::vector<float> const result = engine.read(c);

  int wrong = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += left[i * k + l] * right[l * n + j];
      wrong += result[i * n + j] == sum ? 0 : 1;
    }
  std::printf("%d x %d product on 64 tiles, %d wrong elements, c(5, 3) = %g\n", m, n, wrong, result[5 * n + 3]);
}

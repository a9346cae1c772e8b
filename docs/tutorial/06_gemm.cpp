// SPDX-License-Identifier: Apache-2.0
#include <tessera/codelets/gemm.hpp>
#include <tessera/tile.hpp>

#include <chrono>
#include <cstdio>
#include <vector>

namespace ts = tessera;

struct block_product {
  ts::input<float, 2> a;                   // a band of rows
  ts::input<float, 2, ts::col_major> b;    // a band of columns, one after the other in memory
  ts::output<float, 2> c;
  TESSERA_FIELDS(block_product, a, b, c);

  static constexpr ts::work cost(ts::extents a, ts::extents b, ts::extents c) {
    return {.flops = 2 * c.volume() * a.cols(), .bytes = 4 * (a.volume() + b.volume() + c.volume())};
  }
  void compute() const {
    for (int i = 0; i < c.rows(); ++i)
      for (int j = 0; j < c.cols(); ++j) {
        float sum = 0;
        for (int k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
        c(i, j) = sum;
      }
  }
};

constexpr int size = 256;
using matrix = ts::shape<size, size>;
using grid = ts::by_blocks<4, 4>;
constexpr ts::tensor<"a", float, matrix, grid> a;
constexpr ts::tensor<"b", float, matrix, grid> b;
constexpr ts::tensor<"c", float, matrix, grid> c;

template <class Vertex>
constexpr auto product = ts::program<ts::machines::host<16>>([] {
  return ts::sequence(ts::inputs(a, b), ts::outputs(c), ts::execute<Vertex>(ts::rows(a), ts::cols(b), c));
});

// A tile holds its blocks of three matrices; a and b are seen in place or in a band that four tiles share.
static_assert(ts::estimate(product<block_product>).tile_bytes <= 3 * 64 * 64 * 4 + 2 * 256 * 64 * 4);

template <class Vertex>
std::vector<float> multiply(char const* name, std::vector<float> const& left, std::vector<float> const& right) {
  ts::engine engine{product<Vertex>};
  engine.write(a, left);
  engine.write(b, right);
  auto const start = std::chrono::steady_clock::now();
  engine.run();
  std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - start;
  std::printf("%-15s %.1f GFLOP/s\n", name, 2e-9 * size * size * size / seconds.count());
  return engine.read(c);
}

int main() {
  std::vector<float> left(size * size), right(size * size);
  for (int i = 0; i < size * size; ++i) left[i] = static_cast<float>(i % 7 - 3);
  for (int i = 0; i < size * size; ++i) right[i] = static_cast<float>(i % 5 - 2);
  auto const plain = multiply<block_product>("block_product", left, right);
  auto const bundled = multiply<ts::codelets::gemm>("codelets::gemm", left, right);
  std::printf("%s\n", plain == bundled ? "the results are equal" : "the results differ");
}

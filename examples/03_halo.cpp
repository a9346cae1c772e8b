// SPDX-License-Identifier: Apache-2.0
// Halos. A vertex may read elements of its neighbours: the access halo<1> adds one element on either side of the block.
// What lies beyond the ends of the tensor is a matter of the edge rule: nothing (clip), zeros, the nearest element
// (clamp), or the other end (wrap).
#include <tessera/tile.hpp>

#include <cstdio>
#include <vector>

namespace ts = tessera;

/// Sums of three neighbours. With clip the elements before and after the own block need not be there; in a sum that is
/// the same as zeros.
struct sum_of_three {
  ts::input<int> x;
  ts::output<int> y;
  TESSERA_FIELDS(sum_of_three, x, y);

  void compute() const {
    for (int i = 0; i < y.rows(); ++i) {
      int const k = i + x.before(0);   // the same element, counted in x
      int sum = x(k);
      if (k > 0) sum += x(k - 1);
      if (k + 1 < x.rows()) sum += x(k + 1);
      y(i) = sum;
    }
  }
};

using elements = ts::shape<8>;
constexpr ts::tensor<"x", int, elements, ts::by_rows> x;
constexpr ts::tensor<"clipped", int, elements, ts::by_rows> clipped;
constexpr ts::tensor<"zero", int, elements, ts::by_rows> zero;
constexpr ts::tensor<"clamped", int, elements, ts::by_rows> clamped;
constexpr ts::tensor<"wrapped", int, elements, ts::by_rows> wrapped;

// No step says what is sent from tile to tile: that follows from the accesses.
constexpr auto sums = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(x), ts::outputs(clipped, zero, clamped, wrapped),
                      ts::execute<sum_of_three>(ts::halo<1>(x), clipped),
                      ts::execute<sum_of_three>(ts::halo<1>(x, ts::edge::zero), zero),
                      ts::execute<sum_of_three>(ts::halo<1>(x, ts::edge::clamp), clamped),
                      ts::execute<sum_of_three>(ts::halo<1>(x, ts::edge::wrap), wrapped));
});

void print(char const* name, std::vector<int> const& values) {
  std::printf("%-8s", name);
  for (int value : values) std::printf("%4d", value);
  std::printf("\n");
}

int main() {
  ts::engine engine{sums};
  engine.write(x, {1, 2, 3, 4, 5, 6, 7, 8});
  engine.run();
  print("clip", engine.read(clipped));
  print("zero", engine.read(zero));
  print("clamp", engine.read(clamped));
  print("wrap", engine.read(wrapped));
}

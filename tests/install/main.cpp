// SPDX-License-Identifier: Apache-2.0
// What a user of the installed library writes first: every element becomes the sum of itself and its neighbours.
#include <tessera/tile.hpp>
#include <tessera/version.hpp>

#include <cstdio>
#include <vector>

namespace ts = tessera;

struct neighbours {
  ts::input<float, 1> u;
  ts::output<float, 1> v;
  TESSERA_FIELDS(neighbours, u, v);
  void compute() const {
    for (int i = 0; i < v.size(); ++i) v(i) = u(i) + u(i + 1) + u(i + 2);
  }
};

constexpr ts::tensor<"u", float, ts::shape<1000>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<1000>, ts::by_rows> v;

constexpr auto sums = ts::program<ts::machines::host<8>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<neighbours>(ts::halo<1>(u, ts::edge::zero), v));
});

int main() {
  std::vector<float> numbers(1000);
  for (int i = 0; i < 1000; ++i) numbers[static_cast<std::size_t>(i)] = static_cast<float>(i);
  ts::engine engine{sums, {.threads = 2}};
  engine.write(u, numbers);
  engine.run();
  std::vector<float> const result = engine.read(v);
  std::printf("tessera %s: %g %g %g\n", TESSERA_VERSION, double(result[0]), double(result[500]), double(result[999]));
  return result[0] == 1 && result[500] == 1500 && result[999] == 1997 ? 0 : 1;
}

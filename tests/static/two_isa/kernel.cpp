// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set, with KERNEL as the name of what it exports. Everything from simd/ up lies in a
// namespace named after the ISA, so the copies do not collide and each keeps its own instructions. A user's vertex that
// is compiled for several belongs in such a namespace, too.
#include <tessera/graph.hpp>
#include <tessera/simd.hpp>
#include <tessera/tile.hpp>

#include <algorithm>
#include <vector>

namespace ts = tessera;

namespace two_isa {
TESSERA_ISA_BEGIN

struct exponential {
  ts::input<float, 1> x;
  ts::output<float, 1> y;
  TESSERA_FIELDS(exponential, x, y);
  void compute() const {
    using batch = ts::simd::batch<float>;
    constexpr int lanes = ts::simd::lanes<float>;
    int i = 0;
    for (; i + lanes <= x.extent(0); i += lanes) y.row().store(i, ts::simd::exp(x.row().load<batch>(i)));
    for (; i < x.extent(0); ++i) y.row().store_tail(i, ts::simd::exp(batch(x(i))), 1);
  }
};

constexpr ts::tensor<"x", float, ts::shape<1003>, ts::by_rows> x;
constexpr ts::tensor<"y", float, ts::shape<1003>, ts::by_rows> y;

constexpr auto exponentials = ts::program<ts::machines::host<4>>(
    [] { return ts::sequence(ts::inputs(x), ts::outputs(y), ts::execute<exponential>(x, y)); });

struct doubled {
  static constexpr auto build(ts::graph& g) {
    auto x = g.input<float>("x", {17, 59});
    g.output("y", ts::add(g, x, x));
  }
};

// Not inlined, and no template argument tells its ISA: without the namespace the linker would keep one of the three.
TESSERA_NOINLINE inline std::vector<float> run(std::vector<float> const& values) {
  ts::engine engine{exponentials, {.threads = 2}};
  engine.write(x, values);
  engine.run();
  std::vector<float> const result = engine.read(y);

  ts::model<doubled> model;
  std::copy(result.begin(), result.end(), model.input<"x">().begin());
  model.run();
  auto const twice = model.output<"y">();
  return {twice.begin(), twice.end()};
}

TESSERA_ISA_END
}  // namespace two_isa

/// Twice the exponentials of `values`, by a program of the tile level and a model; `lanes` gets the size of a batch in this object.
std::vector<float> KERNEL(std::vector<float> const& values, int* lanes) {
  *lanes = ts::simd::lanes<float>;
  return two_isa::run(values);
}

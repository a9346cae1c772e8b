// SPDX-License-Identifier: Apache-2.0
#include <tessera/plan/parameters.hpp>

#include <doctest/doctest.h>

#include <tessera/plan/planned.hpp>

namespace ts = tessera;

namespace {

template <int Width>
struct product {
  ts::input<float, 2> a;
  ts::input<float, 2, ts::panels<Width>> b;
  ts::output<float, 2> c;
  TESSERA_FIELDS(product, a, b, c);
  void compute() const {}
};

/// a (rows x depth) times the parameter b (depth x cols) on a grid of tiles, with b in panels.
template <int Rows, int Depth, int Cols, int GridRows, int GridCols, int Width>
struct of {
  static constexpr ts::tensor<"a", float, ts::shape<Rows, Depth>, ts::by_blocks<GridRows, GridCols>> a{};
  static constexpr ts::tensor<"b", float, ts::shape<Depth, Cols>, ts::by_blocks<GridRows, GridCols>> b{};
  static constexpr ts::tensor<"c", float, ts::shape<Rows, Cols>, ts::by_blocks<GridRows, GridCols>> c{};
  static constexpr auto program = ts::program<ts::machines::host<16>>([] {
    return ts::sequence(ts::inputs(a), ts::parameters(b), ts::outputs(c),
                        ts::execute<product<Width>>(ts::rows(a), ts::cols(b), c));
  });
  static constexpr ts::plan_view plan() { return ts::planned<std::remove_const_t<decltype(program)>>::plan(); }
};

using base = of<16, 8, 16, 4, 2, 4>;
template <class Other>
constexpr bool shares = ts::same_parameters(base::plan(), Other::plan());

}  // namespace

TEST_CASE("a program has its own parameters, and those of one with more rows") {
  CHECK(shares<base>);
  CHECK(shares<of<32, 8, 16, 4, 2, 4>>);
  CHECK(shares<of<16, 8, 16, 2, 2, 4>>);   // another number of rows of tiles: b is packed by columns
}

TEST_CASE("other extents, panels and boxes are other parameters, also in as many bytes") {
  CHECK_FALSE(shares<of<16, 16, 8, 4, 2, 4>>);   // 16 x 8 instead of 8 x 16
  CHECK_FALSE(shares<of<16, 8, 16, 4, 2, 8>>);   // panels twice as wide
  CHECK_FALSE(shares<of<16, 8, 16, 4, 1, 4>>);   // one box instead of two
  CHECK_FALSE(shares<of<16, 8, 12, 4, 2, 4>>);   // fewer columns
}

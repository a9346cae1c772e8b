// SPDX-License-Identifier: Apache-2.0
#include <tessera/plan/parameters.hpp>

#include <doctest/doctest.h>

#include <tessera/plan/planned.hpp>

namespace ts = tessera;

namespace {

template <int Width, class Weight = float>
struct product {
  ts::input<float, 2> a;
  ts::input<Weight, 2, ts::panels<Width>> b;
  ts::output<float, 2> c;
  TESSERA_FIELDS(product, a, b, c);
  void compute() const {}
};

/// a (rows x depth) times the parameter b (depth x cols) on a grid of tiles, with b in panels.
template <int Rows, int Depth, int Cols, int GridRows, int GridCols, int Width, class Weight = float>
struct of {
  static constexpr ts::tensor<"a", float, ts::shape<Rows, Depth>, ts::by_blocks<GridRows, GridCols>> a{};
  static constexpr ts::tensor<"b", Weight, ts::shape<Depth, Cols>, ts::by_blocks<GridRows, GridCols>> b{};
  static constexpr ts::tensor<"c", float, ts::shape<Rows, Cols>, ts::by_blocks<GridRows, GridCols>> c{};
  static constexpr auto program = ts::program<ts::machines::host<16>>([] {
    return ts::sequence(ts::inputs(a), ts::parameters(b), ts::outputs(c),
                        ts::execute<product<Width, Weight>>(ts::rows(a), ts::cols(b), c));
  });
  static constexpr ts::plan_view plan() { return ts::planned<std::remove_const_t<decltype(program)>>::plan(); }
};

// Two parameters of one shape, used in one order or the other, at the edge in one way or the other, on all tiles or some.
constexpr ts::tensor<"x", float, ts::shape<8, 16>, ts::by_blocks<2, 2>> x;
constexpr ts::tensor<"y", float, ts::shape<8, 16>, ts::by_blocks<2, 2>> y;
constexpr ts::tensor<"p", float, ts::shape<8, 16>, ts::by_blocks<2, 2>> p;
constexpr ts::tensor<"q", float, ts::shape<8, 16>, ts::by_blocks<2, 2>> q;
struct packed {
  ts::input<float, 2, ts::panels<4>> b;
  ts::output<float, 2> c;
  TESSERA_FIELDS(packed, b, c);
  void compute() const {}
};
template <class Build>
constexpr ts::plan_view planned(Build build) {
  return ts::planned<decltype(ts::program<ts::machines::host<4>>(build))>::plan();
}
constexpr auto pq = planned([] {
  return ts::sequence(ts::parameters(p, q), ts::outputs(x, y), ts::execute<packed>(ts::cols(p), x),
                      ts::execute<packed>(ts::cols(q), y));
});
constexpr auto qp = planned([] {
  return ts::sequence(ts::parameters(p, q), ts::outputs(x, y), ts::execute<packed>(ts::cols(q), x),
                      ts::execute<packed>(ts::cols(p), y));
});
constexpr auto clipped = planned([] {
  return ts::sequence(ts::parameters(p), ts::outputs(x), ts::execute<packed>(ts::neighbour<0, 1>(p), x));
});
constexpr auto wrapped = planned([] {
  return ts::sequence(ts::parameters(p), ts::outputs(x),
                      ts::execute<packed>(ts::neighbour<0, 1>(p, ts::edge::wrap), x));
});
constexpr auto everywhere = planned(
    [] { return ts::sequence(ts::parameters(p), ts::outputs(x), ts::execute<packed>(ts::cols(p), x)); });
constexpr auto somewhere = planned([] {
  return ts::sequence(ts::parameters(p), ts::inputs(x), ts::outputs(x),
                      ts::on<0, 1>(ts::execute<packed>(ts::cols(p), x)));
});

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
  CHECK_FALSE(shares<of<16, 8, 12, 4, 2, 4>>);   // fewer columns
}

TEST_CASE("panels lie in order, in however many boxes they are packed, but for boxes that end within a panel") {
  CHECK(shares<of<16, 8, 16, 4, 1, 4>>);   // one box instead of two
  CHECK(shares<of<16, 8, 16, 2, 4, 4>>);
  CHECK(ts::same_parameters(of<16, 8, 24, 2, 3, 4>::plan(), of<16, 8, 24, 2, 2, 4>::plan()));
  CHECK_FALSE(ts::same_parameters(of<16, 8, 24, 2, 3, 4>::plan(), of<16, 8, 24, 2, 4, 4>::plan()));   // 6 columns a box
}

TEST_CASE("boxes that do not end at a cache line have gaps between them") {
  // 7 rows of panels of 8 in bf16 are 112 bytes.
  using odd = of<16, 7, 64, 2, 4, 8, ts::bf16>;                                                 // boxes of 224 bytes
  CHECK(ts::same_parameters(odd::plan(), of<32, 7, 64, 2, 4, 8, ts::bf16>::plan()));            // the same boxes
  CHECK_FALSE(ts::same_parameters(odd::plan(), of<32, 7, 64, 2, 8, 8, ts::bf16>::plan()));
  CHECK_FALSE(ts::same_parameters(of<16, 7, 64, 2, 1, 8, ts::bf16>::plan(), odd::plan()));
  // Without gaps: in one box, or in boxes of four panels, 448 bytes.
  CHECK(ts::same_parameters(of<16, 7, 64, 2, 1, 8, ts::bf16>::plan(), of<16, 7, 64, 2, 2, 8, ts::bf16>::plan()));
  CHECK(ts::same_parameters(of<16, 8, 64, 2, 4, 8, ts::bf16>::plan(), of<16, 8, 64, 2, 2, 8, ts::bf16>::plan()));
}

TEST_CASE("parameters are packed for the same uses") {
  CHECK(ts::same_parameters(pq, pq));
  CHECK_FALSE(ts::same_parameters(pq, qp));
  CHECK_FALSE(ts::same_parameters(clipped, wrapped));
  CHECK(ts::same_parameters(everywhere, everywhere));
  CHECK_FALSE(ts::same_parameters(everywhere, somewhere));   // some boxes are never packed
}

// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>
#include <tessera/nn.hpp>
#include <tessera/report.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace ts = tessera;
using mistake = ts::graph_mistake::kind;

// y = x where that is positive, else slope · x; a slope a column.
struct prelu {
  ts::input<float, 2> x;
  ts::input<float> slope;
  ts::output<float, 2> y;
  TESSERA_FIELDS(prelu, x, slope, y);

  static constexpr ts::work cost(ts::extents x, ts::extents, ts::extents) { return {1e9 * x.volume(), 8 * x.volume()}; }
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = x(i, j) > 0 ? x(i, j) : slope(j) * x(i, j);
  }
};

namespace {

// y = factor · x + shift: state from numbers, before and behind the edges, and scratch.
struct affine {
  float factor = 1;
  ts::input<float, 2> x;
  ts::scratch<float, 1> one;
  ts::output<float, 2> y;
  double shift = 0.5;
  TESSERA_FIELDS(affine, factor, x, one, y, shift);

  void configure(double const* number) {
    factor = static_cast<float>(number[0]);
    shift = number[1];
  }
  void compute() const {
    one[0] = static_cast<float>(shift);
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = factor * x(i, j) + one[0];
  }
};

// The number of the largest element of each row, and where in the tensor the row is.
struct arg_max {
  ts::input<float, 2> x;
  ts::output<std::int32_t> y;
  TESSERA_FIELDS(arg_max, x, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i) {
      int best = 0;
      for (int j = 1; j < x.cols(); ++j)
        if (x(i, j) > x(i, best)) best = j;
      y(i) = best + 1000 * x.tensor_row(i);
    }
  }
};

// Column sums of everything, one element a column: operands of which every tile sees all, in a layout of the field's.
struct column_sums {
  ts::input<float, 2, ts::col_major> x;
  ts::output<float> y;
  TESSERA_FIELDS(column_sums, x, y);
  void compute() const {
    for (int j = 0; j < y.rows(); ++j) {
      float sum = 0;
      for (int i = 0; i < x.rows(); ++i) sum += x(i, y.tensor_row(j));
      y(j) = sum;
    }
  }
};

// Rows in a layout of the field's.
struct row_sums {
  ts::input<float, 2, ts::row_panels<16>> x;
  ts::output<float> y;
  TESSERA_FIELDS(row_sums, x, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i) {
      float sum = 0;
      for (int j = 0; j < x.cols(); ++j) sum += x(i, j);
      y(i) = sum;
    }
  }
};

// How many rows there are, in every element.
struct number_of_rows {
  ts::input<float, 2> x;
  ts::output<float> y;
  TESSERA_FIELDS(number_of_rows, x, y);
  void compute() const {
    for (int j = 0; j < y.rows(); ++j) y(j) = static_cast<float>(x.rows());
  }
};

struct constants {
  ts::output<float, 2> y;
  TESSERA_FIELDS(constants, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = static_cast<float>(y.tensor_row(i));
  }
};

struct network {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {70, 9}), slope = g.input<float>("slope", {5});
    auto const w = g.input<float>("w", {5, 9});
    auto const h = ts::linear(g, x, w);
    g.output("prelu", g.apply<prelu>({h, ts::whole(slope)}, g.shape(h)));
    g.output("affine", g.apply<affine>({x}, g.shape(x), {2.0, 3.0}));
    g.output("default", g.apply<affine>({x}, g.shape(x)));
    g.output("zero", g.apply<affine>({x}, g.shape(x), {0.0}));
    g.output("arg_max", g.apply<arg_max>({x}, {70}));
    g.output("columns", g.apply<column_sums>({ts::whole(x)}, {9}));
    g.output("rows", g.apply<row_sums>({x}, {70}));
    g.output("none", g.apply<constants>({}, {3, 25, 2}));
  }
};

struct ragged {
  static constexpr void build(ts::graph& g) {
    auto const n = g.run_time_length("n", 32);
    auto const x = g.input<float>("x", {n, 9});
    g.output("arg_max", g.apply<arg_max>({x}, {n}));
    g.output("rows", g.apply<number_of_rows>({ts::whole(x)}, {9}));
  }
};

struct trial {
  std::unique_ptr<ts::graph> made = std::make_unique<ts::graph>();
  ts::graph& g = *made;
  ts::node x = g.input<float>("x", {4, 6}), slope = g.input<float>("slope", {6});
  mistake wrong() const { return g.first_mistake.what; }
};

}  // namespace

TEST_CASE("vertices of one's own among bundled ones") {
  auto const x = reference::numbers(70 * 9, 1), slope = reference::numbers(5, 2), w = reference::numbers(5 * 9, 3);
  std::vector<double> want_prelu = reference::matmul(x, reference::transpose(w, 5, 9), 70, 9, 5);
  for (std::size_t i = 0; i < want_prelu.size(); ++i)
    if (want_prelu[i] < 0) want_prelu[i] *= double{slope[i % 5]};
  std::vector<double> rows(70), columns(9);
  std::vector<std::int32_t> largest(70);
  for (std::size_t i = 0; i < x.size(); ++i) {
    rows[i / 9] += double{x[i]};
    columns[i % 9] += double{x[i]};
  }
  for (int i = 0; i < 70; ++i) {
    auto const row = x.begin() + i * 9;
    largest[static_cast<std::size_t>(i)] = static_cast<int>(std::max_element(row, row + 9) - row) + 1000 * i;
  }
  for (int threads : {1, 3}) {
    ts::model<network> m{ts::engine_options{.threads = threads}};
    auto const [p, a, by_default, zero, numbers, c, r, none] =
        m.run(ts::in<"x">(x), ts::in<"slope">(slope), ts::in<"w">(w));
    CHECK(close(p, want_prelu));
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(a[i] == 2 * x[i] + 3);
      CHECK(by_default[i] == x[i] + 0.5f);   // the state that is written in the vertex
      CHECK(zero[i] == 0);                   // of numbers that are given, those that are not are 0
    }
    CHECK(numbers == largest);
    CHECK(close(c, columns));
    CHECK(close(r, rows));
    for (std::size_t i = 0; i < none.size(); ++i) CHECK(none[i] == static_cast<float>(i / 2));
  }
}

TEST_CASE("rows beyond a run-time length are not there") {
  ts::model<ragged> m;
  auto const x = reference::numbers(32 * 9, 1);
  std::copy(x.begin(), x.end(), m.input<"x">().begin());
  for (int n : {32, 11, 1}) {
    m.set_length<"n">(n);
    m.run();
    for (float rows : m.output<"rows">()) CHECK(rows == static_cast<float>(n));
    CHECK(m.output<"arg_max">()[static_cast<std::size_t>(n - 1)] / 1000 == n - 1);
  }
}

TEST_CASE("one kernel for each vertex type, and its costs and name in the plan") {
  using program = ts::graph_program<network, ts::machines::host<>>;
  static_assert(program::counts.kernels == 6 + 1);   // affine three times, and the product
  static_assert(ts::estimate(program{}).cycles > 1e9);   // a tile has nine rows of five, at a billion operations each
  CHECK(std::string_view(ts::kind_of_vertex<prelu>.kernel.functions.name) == "prelu");
  bool named = false;
  for (int k = 0; k < program::counts.kernels; ++k)
    named |= std::string_view(program::records.kernels[k].name) == "prelu";
  CHECK(named);
}

TEST_CASE("what does not go together") {
  auto const wrong = [](auto const& add) {
    trial t;
    add(t.g, t);
    if (t.wrong() != mistake::none) CHECK(t.g.first_mistake.op == ts::op_kind::vertex);
    return t.wrong();
  };
  CHECK(wrong([](auto& g, auto& t) { g.template apply<prelu>({t.x, ts::whole(t.slope)}, {4, 6}); }) == mistake::none);
  CHECK(wrong([](auto& g, auto& t) { g.template apply<prelu>({t.x, ts::whole(t.slope)}, {2, 2, 3}); }) ==
        mistake::none);
  // The number of operands, and what kinds of fields there are.
  CHECK(wrong([](auto& g, auto& t) { g.template apply<prelu>({t.x}, {4, 6}); }) == mistake::fields);
  CHECK(wrong([](auto& g, auto& t) { g.template apply<prelu>({t.x, t.x, t.x}, {4, 6}); }) == mistake::fields);
  CHECK(wrong([](auto& g, auto& t) { g.template apply<prelu>({t.x, ts::whole(t.slope)}, {4, 6}, {1.0}); }) ==
        mistake::fields);
  CHECK(wrong([](auto& g, auto& t) { g.template apply<affine>({t.x}, {4, 6}, {1.0, 2.0, 3.0, 4.0, 5.0}); }) ==
        mistake::fields);
  CHECK(wrong([](auto& g, auto& t) { g.template apply<ts::codelets::gemm_add>({t.x, t.x}, {4, 6}); }) ==
        mistake::fields);
  // Types and ranks of fields.
  CHECK(wrong([](auto& g, auto& t) { g.template apply<prelu>({t.slope, ts::whole(t.slope)}, {6}); }) == mistake::field);
  CHECK(wrong([](auto& g, auto& t) { g.template apply<prelu>({t.x, ts::whole(t.x)}, {4, 6}); }) == mistake::field);
  CHECK(wrong([](auto& g, auto& t) { g.template apply<arg_max>({t.x}, {4, 1}); }) == mistake::field);
  CHECK(wrong([](auto& g, auto& t) {
          g.template apply<prelu>({t.x, ts::whole(g.template input<double>("d", {6}))}, {4, 6});
        }) == mistake::field);
  // Rows, and shapes that cannot be.
  CHECK(wrong([](auto& g, auto& t) { g.template apply<arg_max>({t.x}, {6}); }) == mistake::shapes);
  CHECK(wrong([](auto& g, auto& t) { g.template apply<prelu>({t.x, t.slope}, {4, 6}); }) == mistake::shapes);
  CHECK(wrong([](auto& g, auto& t) { g.template apply<arg_max>({t.x}, {0}); }) == mistake::extent);
  CHECK(wrong([](auto& g, auto& t) { g.template apply<arg_max>({t.x}, {1, 1, 1, 1, 4}); }) == mistake::rank);
  // Lengths.
  auto const with_length = [&](auto const& add) {
    return wrong([&](auto& g, auto&) { add(g, g.run_time_length("n", 4)); });
  };
  CHECK(with_length([](auto& g, auto n) {
          g.template apply<arg_max>({g.template input<float>("y", {n, 6})}, {n});
        }) == mistake::none);
  CHECK(with_length([](auto& g, auto n) {
          g.template apply<arg_max>({g.template input<float>("y", {n, 6})}, {4});
        }) == mistake::ragged);
  CHECK(with_length([](auto& g, auto n) {
          g.template apply<affine>({g.template input<float>("y", {n, 2, 6})}, {n, 2, 6});
        }) == mistake::none);
  CHECK(with_length([](auto& g, auto n) {
          g.template apply<affine>({g.template input<float>("y", {n, 2, 6})}, {4, 2, 6});
        }) == mistake::ragged);
  CHECK(with_length([](auto& g, auto n) {
          g.template apply<affine>({g.template input<float>("y", {4, 2, 6})}, {n, 2, 6});
        }) == mistake::ragged);
  CHECK(with_length([](auto& g, auto n) {
          g.template apply<affine>({g.template input<float>("y", {n, 1, 6})}, {n, 6});
        }) == mistake::ragged);
  CHECK(with_length([](auto& g, auto n) {
          g.template apply<number_of_rows>({ts::whole(g.template input<float>("y", {n, 6}))}, {6});
        }) == mistake::none);
  CHECK(with_length([](auto& g, auto n) {
          g.template apply<number_of_rows>({ts::whole(g.template input<float>("y", {n, 1, 6}))}, {6});
        }) == mistake::ragged);
  CHECK(with_length([](auto& g, auto n) {
          g.template apply<column_sums>({ts::whole(g.template input<float>("y", {n, 6}))}, {6});
        }) == mistake::ragged);
}

// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <span>
#include <vector>

namespace ts = tessera;

namespace {

constexpr int rows = 75, cols = 19;  // more rows than tiles

struct normalisations {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {rows, cols}), weight = g.input<float>("weight", {cols}),
               bias = g.input<float>("bias", {cols});
    g.output("layer_norm", ts::layer_norm(g, x, weight, bias, 1e-5));
    g.output("l2", ts::l2_normalize(g, x));
    // A vector is one row, although it lies as a column.
    g.output("layer_norm of a vector", ts::layer_norm(g, bias, weight, bias, 1e-5));
    g.output("l2 of a vector", ts::l2_normalize(g, weight));
    g.output("l2 with a floor", ts::l2_normalize(g, weight, 100.0));
    auto const more = g.input<float>("more", {rows, cols});
    g.output("layer_norm of a sum", ts::layer_norm(g, x, weight, bias, 1e-5, more));
    g.output("layer_norm of a vector's sum", ts::layer_norm(g, bias, weight, bias, 1e-5, weight));
  }
};

std::vector<float> row_of(std::vector<float> const& x, int r) {
  return {x.begin() + r * cols, x.begin() + (r + 1) * cols};
}

}  // namespace

TEST_CASE("layer norm and L2 norm of rows and of vectors") {
  auto x = reference::numbers(rows * cols, 1);
  auto const weight = reference::numbers(cols, 2), bias = reference::numbers(cols, 3);
  for (int c = 0; c < cols; ++c) x[static_cast<std::size_t>(c)] = 0.0f;  // a row of length 0
  auto const more = reference::numbers(rows * cols, 4);
  auto const sum = [](std::vector<float> a, std::vector<float> const& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  };
  std::vector<double> layers, lengths, sums;
  for (int r = 0; r < rows; ++r) {
    for (double v : reference::layer_norm(row_of(x, r), weight, bias, 1e-5)) layers.push_back(v);
    for (double v : reference::l2_normalize(row_of(x, r), 1e-12)) lengths.push_back(v);
    for (double v : reference::layer_norm(sum(row_of(x, r), row_of(more, r)), weight, bias, 1e-5)) sums.push_back(v);
  }
  for (int threads : {1, 2}) {
    ts::model<normalisations> m{ts::engine_options{.threads = threads}};
    auto const [layer, l2, vector_layer, vector_l2, floor, of_sum, of_vectors] =
        m.run(ts::in<"x">(x), ts::in<"weight">(weight), ts::in<"bias">(bias), ts::in<"more">(more));
    CHECK(close(layer, layers));
    CHECK(close(l2, lengths));
    CHECK(close(vector_layer, reference::layer_norm(bias, weight, bias, 1e-5)));
    CHECK(close(vector_l2, reference::l2_normalize(weight, 1e-12)));
    CHECK(close(floor, reference::l2_normalize(weight, 100.0)));
    CHECK(close(of_sum, sums));
    CHECK(close(of_vectors, reference::layer_norm(sum(bias, weight), weight, bias, 1e-5)));
  }
}

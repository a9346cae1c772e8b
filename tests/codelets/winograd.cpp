// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ts = tessera;

namespace {

struct sizes {
  int images, height, width, channels, made, padding;
  constexpr int out_height() const { return height + 2 * padding - 2; }
  constexpr int out_width() const { return width + 2 * padding - 2; }
};

struct two_parameters {
  std::vector<float> filter, bias;
  void read_float32(std::string_view name, std::span<std::int64_t const>, std::span<float> values) const {
    std::vector<float> const& from = name == "filter" ? filter : bias;
    REQUIRE(values.size() == from.size());
    std::copy(from.begin(), from.end(), values.begin());
  }
};

template <sizes S, ts::winograd Use>
struct convolution {
  static constexpr void build(ts::graph& g) {
    g.use_winograd = Use;
    auto const x = g.input<float>("x", {S.images, S.height, S.width, S.channels});
    auto const filter = g.parameter("filter", {S.made, S.channels, 3, 3});
    auto const bias = g.parameter("bias", {S.made});
    auto const residual = g.input<float>("residual", {S.images, S.out_height(), S.out_width(), S.made});
    auto const y = ts::conv2d(g, x, filter, {.padding = S.padding, .bias = bias});
    g.output("y", ts::relu(g, ts::add(g, y, residual)));
  }
};
template <class M>
constexpr std::string_view vertex_of() {
  return ts::planned<typename ts::model<M>::program>::plan().program.kernels[0].name;
}

template <sizes S>
void check() {
  auto const x = reference::numbers(static_cast<std::size_t>(S.images * S.height * S.width * S.channels), 1);
  two_parameters weights{reference::numbers(static_cast<std::size_t>(S.made * S.channels * 9), 2),
                         reference::numbers(static_cast<std::size_t>(S.made), 3)};
  auto const residual =
      reference::numbers(static_cast<std::size_t>(S.images * S.out_height() * S.out_width() * S.made), 4);
  std::vector<double> wanted;
  for (int n = 0; n < S.images; ++n)
    for (int i = 0; i < S.out_height(); ++i)
      for (int j = 0; j < S.out_width(); ++j)
        for (int o = 0; o < S.made; ++o) {
          double sum = weights.bias[static_cast<std::size_t>(o)];
          for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
              int const line = i + a - S.padding, column = j + b - S.padding;
              if (line < 0 || line >= S.height || column < 0 || column >= S.width) continue;
              for (int c = 0; c < S.channels; ++c)
                sum += double{x[static_cast<std::size_t>(((n * S.height + line) * S.width + column) * S.channels + c)]} *
                       weights.filter[static_cast<std::size_t>(((o * S.channels + c) * 3 + a) * 3 + b)];
            }
          wanted.push_back(std::max(0.0, sum + double{residual[wanted.size()]}));
        }
  auto const checked = [&]<ts::winograd Use>() {
    std::vector<float> first;
    for (int threads : {1, 3}) {
      ts::model<convolution<S, Use>> m{weights, ts::engine_options{.threads = threads}};
      auto const [y] = m.run(ts::in<"x">(x), ts::in<"residual">(residual));
      CHECK(close(y, wanted));
      if (threads == 1) first = y;
      CHECK(y == first);
    }
  };
  checked.template operator()<ts::winograd::off>();
  checked.template operator()<ts::winograd::tiles_of_2>();
  checked.template operator()<ts::winograd::tiles_of_4>();
}

using batch = ts::simd::batch<double>;

/// One transform of each column, then of each row: (Rows, Rows) -> (Made, Made).
template <int Rows, int Made, class F>
std::vector<batch> transformed(std::vector<batch> const& from, F const& one) {
  std::vector<batch> half(Made * Rows), all(Made * Made);
  for (std::size_t j = 0; j < Rows; ++j) {
    batch column[Rows], made[Made];
    for (std::size_t i = 0; i < Rows; ++i) column[i] = from[i * Rows + j];
    one(column, made);
    for (std::size_t i = 0; i < Made; ++i) half[i * Rows + j] = made[i];
  }
  for (std::size_t i = 0; i < Made; ++i) {
    batch row[Rows], made[Made];
    for (std::size_t j = 0; j < Rows; ++j) row[j] = half[i * Rows + j];
    one(row, made);
    for (std::size_t j = 0; j < Made; ++j) all[i * Made + j] = made[j];
  }
  return all;
}

template <int Tile>
void check_definition() {
  // The filter that shows one element under one tap makes one element of the tile what it is in the input.
  constexpr int n = Tile + 2;
  using transform = ts::codelets::minimal_filter<Tile>;
  auto const numbers = reference::numbers(n * n, 5);
  std::vector<batch> d;
  for (float v : numbers) d.push_back(batch(double{v}));
  for (int tap = 0; tap < 9; ++tap) {
    float taps[9] = {}, u[n * n];
    taps[tap] = 1;
    ts::codelets::transform_filter<Tile>(taps, u);
    auto m = transformed<n, n>(d, [](batch(&in)[n], batch(&out)[n]) { transform::input(in, out); });
    for (std::size_t i = 0; i < n * n; ++i) m[i] = m[i] * batch(double{u[i]});
    auto const y = transformed<n, Tile>(m, [](batch(&in)[n], batch(&out)[Tile]) { transform::output(in, out); });
    for (int i = 0; i < Tile; ++i)
      for (int j = 0; j < Tile; ++j) {
        double lanes[ts::simd::lanes<double>];
        ts::simd::store(lanes, y[static_cast<std::size_t>(i * Tile + j)]);
        CHECK(lanes[0] ==
              doctest::Approx(double{numbers[static_cast<std::size_t>((i + tap / 3) * n + j + tap % 3)]}).epsilon(1e-6));
      }
  }
}

}  // namespace

TEST_CASE("tiles are what the definition says") {
  check_definition<2>();
  check_definition<4>();
}

TEST_CASE("convolutions in tiles, at the borders of images, tiles and panels") {
  check<sizes{1, 8, 8, 16, 32, 1}>();
  check<sizes{3, 7, 9, 5, 40, 1}>();      // nothing is a multiple of anything
  check<sizes{2, 14, 11, 67, 33, 1}>();
  check<sizes{1, 16, 13, 8, 16, 0}>();    // without padding
  check<sizes{1, 3, 3, 4, 5, 2}>();       // more border than image
  check<sizes{5, 1, 1, 3, 2, 1}>();
}

TEST_CASE("the cost model takes tiles where they pay") {
  // Of ResNet-50: many channels and pixels.
  CHECK(vertex_of<convolution<sizes{1, 56, 56, 64, 64, 1}, ts::winograd::where_faster>>().find("winograd") !=
        std::string_view::npos);
  CHECK(vertex_of<convolution<sizes{1, 56, 56, 64, 64, 1}, ts::winograd::off>>().find("winograd") == std::string_view::npos);
  // Few pixels: the filters, which are larger then, would be all that is read.
  CHECK(vertex_of<convolution<sizes{1, 1, 1, 512, 512, 1}, ts::winograd::where_faster>>().find("winograd") ==
        std::string_view::npos);
}

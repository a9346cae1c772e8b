// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace ts = tessera;

namespace {

constexpr int images = 2, height = 11, width = 15, channels = 24, groups = 6;
constexpr int pixels = height * width;

struct norms {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {images, height, width, channels});
    auto const weight = g.input<float>("weight", {channels}), bias = g.input<float>("bias", {channels}),
               mean = g.input<float>("mean", {channels}), variance = g.input<float>("variance", {channels});
    g.output("batch", ts::batch_norm(g, x, weight, bias, mean, variance, 1e-3));
    g.output("group", ts::group_norm(g, x, weight, bias, groups));
    g.output("planes", ts::channels_first(g, x));
    g.output("again", ts::channels_last(g, ts::channels_first(g, x)));
  }
};

std::vector<double> group_norm(std::vector<float> const& x, std::vector<float> const& weight, std::vector<float> const& bias) {
  std::vector<double> y(x.size());
  int const size = channels / groups;
  auto const at = [](int n, int p, int c) { return static_cast<std::size_t>((n * pixels + p) * channels + c); };
  for (int n = 0; n < images; ++n)
    for (int first = 0; first < channels; first += size) {
      double sum = 0, squares = 0;
      for (int p = 0; p < pixels; ++p)
        for (int c = first; c < first + size; ++c) sum += double{x[at(n, p, c)]};
      double const mean = sum / (pixels * size);
      for (int p = 0; p < pixels; ++p)
        for (int c = first; c < first + size; ++c) squares += (x[at(n, p, c)] - mean) * (x[at(n, p, c)] - mean);
      double const scale = 1 / std::sqrt(squares / (pixels * size) + 1e-5);
      for (int p = 0; p < pixels; ++p)
        for (int c = first; c < first + size; ++c)
          y[at(n, p, c)] = (x[at(n, p, c)] - mean) * scale * double{weight[static_cast<std::size_t>(c)]} + double{bias[static_cast<std::size_t>(c)]};
    }
  return y;
}

}  // namespace

TEST_CASE("norms of images, and channels moved there and back") {
  auto const x = reference::numbers(images * pixels * channels, 1);
  auto const weight = reference::numbers(channels, 2), bias = reference::numbers(channels, 3), mean = reference::numbers(channels, 4);
  std::vector<float> variance;
  for (float v : reference::numbers(channels, 5)) variance.push_back(v * v + 0.1f);
  std::vector<double> batch, planes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t const c = i % channels;
    batch.push_back((double{x[i]} - double{mean[c]}) / std::sqrt(double{variance[c]} + 1e-3) * double{weight[c]} + double{bias[c]});
  }
  for (int n = 0; n < images; ++n)
    for (int c = 0; c < channels; ++c)
      for (int p = 0; p < pixels; ++p) planes.push_back(double{x[static_cast<std::size_t>((n * pixels + p) * channels + c)]});
  for (int threads : {1, 3}) {
    ts::model<norms> m{ts::engine_options{.threads = threads}};
    auto const [of_batch, of_groups, first, again] = m.run(ts::in<"x">(x), ts::in<"weight">(weight), ts::in<"bias">(bias),
                                                           ts::in<"mean">(mean), ts::in<"variance">(variance));
    CHECK(close(of_batch, batch));
    CHECK(close(of_groups, group_norm(x, weight, bias)));
    CHECK(close(first, planes, 0));
    CHECK(again == x);
  }
}

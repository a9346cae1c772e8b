// SPDX-License-Identifier: Apache-2.0
// Small residual networks against loops in double: names of parameters, order of operators, strides and groups.
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>
#include <tessera/models/resnet.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ts = tessera;

namespace {

struct bottlenecks {
  static constexpr ts::models::resnet_configuration value{
      .blocks = {1, 2, 1, 1}, .groups = 2, .width_per_group = 16, .classes = 7, .images = 2, .height = 37, .width = 50};
};
struct plain_blocks {
  static constexpr ts::models::resnet_configuration value{
      .blocks = {1, 1, 1, 1}, .bottleneck = false, .classes = 5, .images = 1, .height = 40, .width = 33};
};

std::uint32_t seed_of(std::string_view name) {
  std::uint32_t seed = 1;
  for (char c : name) seed = (seed * 31 + static_cast<unsigned char>(c)) % 100003;
  return seed;
}
// Parameters that keep the size of what passes through.
std::vector<float> drawn(std::string_view name, std::size_t count, std::size_t fan_in) {
  std::vector<float> values = reference::numbers(count, seed_of(name));
  if (name.ends_with("running_var")) for (float& v : values) v = 1 + v * v;
  else if (fan_in > 1) for (float& v : values) v /= std::sqrt(static_cast<float>(fan_in));
  return values;
}
struct source {
  void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> values) const {
    std::size_t fan_in = 1;
    for (std::size_t d = 1; d < shape.size(); ++d) fan_in *= static_cast<std::size_t>(shape[d]);
    std::vector<float> const made = drawn(name, values.size(), fan_in);
    std::copy(made.begin(), made.end(), values.begin());
  }
};

// Planes of images, as torch has them.
struct planes {
  int images, channels, height, width;
  std::vector<double> value;
  double& at(int n, int c, int i, int j) {
    return value[static_cast<std::size_t>(((n * channels + c) * height + i) * width + j)];
  }
};
planes made(int images, int channels, int height, int width, double value = 0) {
  return {images, channels, height, width,
          std::vector<double>(static_cast<std::size_t>(images * channels * height * width), value)};
}

planes convolution(planes x, std::string const& name, int filters, int kernel, int stride, int padding, int groups = 1) {
  int const each = x.channels / groups;
  std::vector<float> const filter = drawn(name + ".weight", static_cast<std::size_t>(filters * each * kernel * kernel),
                                          static_cast<std::size_t>(each * kernel * kernel));
  planes y = made(x.images, filters, (x.height + 2 * padding - kernel) / stride + 1,
                  (x.width + 2 * padding - kernel) / stride + 1);
  for (int n = 0; n < y.images; ++n)
    for (int o = 0; o < filters; ++o)
      for (int i = 0; i < y.height; ++i)
        for (int j = 0; j < y.width; ++j)
          for (int c = 0; c < each; ++c)
            for (int a = 0; a < kernel; ++a)
              for (int b = 0; b < kernel; ++b) {
                int const line = i * stride - padding + a, column = j * stride - padding + b;
                if (line < 0 || line >= x.height || column < 0 || column >= x.width) continue;
                y.at(n, o, i, j) += x.at(n, o / (filters / groups) * each + c, line, column) *
                                    double{filter[static_cast<std::size_t>(((o * each + c) * kernel + a) * kernel + b)]};
              }
  return y;
}
planes norm(planes x, std::string const& name) {
  auto const part = [&](char const* which) { return drawn(name + which, static_cast<std::size_t>(x.channels), 1); };
  auto const weight = part(".weight"), bias = part(".bias"), mean = part(".running_mean"), variance = part(".running_var");
  for (int n = 0; n < x.images; ++n)
    for (int c = 0; c < x.channels; ++c) {
      auto const k = static_cast<std::size_t>(c);
      for (int i = 0; i < x.height; ++i)
        for (int j = 0; j < x.width; ++j)
          x.at(n, c, i, j) = (x.at(n, c, i, j) - double{mean[k]}) / std::sqrt(double{variance[k]} + 1e-5) * double{weight[k]} +
                             double{bias[k]};
    }
  return x;
}
planes relu(planes x) {
  for (double& v : x.value) v = std::max(v, 0.0);
  return x;
}
planes max_pool(planes x) {
  planes y = made(x.images, x.channels, (x.height - 1) / 2 + 1, (x.width - 1) / 2 + 1, -1e300);
  for (int n = 0; n < y.images; ++n)
    for (int c = 0; c < y.channels; ++c)
      for (int i = 0; i < y.height; ++i)
        for (int j = 0; j < y.width; ++j)
          for (int line = std::max(0, 2 * i - 1); line < std::min(x.height, 2 * i + 2); ++line)
            for (int column = std::max(0, 2 * j - 1); column < std::min(x.width, 2 * j + 2); ++column)
              y.at(n, c, i, j) = std::max(y.at(n, c, i, j), x.at(n, c, line, column));
  return y;
}

std::vector<double> logits(ts::models::resnet_configuration const& c, std::vector<float> const& image) {
  planes x{c.images, 3, c.height, c.width, {image.begin(), image.end()}};
  x = max_pool(relu(norm(convolution(x, "conv1", 64, 7, 2, 3), "bn1")));
  for (int stage = 0; stage < 4; ++stage)
    for (int block = 0; block < c.blocks[stage]; ++block) {
      std::string const at = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      int const planes_of_stage = 64 << stage, stride = stage > 0 && block == 0 ? 2 : 1;
      int const out = c.bottleneck ? 4 * planes_of_stage : planes_of_stage;
      planes y = x;
      if (c.bottleneck) {
        int const width = planes_of_stage * c.width_per_group / 64 * c.groups;
        y = relu(norm(convolution(y, at + ".conv1", width, 1, 1, 0), at + ".bn1"));
        y = relu(norm(convolution(y, at + ".conv2", width, 3, stride, 1, c.groups), at + ".bn2"));
        y = norm(convolution(y, at + ".conv3", out, 1, 1, 0), at + ".bn3");
      } else {
        y = relu(norm(convolution(y, at + ".conv1", out, 3, stride, 1), at + ".bn1"));
        y = norm(convolution(y, at + ".conv2", out, 3, 1, 1), at + ".bn2");
      }
      if (stride != 1 || x.channels != out)
        x = norm(convolution(x, at + ".downsample.0", out, 1, stride, 0), at + ".downsample.1");
      for (std::size_t i = 0; i < y.value.size(); ++i) y.value[i] += x.value[i];
      x = relu(y);
    }
  auto const weight = drawn("fc.weight", static_cast<std::size_t>(c.classes * x.channels), static_cast<std::size_t>(x.channels));
  auto const bias = drawn("fc.bias", static_cast<std::size_t>(c.classes), 1);
  std::vector<double> result;
  for (int n = 0; n < c.images; ++n)
    for (int k = 0; k < c.classes; ++k) {
      double sum = bias[static_cast<std::size_t>(k)];
      for (int ch = 0; ch < x.channels; ++ch) {
        double mean = 0;
        for (int i = 0; i < x.height; ++i)
          for (int j = 0; j < x.width; ++j) mean += x.at(n, ch, i, j) / (x.height * x.width);
        sum += mean * double{weight[static_cast<std::size_t>(k * x.channels + ch)]};
      }
      result.push_back(sum);
    }
  return result;
}

template <class Configuration>
void check() {
  constexpr ts::models::resnet_configuration const& c = Configuration::value;
  using network = ts::models::resnet<Configuration>;
  auto const image = reference::numbers(static_cast<std::size_t>(c.images * 3 * c.height * c.width), 1);
  auto const wanted = logits(c, image);
  // Norms, functions and sums are part of the convolutions; besides there are two pools, the channels and the last layer.
  int convolutions = 0;
  for (auto const& op : ts::graph_of<network>::value.ops) convolutions += op.kind == ts::op_kind::convolution;
  CHECK(ts::graph_of<network>::value.ops.size() == convolutions + 4);
  for (int threads : {1, 2}) {
    ts::model<network> m{source{}, {.threads = threads}};
    auto const [got] = m.run(ts::in<"image">(image));
    CHECK(close(got, wanted));
  }
}

}  // namespace

TEST_CASE("bottlenecks in groups") { check<bottlenecks>(); }
TEST_CASE("blocks of two convolutions") { check<plain_blocks>(); }

// SPDX-License-Identifier: Apache-2.0
// The graph level: a network is a function that adds operators to a graph, when the program is compiled. The library
// makes vertices, exchanges and steps of it. Weights come from a file, by the names that the layers have.
#include <tessera/graph.hpp>
#include <tessera/io.hpp>
#include <tessera/nn.hpp>

#include <cstdio>
#include <vector>

namespace ts = tessera;

struct two_layer_perceptron {
  static constexpr auto build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 16});
    auto h = ts::nn::linear(g, "fc1", x, 8);                 // parameters fc1.weight (8, 16), fc1.bias (8)
    auto y = ts::nn::linear(g, "fc2", ts::relu(g, h), 3);    // parameters fc2.weight (3, 8), fc2.bias (3)
    g.output("y", y);
  }
};

/// A file of weights: whole numbers and halves, so that every result is exact.
void write_weights(char const* path) {
  std::vector<float> values[4] = {std::vector<float>(8 * 16), std::vector<float>(8), std::vector<float>(3 * 8),
                                  std::vector<float>(3)};
  int number = 0;
  for (auto& tensor : values)
    for (float& value : tensor) value = static_cast<float>(++number * 5 % 7 - 3) / 2;
  ts::safetensors::entry const entries[] = {
      {"fc1.weight", ts::element::float32, {8, 16}, std::as_bytes(std::span(values[0]))},
      {"fc1.bias", ts::element::float32, {8}, std::as_bytes(std::span(values[1]))},
      {"fc2.weight", ts::element::float32, {3, 8}, std::as_bytes(std::span(values[2]))},
      {"fc2.bias", ts::element::float32, {3}, std::as_bytes(std::span(values[3]))}};
  ts::safetensors::write(path, entries);
}

int main() {
  write_weights("mlp.safetensors");
  ts::model<two_layer_perceptron> mlp{ts::safetensors::open("mlp.safetensors")};

  std::vector<float> pixels(4 * 16);
  for (int i = 0; i < 4 * 16; ++i) pixels[i] = static_cast<float>(i % 3);
  auto [y] = mlp.run(ts::in<"x">(pixels));
  for (int row = 0; row < 4; ++row) std::printf("%8.2f %8.2f %8.2f\n", y[3 * row], y[3 * row + 1], y[3 * row + 2]);

  // The same without a copy: inputs and outputs are spans of the model's own memory.
  mlp.input<"x">()[0] += 1;
  mlp.run();
  std::printf("%8.2f after a change of x(0, 0)\n", mlp.output<"y">()[0]);

  // What a file lacks is an error before anything of the model is used.
  struct three_layers {
    static constexpr auto build(ts::graph& g) {
      g.output("y", ts::nn::linear(g, "fc3", g.input<float>("x", {1, 16}), 8));
    }
  };
  try {
    ts::model<three_layers> other{ts::safetensors::open("mlp.safetensors")};
  } catch (ts::io_error const& error) {
    std::printf("%s\n", error.what());
  }
}

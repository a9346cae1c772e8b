// SPDX-License-Identifier: Apache-2.0
// A model for other languages: this file is the shared library libperceptron.so, perceptron.py calls it.
#include <tessera/c_api.hpp>
#include <tessera/nn.hpp>

namespace ts = tessera;

struct perceptron {
  static constexpr void build(ts::graph& g) {
    auto const images = g.run_time_length("images", 64);
    auto const x = g.input<float>("x", {images, 784});
    auto const h = ts::relu(g, ts::nn::linear(g, "fc1", x, 256));
    g.output("y", ts::nn::linear(g, "fc2", h, 10));
  }
};

TESSERA_C_API(ts::c_api::exported<perceptron>{"perceptron"});

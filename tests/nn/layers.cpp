// SPDX-License-Identifier: Apache-2.0
#include <tessera/nn.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

std::vector<std::string> parameters(ts::graph const& g) {
  std::vector<std::string> all;
  for (auto const& p : g.parameters) {
    std::string text(g.name_of(p));
    for (int d = 0; d < g.shape({p.id}).rank; ++d) text += " " + std::to_string(g.shape({p.id})[d]);
    all.push_back(text);
  }
  return all;
}

}  // namespace

TEST_CASE("a linear layer names its parameters as checkpoints do") {
  auto const g = std::make_unique<ts::graph>();
  auto const x = g->input<float>("x", {2, 3, 7});
  auto const y = ts::nn::linear(*g, "fc1", x, 5);
  auto const z = ts::nn::linear(*g, ts::name("block.", 2, ".proj"), y, 5, {.residual = y, .bias = false});
  CHECK(g->first_mistake.what == ts::graph_mistake::kind::none);
  CHECK(parameters(*g) == std::vector<std::string>{"fc1.weight 5 7", "fc1.bias 5", "block.2.proj.weight 5 5"});
  CHECK(ts::detail::same_shape(g->shape(z), {2, 3, 5}));
  CHECK(g->ops.size() == 2);  // bias, function and residual are part of the product
}

TEST_CASE("a layer norm has a weight and a bias as long as a row") {
  auto const g = std::make_unique<ts::graph>();
  auto const x = g->input<float>("x", {2, 3, 7});
  auto const y = ts::nn::layer_norm(*g, "norm", x);
  CHECK(g->first_mistake.what == ts::graph_mistake::kind::none);
  CHECK(parameters(*g) == std::vector<std::string>{"norm.weight 7", "norm.bias 7"});
  CHECK(ts::detail::same_shape(g->shape(y), {2, 3, 7}));
  CHECK(g->ops[0].number[0] == 1e-5);
}

TEST_CASE("the same name twice is a mistake") {
  auto const g = std::make_unique<ts::graph>();
  auto const x = g->input<float>("x", {4, 7});
  ts::nn::linear(*g, "fc", x, 7);
  ts::nn::layer_norm(*g, "fc", x);
  CHECK(g->first_mistake.what == ts::graph_mistake::kind::name_twice);
  CHECK(g->first_mistake.name.view() == "fc.weight");
}

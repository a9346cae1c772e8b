// SPDX-License-Identifier: Apache-2.0
#include <tessera/graph.hpp>
#include <tessera/models/bert.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace ts = tessera;

namespace {

template <int Layers>
struct sized {
  static constexpr ts::models::bert_configuration value{.layers = Layers, .hidden = 96, .heads = 4, .intermediate = 160};
};

using full_lowering = ts::isa_detail::lowering<ts::isa_detail::lower_limits, true>;

std::pair<std::unique_ptr<ts::graph>, std::unique_ptr<full_lowering>> lowered(void (*build)(ts::graph&)) {
  auto g = std::make_unique<ts::graph>();
  build(*g);
  REQUIRE(g->first_mistake.what == ts::graph_mistake::kind::none);
  *g = ts::fused(*g);
  auto l = std::make_unique<full_lowering>(*g, ts::machines::host<>::value);
  return {std::move(g), std::move(l)};
}

// A layer as models/bert.hpp has it, and one of operators that each do one thing.
constexpr ts::node with_options(ts::graph& g, ts::node x, ts::node bounds) {
  return ts::models::bert_layers<sized<1>>::layer(g, "layer", x, bounds);
}
constexpr ts::node plain_linear(ts::graph& g, ts::text const& at, ts::node x, int width) {
  auto const weight = g.parameter(ts::name(at, ".weight"), {width, g.shape(x).cols()});
  auto const bias = g.parameter(ts::name(at, ".bias"), {width});
  return ts::add(g, ts::matmul(g, x, weight, {.transpose_b = true}), bias);
}
constexpr ts::node of_plain_operators(ts::graph& g, ts::node x, ts::node bounds) {
  auto const& c = sized<1>::value;
  auto const q = plain_linear(g, "layer.attention.self.query", x, c.hidden);
  auto const k = plain_linear(g, "layer.attention.self.key", x, c.hidden);
  auto const v = plain_linear(g, "layer.attention.self.value", x, c.hidden);
  auto const context = ts::packed_attention(g, q, k, v, bounds, c.heads);
  auto const attended = plain_linear(g, "layer.attention.output.dense", context, c.hidden);
  auto const a = ts::nn::layer_norm(g, "layer.attention.output.LayerNorm", ts::add(g, attended, x), c.eps);
  auto const f = ts::gelu(g, plain_linear(g, "layer.intermediate.dense", a, c.intermediate));
  auto const out = plain_linear(g, "layer.output.dense", f, c.hidden);
  return ts::nn::layer_norm(g, "layer.output.LayerNorm", ts::add(g, a, out), c.eps);
}
template <ts::node (*Layer)(ts::graph&, ts::node, ts::node)>
void build_layer(ts::graph& g) {
  auto const tokens = g.run_time_length("tokens", 64);
  auto const x = g.input<float>("x", {tokens, sized<1>::value.hidden});
  g.output("y", Layer(g, x, g.input<std::int32_t>("bounds", {tokens, 2})));
}

}  // namespace

TEST_CASE("a layer of plain operators becomes the same compute sets") {
  auto const [g, ours] = lowered(&build_layer<with_options>);
  auto const [h, plain] = lowered(&build_layer<of_plain_operators>);
  CHECK(ours->used == plain->used);
  CHECK(ours->used.steps == 9);   // six products, attention, two norms
  REQUIRE(g->ops.size() == h->ops.size());
  CHECK(g->nodes.size() == h->nodes.size());
  for (int i = 0; i < g->ops.size(); ++i) {
    INFO("operator ", i);
    CHECK(g->ops[i] == h->ops[i]);
  }
  for (int i = 0; i < ours->used.kernels; ++i) CHECK(ours->keys[i] == plain->keys[i]);
}

TEST_CASE("layers share code: as many kernels for twelve as for two") {
  auto const two = lowered(&ts::models::bert<sized<2>>::build).second;
  auto const twelve = lowered(&ts::models::bert<sized<12>>::build).second;
  CHECK(twelve->used.executes == two->used.executes + 10 * 9);
  CHECK(two->used.kernels == twelve->used.kernels);
  for (int i = 0; i < two->used.kernels; ++i) CHECK(two->keys[i] == twelve->keys[i]);
  CHECK(twelve->used.kernels == 10);
}

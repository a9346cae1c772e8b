// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>
#include <tessera/nn.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

using full_lowering = ts::isa_detail::lowering<ts::isa_detail::lower_limits, true>;

std::unique_ptr<ts::graph> built(std::function<void(ts::graph&)> const& build) {
  auto g = std::make_unique<ts::graph>();
  build(*g);
  REQUIRE(g->first_mistake.what == ts::graph_mistake::kind::none);
  return g;
}

// What a graph consists of once it is fused, an operator a word; [ ] holds what a product or a norm does besides.
std::string fused(std::function<void(ts::graph&)> const& build) {
  auto const g = std::make_unique<ts::graph>(ts::fused(*built(build)));
  std::string text;
  for (ts::op_record const& op : g->ops) {
    text += (text.empty() ? "" : " ") + std::string(ts::name_of(op.kind));
    if (op.kind == ts::op_kind::matmul)
      text += std::string("[") + (op.operand[2] >= 0 ? "b" : "") + (ts::detail::adds_first(op) ? "r" : "") +
              (ts::detail::function_of(op) != ts::activation::none ? "f" : "") +
              (op.operand[3] >= 0 && !ts::detail::adds_first(op) ? "r" : "") + "]";
    if (op.kind == ts::op_kind::layer_norm && op.operand[3] >= 0) text += "[a]";
    // Operands are there before they are read, and nothing that has vanished is read.
    for (int k = 0; k < op.operands; ++k) CHECK(op.operand[k] < g->nodes.size());
    CHECK(op.result < g->nodes.size());
    for (ts::op_record const* later = &op; later != g->ops.end(); ++later)
      CHECK(std::none_of(op.operand, op.operand + op.operands, [&](int n) { return n == later->result; }));
  }
  return text;
}

// x (8, 6), w (5, 6), bias (5), r and s (8, 5), and their product.
struct parts {
  explicit parts(ts::graph& g)
      : x(g.input<float>("x", {8, 6})), w(g.input<float>("w", {5, 6})), bias(g.input<float>("bias", {5})),
        r(g.input<float>("r", {8, 5})), s(g.input<float>("s", {8, 5})), xw(ts::linear(g, x, w)) {}
  ts::node x, w, bias, r, s, xw;
};

}  // namespace

TEST_CASE("a vector is a bias, a function is a function, a tensor is a residual") {
  CHECK(fused([](auto& g) { parts p(g); g.output("y", ts::add(g, p.xw, p.bias)); }) == "matmul[b]");
  CHECK(fused([](auto& g) { parts p(g); g.output("y", ts::add(g, p.bias, p.xw)); }) == "matmul[b]");
  CHECK(fused([](auto& g) { parts p(g); g.output("y", ts::gelu(g, p.xw)); }) == "matmul[f]");
  CHECK(fused([](auto& g) { parts p(g); g.output("y", ts::add(g, p.xw, p.r)); }) == "matmul[r]");
  CHECK(fused([](auto& g) { parts p(g); g.output("y", ts::add(g, p.r, p.xw)); }) == "matmul[r]");
  CHECK(fused([](auto& g) { parts p(g); g.output("y", ts::relu(g, ts::add(g, p.xw, p.r))); }) == "matmul[rf]");
  CHECK(fused([](auto& g) {
          parts p(g);
          g.output("y", ts::add(g, p.r, ts::tanh(g, ts::add(g, p.xw, p.bias))));
        }) == "matmul[bfr]");
  CHECK(fused([](auto& g) {
          g.output("y", ts::add(g, ts::matmul(g, g.template input<float>("a", {3, 4, 5}),
                                              g.template input<float>("b", {3, 5, 2})),
                                g.template input<float>("r", {3, 4, 2})));
        }) == "matmul[r]");
}

TEST_CASE("what would come in another order, or has another shape, stays") {
  auto const after = [](auto const& what) {
    return fused([&](ts::graph& g) { parts p(g); g.output("y", what(g, p)); });
  };
  using ts::add;
  CHECK(after([](auto& g, parts p) { return add(g, ts::relu(g, p.xw), p.bias); }) == "matmul[f] binary");
  CHECK(after([](auto& g, parts p) { return add(g, ts::relu(g, add(g, p.xw, p.r)), p.s); }) == "matmul[rf] binary");
  CHECK(after([](auto& g, parts p) { return add(g, add(g, p.xw, p.r), p.bias); }) == "matmul[r] binary");
  CHECK(after([](auto& g, parts p) { return add(g, add(g, p.xw, p.r), p.s); }) == "matmul[r] binary");
  CHECK(after([](auto& g, parts p) { return add(g, add(g, p.xw, p.bias), p.bias); }) == "matmul[b] binary");
  CHECK(after([](auto& g, parts p) { return ts::relu(g, ts::tanh(g, p.xw)); }) == "matmul[f] activation");
  CHECK(after([](auto& g, parts p) { return ts::sub(g, p.xw, p.r); }) == "matmul[] binary");
  CHECK(after([](auto& g, parts p) { return ts::mul(g, p.xw, p.bias); }) == "matmul[] binary");
  CHECK(after([](auto& g, parts p) { return add(g, p.xw, g.template input<float>("one", {1})); }) == "matmul[] binary");
  CHECK(after([](auto& g, parts p) { return add(g, p.xw, g.template input<float>("col", {8, 1})); }) ==
        "matmul[] binary");
  CHECK(after([](auto& g, parts p) { return add(g, p.xw, g.template input<float>("many", {2, 8, 5})); }) ==
        "matmul[] binary");
  CHECK(after([](auto& g, parts p) { return ts::relu(g, add(g, p.r, p.s)); }) == "matmul[] binary activation");
}

TEST_CASE("what others read stays as well") {
  auto const with = [](auto const& what) { return fused([&](ts::graph& g) { parts p(g); what(g, p); }); };
  CHECK(with([](auto& g, parts p) {
          g.output("y", ts::relu(g, p.xw));
          g.output("product", p.xw);
        }) == "matmul[] activation");
  CHECK(with([](auto& g, parts p) {
          g.output("y", ts::relu(g, p.xw));
          g.output("z", ts::tanh(g, p.xw));
        }) == "matmul[] activation activation");
  CHECK(with([](auto& g, parts p) { g.output("y", ts::add(g, p.xw, p.xw)); }) == "matmul[] binary");
  // The residual depends on the product.
  CHECK(with([](auto& g, parts p) { g.output("y", ts::add(g, p.xw, ts::tanh(g, p.xw))); }) ==
        "matmul[] activation binary");
  CHECK(with([](auto& g, parts p) {
          auto const sum = ts::add(g, p.r, p.s);
          g.output("y", ts::layer_norm(g, sum, p.bias, p.bias, 1e-5));
          g.output("sum", sum);
        }) == "matmul[] binary layer_norm");
}

TEST_CASE("of two products the later one takes the other's result, if it can") {
  auto const sum = [](auto const& second) {
    auto const g = std::make_unique<ts::graph>(ts::fused(*built([&](ts::graph& made) {
      parts p(made);
      auto const other = second(made, p);
      made.output("y", ts::add(made, other, ts::add(made, p.xw, p.bias)));
    })));
    REQUIRE(g->ops.size() == 2);
    return std::vector<bool>{g->ops[0].operand[3] >= 0, g->ops[1].operand[3] >= 0, g->ops[1].operand[2] >= 0};
  };
  CHECK(sum([](auto& g, parts p) { return ts::linear(g, p.x, p.w); }) == std::vector<bool>{false, true, true});
  // Here the sum moves behind what it reads.
  CHECK(sum([](auto& g, parts p) { return ts::linear(g, p.x, p.w, {}, ts::activation::none, p.r); }) ==
        std::vector<bool>{true, true, true});
  // A residual that is made after the product.
  CHECK(fused([](ts::graph& g) {
          parts p(g);
          g.output("y", ts::add(g, p.xw, ts::softmax(g, p.r)));
        }) == "softmax matmul[r]");
}

TEST_CASE("the norm of a sum") {
  auto const norm = [](auto const& of) {
    return fused([&](ts::graph& g) { parts p(g); g.output("y", ts::layer_norm(g, of(g, p), p.bias, p.bias, 1e-5)); });
  };
  CHECK(norm([](auto& g, parts p) { return ts::add(g, p.r, p.s); }) == "matmul[] layer_norm[a]");
  CHECK(norm([](auto& g, parts p) { return ts::add(g, p.r, p.r); }) == "matmul[] layer_norm[a]");
  CHECK(norm([](auto& g, parts p) { return ts::add(g, p.xw, p.s); }) == "matmul[r] layer_norm");
  CHECK(norm([](auto& g, parts p) { return ts::add(g, ts::add(g, p.xw, p.r), p.s); }) == "matmul[r] layer_norm[a]");
  CHECK(norm([](auto& g, parts p) { return ts::add(g, p.r, p.bias); }) == "matmul[] binary layer_norm");
  CHECK(norm([](auto& g, parts p) { return ts::sub(g, p.r, p.s); }) == "matmul[] binary layer_norm");
}

TEST_CASE("written one by one, and as one operator with options: the same program") {
  auto const one_by_one = ts::fused(*built([](ts::graph& g) {
    parts p(g);
    auto const hidden = ts::gelu(g, ts::add(g, p.xw, p.bias));
    g.output("y", ts::layer_norm(g, ts::add(g, p.r, hidden), p.bias, p.bias, 1e-12));
  }));
  auto const with_options = ts::fused(*built([](ts::graph& g) {
    auto const x = g.input<float>("x", {8, 6}), w = g.input<float>("w", {5, 6}), bias = g.input<float>("bias", {5});
    auto const r = g.input<float>("r", {8, 5});
    g.input<float>("s", {8, 5});
    auto const y = ts::linear(g, x, w, bias, ts::activation::gelu_erf, r);
    g.output("y", ts::layer_norm(g, y, bias, bias, 1e-12));
  }));
  CHECK(one_by_one.nodes.size() == with_options.nodes.size());
  REQUIRE(one_by_one.ops.size() == with_options.ops.size());
  for (int i = 0; i < one_by_one.ops.size(); ++i) CHECK(one_by_one.ops[i] == with_options.ops[i]);
  auto const a = std::make_unique<full_lowering>(one_by_one, ts::machines::host<>::value);
  auto const b = std::make_unique<full_lowering>(with_options, ts::machines::host<>::value);
  CHECK(a->used == b->used);
  CHECK(a->used.steps == 2);
  CHECK(a->used.kernels == 2);
}

TEST_CASE("run-time lengths stay with their rows") {
  auto const sum = [](bool ragged_product, bool ragged_other) {
    return fused([&](ts::graph& g) {
      auto const n = g.run_time_length("n", 16);
      ts::dims const some{n, 6}, all{16, 6};
      auto const x = g.input<float>("x", ragged_product ? some : all), w = g.input<float>("w", {6, 6});
      g.output("y", ts::add(g, ts::matmul(g, x, w), g.input<float>("r", ragged_other ? some : all)));
    });
  };
  CHECK(sum(true, true) == "matmul[r]");
  CHECK(sum(true, false) == "matmul[r]");
  CHECK(sum(false, true) == "matmul[] binary");   // the sum has fewer rows than the product
}

TEST_CASE("a graph with a mistake comes back as it is") {
  auto const g = std::make_unique<ts::graph>();
  auto const x = g->input<float>("x", {4, 6});
  ts::relu(*g, ts::matmul(*g, x, x));
  CHECK(ts::fused(*g).first_mistake.what == ts::graph_mistake::kind::shapes);
}

namespace {

// A network of plain operators. With `Outputs` every tensor between them is an output, and nothing can be fused.
template <bool Outputs>
struct plain {
  static constexpr ts::node seen(ts::graph& g, int& number, ts::node n) {
    if (Outputs) g.output(ts::name("between ", number++), n);
    return n;
  }
  static constexpr void build(ts::graph& g) {
    int number = 0;
    auto const between = [&](ts::node n) { return seen(g, number, n); };
    auto const n = g.run_time_length("rows", 40);
    auto const x = g.input<float>("x", {n, 33});
    auto const w1 = g.input<float>("w1", {70, 33}), b1 = g.input<float>("b1", {70});
    auto const w2 = g.input<float>("w2", {70, 33}), b2 = g.input<float>("b2", {33});
    auto const hidden = between(ts::gelu(g, between(ts::add(g, between(ts::linear(g, x, w1)), b1))));
    auto const back = between(ts::add(g, b2, between(ts::matmul(g, hidden, w2))));
    auto const first = between(ts::layer_norm(g, between(ts::add(g, back, x)), b2, b2, 1e-5));
    g.output("y", ts::layer_norm(g, between(ts::add(g, ts::tanh(g, first), x)), b2, b2, 1e-5));
    g.output("vector", ts::layer_norm(g, between(ts::add(g, b2, b2)), b2, b2, 1e-5));
  }
};

template <class M>
std::vector<std::vector<float>> outputs_of(int rows) {
  ts::model<M> m{ts::engine_options{.threads = 2}};
  auto const fill = [](std::span<float> to, std::uint32_t seed) {
    auto const values = reference::numbers(to.size(), seed);
    std::copy(values.begin(), values.end(), to.begin());
  };
  fill(m.template input<"x">(), 1);
  fill(m.template input<"w1">(), 2);
  fill(m.template input<"b1">(), 3);
  fill(m.template input<"w2">(), 4);
  fill(m.template input<"b2">(), 5);
  m.template set_length<"rows">(rows);
  m.run();
  auto const y = m.template output<"y">().first(static_cast<std::size_t>(rows) * 33);
  auto const v = m.template output<"vector">();
  return {{y.begin(), y.end()}, {v.begin(), v.end()}};
}

template <class M>
inline constexpr auto program_counts = ts::graph_program<M, ts::machines::host<>>::counts;

}  // namespace

TEST_CASE("fused and not fused: the same values") {
  static_assert(program_counts<plain<true>>.steps == 12);
  static_assert(program_counts<plain<false>>.steps == 6);
  static_assert(program_counts<plain<false>>.tensors == program_counts<plain<true>>.tensors - 6);
  for (int rows : {40, 17, 1}) {
    auto const plainly = outputs_of<plain<true>>(rows), fused = outputs_of<plain<false>>(rows);
    for (std::size_t i = 0; i < plainly.size(); ++i)
      CHECK(close(fused[i], std::vector<double>(plainly[i].begin(), plainly[i].end())));
  }
}

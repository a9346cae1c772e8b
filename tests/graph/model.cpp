// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "laws/counted_allocations.hpp"
#include "reference/loops.hpp"
#include <tessera/graph.hpp>
#include <tessera/nn.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ts = tessera;

namespace {

// The model of the design's page, smaller.
struct two_layer_perceptron {
  static constexpr auto build(ts::graph& g) {
    auto x = g.input<float>("x", {32, 28});
    auto h = ts::nn::linear(g, "fc1", x, 50);
    auto y = ts::nn::linear(g, "fc2", ts::relu(g, h), 10);
    g.output("y", y);
  }
};

// Parameters by name; counts how often each is read.
struct weights {
  std::map<std::string, std::vector<float>, std::less<>> tensors = {{"fc1.weight", reference::numbers(50 * 28, 1)},
                                                                    {"fc1.bias", reference::numbers(50, 2)},
                                                                    {"fc2.weight", reference::numbers(10 * 50, 3)},
                                                                    {"fc2.bias", reference::numbers(10, 4)}};
  mutable std::map<std::string, int, std::less<>> reads;

  void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> values) const {
    auto const found = tensors.find(name);
    if (found == tensors.end()) throw ts::io_error("no tensor " + std::string(name), "memory");
    std::int64_t volume = 1;
    for (std::int64_t extent : shape) volume *= extent;
    CHECK(static_cast<std::size_t>(volume) == values.size());
    REQUIRE(found->second.size() == values.size());
    std::copy(found->second.begin(), found->second.end(), values.begin());
    ++reads[std::string(name)];
  }
};

// The same, which lends what is not called a bias.
struct lender : weights {
  mutable std::vector<std::string> log;

  std::span<float const> lend_float32(std::string_view name, std::span<std::int64_t const>) const {
    if (name.ends_with("bias")) return {};
    log.push_back("lend " + std::string(name));
    return tensors.find(name)->second;
  }
  void release(std::string_view name) const { log.push_back("release " + std::string(name)); }
};

std::vector<double> layer(std::vector<float> const& x, std::vector<float> const& weight, std::vector<float> const& bias,
                          std::size_t rows, std::size_t in, std::size_t out) {
  auto y = reference::matmul(x, reference::transpose(weight, out, in), rows, in, out);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += double{bias[i % out]};
  return y;
}

// y = x · weightᵀ of up to Capacity rows.
template <int Capacity>
struct ragged {
  static constexpr void build(ts::graph& g) {
    auto const rows = g.run_time_length("rows", Capacity);
    auto const x = g.input<float>("x", {rows, 28});
    g.output("y", ts::nn::linear(g, "fc1", x, 50, {.function = ts::activation::relu}));
    g.output("sum", ts::reduce_sum(g, x, {1}));
  }
};

// Operators on rows, of a tensor of which only some rows count.
struct ragged_rows {
  static constexpr void build(ts::graph& g) {
    auto const rows = g.run_time_length("rows", 90);
    auto const x = g.input<float>("x", {rows, 7});
    auto const v = g.input<float>("v", {7}), square = g.input<float>("square", {7, 7});
    g.output("sum", ts::reduce_sum(g, x, {1}));
    g.output("shifted", ts::sub(g, v, x));
    g.output("softmax", ts::softmax(g, x));
    g.output("norm", ts::layer_norm(g, x, v, v, 1e-5));
    g.output("unit", ts::l2_normalize(g, x));
    g.output("tanh", ts::tanh(g, x));
    g.output("joined", ts::concat(g, {x, x}, 1));
    g.output("product", ts::matmul(g, x, square, {.bias = v, .residual = x}));
    g.output("looked up", ts::embedding(g, square, g.input<std::int32_t>("ids", {rows})));
  }
};

// One parameter as a table, as a weight in either storage order, as a tensor that is read in place, and as an output.
struct tied {
  static constexpr void build(ts::graph& g) {
    auto const w = g.parameter("fc1.weight", {50, 28}), bias = g.parameter("fc1.bias", {50});
    auto const e = ts::embedding(g, w, g.input<std::int32_t>("ids", {9}));
    auto const h = ts::linear(g, e, w, bias);
    g.output("y", ts::matmul(g, h, w));
    g.output("sum", ts::reduce_sum(g, w, {0}));
    g.output("table", w);
    g.output("bias", bias);
  }
};

// A product of which nothing but the weight is a parameter.
template <ts::element Weights>
struct product {
  static constexpr void build(ts::graph& g) {
    auto const x = g.input<float>("x", {4, 64});
    g.output("y", ts::nn::linear(g, "fc", x, 128, {.bias = false, .weights = Weights}));
  }
};
struct ones {
  void read_float32(std::string_view, std::span<std::int64_t const>, std::span<float> values) const {
    std::fill(values.begin(), values.end(), 1.0f);
  }
};

struct several {
  static constexpr void build(ts::graph& g) {
    auto const a = g.input<float>("a", {3, 4});
    auto const ids = g.input<std::int64_t>("ids", {5});
    auto const b = g.input<double>("unused", {2});
    static_cast<void>(b);
    g.output("first", ts::relu(g, a));
    g.output("again", ts::relu(g, a));
    g.output("rows", ts::embedding(g, a, ids));
    g.output("input itself", a);
  }
};

}  // namespace

TEST_CASE("parameters are read in place where they are lent, and each is given back before the next") {
  static_assert(ts::WeightSource<weights> && !ts::LendingWeightSource<weights> && ts::LendingWeightSource<lender>);
  weights const copied;
  lender const lent;
  ts::model<tied> a{copied}, b{lent};
  CHECK(copied.reads.size() == 2);
  CHECK(lent.reads.size() == 1);   // the bias
  CHECK(lent.log == std::vector<std::string>{"lend fc1.weight", "release fc1.weight", "release fc1.bias"});
  std::vector<std::int32_t> const ids = {3, 0, 49, 7, 7, 1, 2, 30, 11};
  CHECK(a.run(ts::in<"ids">(ids)) == b.run(ts::in<"ids">(ids)));
}

TEST_CASE("weights of bf16 take half the memory") {
  ts::model<product<ts::element::float32>> wide{ones{}};
  ts::model<product<ts::element::bfloat16>> narrow{ones{}};
  CHECK(wide.parameters()->bytes() == 4 * 64 * 128);
  CHECK(narrow.parameters()->bytes() == 2 * 64 * 128);
  CHECK(wide.bytes() - narrow.bytes() == 2 * 64 * 128);
  std::vector<float> const x(4 * 64, 1.0f);
  auto const [y] = narrow.run(ts::in<"x">(x));
  CHECK(y == std::vector<float>(4 * 128, 64.0f));
}

TEST_CASE("a source that lends another number of values than a parameter has is refused") {
  for (std::size_t count : {1u, 1399u, 1401u}) {
    lender wrong;
    wrong.tensors["fc1.weight"].resize(count);
    std::string const message = "tessera: parameter fc1.weight has 1400 elements, but " + std::to_string(count) +
                                " were lent";
    CHECK_THROWS_WITH_AS(ts::model<tied>{wrong}, message.c_str(), ts::input_error);
  }
}

TEST_CASE("a perceptron") {
  weights const w;
  auto const pixels = reference::numbers(32 * 28, 9);
  auto hidden = layer(pixels, w.tensors.at("fc1.weight"), w.tensors.at("fc1.bias"), 32, 28, 50);
  std::vector<float> rectified;
  for (double h : hidden) rectified.push_back(h > 0 ? static_cast<float>(h) : 0.0f);
  auto const want = layer(rectified, w.tensors.at("fc2.weight"), w.tensors.at("fc2.bias"), 32, 50, 10);

  std::vector<float> first;
  for (int threads : {1, 2, 5}) {
    ts::model<two_layer_perceptron, ts::machines::host<>> mlp{w, {.threads = threads}};
    CHECK(mlp.threads() == threads);
    CHECK(mlp.bytes() > static_cast<std::int64_t>(sizeof(float)) * 28 * 50);
    auto const [y] = mlp.run(ts::in<"x">(pixels));
    CHECK(close(y, want));
    if (first.empty()) first = y;
    CHECK(y == first);  // the number of threads does not change a bit

    // In place, and without a heap allocation.
    std::copy(pixels.begin(), pixels.end(), mlp.input<"x">().begin());
    mlp.run();
    long const before = laws::allocations;
    for (int i = 0; i < 5; ++i) mlp.run();
    CHECK(laws::allocations == before);
    auto const in_place = mlp.output<"y">();
    CHECK(std::vector<float>(in_place.begin(), in_place.end()) == first);
  }
  for (auto const& [name, count] : w.reads) CHECK(count == 3);
  CHECK(w.reads.size() == 4);
}

TEST_CASE("parameters that are missing, and thread counts that cannot be") {
  weights w;
  w.tensors.erase("fc2.bias");
  CHECK_THROWS_AS(ts::model<two_layer_perceptron>{w}, ts::io_error);
  weights const all;
  CHECK_THROWS_AS((ts::model<two_layer_perceptron>{all, {.threads = 0}}), ts::input_error);
  CHECK_THROWS_AS((ts::model<two_layer_perceptron>{all, {.threads = -3}}), ts::input_error);
  CHECK_THROWS_AS((ts::model<two_layer_perceptron>{all, {.threads = 1025}}), ts::input_error);
  CHECK(ts::model<two_layer_perceptron>{all, {.threads = 1000}}.threads() == 64);  // no more than tiles
}

TEST_CASE("inputs and outputs by name, with their types and sizes") {
  ts::model<several> m;
  static_assert(std::is_same_v<decltype(m.input<"ids">()), std::span<std::int64_t>>);
  static_assert(std::is_same_v<decltype(m.output<"rows">()), std::span<float const>>);
  CHECK(m.input<"a">().size() == 12);
  CHECK(m.output<"rows">().size() == 20);
  std::vector<float> const a = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};
  std::vector<std::int64_t> const ids = {2, 0, 2, 1, 0};
  std::vector<double> const unused = {1, 2};
  auto const [first, again, rows, itself] = m.run(ts::in<"ids">(ids), ts::in<"unused">(unused), ts::in<"a">(a));
  CHECK(itself == a);
  CHECK(first == std::vector<float>{1, 0, 3, 0, 5, 0, 7, 0, 9, 0, 11, 0});
  CHECK(again == first);
  CHECK(std::vector<float>(rows.begin(), rows.begin() + 5) == std::vector<float>{9, -10, 11, -12, 1});

  // A wrong number of elements is told before anything runs.
  std::string message;
  try {
    m.run(ts::in<"ids">(std::vector<std::int64_t>{1, 2}), ts::in<"unused">(unused), ts::in<"a">(a));
  } catch (ts::input_error const& e) {
    message = e.what();
  }
  CHECK(message == "tessera: input ids has 5 elements, but 2 were given");

  // So is an id in the run; afterwards the model works as before.
  m.input<"ids">()[4] = 3;
  CHECK_THROWS_AS(m.run(), ts::run_error);
  CHECK_THROWS_AS(m.run(), ts::run_error);
  CHECK(std::get<2>(m.run(ts::in<"ids">(ids), ts::in<"unused">(unused), ts::in<"a">(a))) == rows);
}

TEST_CASE("run-time lengths, and several capacities with one set of parameters") {
  weights const w;
  auto const x = reference::numbers(64 * 28, 5);
  auto want = layer(x, w.tensors.at("fc1.weight"), w.tensors.at("fc1.bias"), 64, 28, 50);
  for (double& v : want) v = v > 0 ? v : 0;
  ts::model<ragged<64>> large{w, {.threads = 2}};
  ts::model<ragged<16>> small{large};
  CHECK(small.parameters().get() == large.parameters().get());
  CHECK(w.reads.at("fc1.weight") == 1);

  auto check = [&](auto& m, int capacity) {
    auto const to = m.template input<"x">();
    auto const y = m.template output<"y">();
    std::copy_n(x.begin(), to.size(), to.begin());
    for (int n : {capacity, 1, 7, capacity - 1, 2, 0, capacity}) {
      INFO("capacity ", capacity, ", length ", n);
      m.template set_length<"rows">(n);
      m.run();
      auto const size = static_cast<std::size_t>(n) * 50;
      if (n > 0)
        CHECK(
            close(y.first(size), std::vector<double>(want.begin(), want.begin() + static_cast<std::ptrdiff_t>(size))));
    }
    // What lies beyond the length does not matter.
    m.template set_length<"rows">(5);
    for (float& value : to.subspan(5 * 28)) value = 1e30f;
    m.run();
    CHECK(close(y.first(5 * 50), std::vector<double>(want.begin(), want.begin() + 5 * 50)));
    long const counted = laws::allocations;
    m.run();
    CHECK(laws::allocations == counted);
    CHECK_THROWS_AS(m.template set_length<"rows">(-1), ts::input_error);
    CHECK_THROWS_AS(m.template set_length<"rows">(capacity + 1), ts::input_error);
  };
  check(large, 64);
  check(small, 16);
}

TEST_CASE("operators on rows do not look beyond the length") {
  auto const x = reference::numbers(90 * 7, 1), v = reference::numbers(7, 2), square = reference::numbers(49, 3);
  std::vector<std::int32_t> ids(90);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i % 7);
  ts::model<ragged_rows> m{ts::engine_options{.threads = 2}};
  auto outputs = [&] {
    auto copy = [](std::span<float const> y) { return std::vector<float>(y.begin(), y.end()); };
    return std::vector<std::vector<float>>{
        copy(m.output<"sum">()),    copy(m.output<"shifted">()), copy(m.output<"softmax">()),
        copy(m.output<"norm">()),   copy(m.output<"unit">()),    copy(m.output<"tanh">()),
        copy(m.output<"joined">()), copy(m.output<"product">()), copy(m.output<"looked up">())};
  };
  m.run(ts::in<"x">(x), ts::in<"v">(v), ts::in<"square">(square), ts::in<"ids">(ids));
  auto const all = outputs();
  auto other = reference::numbers(90 * 7, 9);
  for (int n : {90, 89, 33, 1, 0, 64}) {
    INFO("length ", n);
    // Other values everywhere; then the first rows again, with nonsense behind them.
    m.set_length<"rows">(90);
    std::copy(other.begin(), other.end(), m.input<"x">().begin());
    m.run();
    std::copy_n(x.begin(), n * 7, m.input<"x">().begin());
    for (std::size_t i = 0; i < 90; ++i) m.input<"ids">()[i] = static_cast<int>(i) < n ? ids[i] : -5;
    m.set_length<"rows">(n);
    m.run();
    auto const after = outputs();
    for (std::size_t o = 0; o < all.size(); ++o) {
      auto const valid = static_cast<std::ptrdiff_t>(all[o].size()) / 90 * n;
      CHECK(std::equal(all[o].begin(), all[o].begin() + valid, after[o].begin()));
    }
    std::copy(ids.begin(), ids.end(), m.input<"ids">().begin());
  }
}

TEST_CASE("one parameter in several places") {
  weights const w;
  auto const& table = w.tensors.at("fc1.weight");
  std::vector<std::int32_t> const ids = {3, 49, 0, 7, 7, 12, 30, 1, 48};
  std::vector<float> e, h;
  for (int id : ids) e.insert(e.end(), table.begin() + id * 28, table.begin() + (id + 1) * 28);
  for (double v : layer(e, table, w.tensors.at("fc1.bias"), 9, 28, 50)) h.push_back(static_cast<float>(v));
  std::vector<double> sum(28);
  for (std::size_t i = 0; i < table.size(); ++i) sum[i % 28] += double{table[i]};
  for (int threads : {1, 2}) {
    ts::model<tied> m{w, {.threads = threads}};
    for (int twice = 0; twice < 2; ++twice) {
      auto const [y, total, itself, bias] = m.run(ts::in<"ids">(ids));
      CHECK(close(y, reference::matmul(h, table, 9, 50, 28)));
      CHECK(close(total, sum));
      CHECK(itself == table);
      CHECK(bias == w.tensors.at("fc1.bias"));
    }
  }
}

TEST_CASE("parameters outlive the model that read them") {
  weights const w;
  auto first = std::make_unique<ts::model<ragged<16>>>(w);
  auto const x = reference::numbers(16 * 28, 5);
  std::copy(x.begin(), x.end(), first->input<"x">().begin());
  first->run();
  auto const y = first->output<"y">();
  std::vector<float> const want(y.begin(), y.end());
  ts::model<ragged<64>> second{*first};
  first.reset();
  std::copy(x.begin(), x.end(), second.input<"x">().begin());
  second.set_length<"rows">(16);
  second.run();
  auto const again = second.output<"y">();
  CHECK(std::vector<float>(again.begin(), again.begin() + 16 * 50) == want);
}

// SPDX-License-Identifier: Apache-2.0
#include <tessera/graph/operators.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

namespace ts = tessera;
using mistake = ts::graph_mistake::kind;

namespace {

std::vector<int> extents(ts::graph const& g, ts::node n) {
  ts::dims const& s = g.shape(n);
  std::vector<int> e;
  for (int d = 0; d < s.rank; ++d) e.push_back(s[d]);
  return e;
}
using shape = std::vector<int>;

// A graph with one input of each shape that operators are tried on, and what the first mistake was.
struct trial {
  std::unique_ptr<ts::graph> made = std::make_unique<ts::graph>();
  ts::graph& g = *made;
  int names = 0;
  template <class T = float>
  ts::node of(ts::dims const& s) {
    return g.input<T>(ts::name("in", names++), s);
  }
  mistake wrong() const { return g.first_mistake.what; }
};

}  // namespace

TEST_CASE("names are put together, and cut off where they are too long") {
  CHECK(ts::name("encoder.layer.", 0, ".output").view() == "encoder.layer.0.output");
  CHECK(ts::name("a", 1234567890, ts::name("b", 7)).view() == "a1234567890b7");
  ts::text const long_name =
      ts::name("0123456789012345678901234567890123456789", "0123456789012345678901234567890123456789",
               "0123456789012345678901234567890123456789");
  CHECK(long_name.cut_off);
  CHECK(long_name.view().size() == 96);
  CHECK(!ts::name("x").cut_off);
}

TEST_CASE("a graph keeps what it is given") {
  trial t;
  auto const x = t.g.input<std::int64_t>("x", {3, 4});
  auto const w = t.g.parameter("w", {5});
  t.g.output("y", w);
  CHECK(t.wrong() == mistake::none);
  CHECK(extents(t.g, x) == shape{3, 4});
  CHECK(t.g.type(x) == ts::element::int64);
  CHECK(t.g.type(w) == ts::element::float32);
  CHECK(t.g.nodes[x.id].input);
  CHECK(t.g.nodes[w.id].parameter);
  CHECK(t.g.nodes[w.id].output);
  REQUIRE(t.g.outputs.size() == 1);
  CHECK(t.g.name_of(t.g.outputs[0]) == "y");
  auto const counts = t.g.counts();
  CHECK(counts.nodes == 2);
  CHECK(counts.ops == 0);
  CHECK(counts.inputs == 1);
  CHECK(counts.parameters == 1);
  CHECK(t.g.shape(x).volume() == 12);
  CHECK(ts::dims{}.volume() == 1);
  CHECK(ts::dims{}.cols() == 1);
}

TEST_CASE("a name is given once in each list") {
  trial t;
  t.g.input<float>("x", {3});
  t.g.output("x", t.g.parameter("x", {3}));
  t.g.run_time_length("x", 4);
  CHECK(t.wrong() == mistake::none);
  SUBCASE("inputs") { t.g.input<float>("x", {4}); }
  SUBCASE("parameters") { t.g.parameter("x", {4}); }
  SUBCASE("outputs") { t.g.output("x", ts::node{0}); }
  SUBCASE("lengths") { t.g.run_time_length("x", 4); }
  CHECK(t.wrong() == mistake::name_twice);
  CHECK(t.g.first_mistake.name.view() == "x");
}

TEST_CASE("products: leading dimensions are rows, or broadcast") {
  struct {
    ts::dims a, b, y;
    bool ta, tb;
    int batch;
  } const products[] = {
      {{4, 6}, {6, 5}, {4, 5}, false, false, 1},
      {{6, 4}, {5, 6}, {4, 5}, true, true, 1},
      {{1, 1}, {1, 1}, {1, 1}, false, false, 1},
      {{2, 3, 4, 6}, {6, 5}, {2, 3, 4, 5}, false, false, 1},
      {{2, 3, 4, 6}, {1, 1, 6, 5}, {2, 3, 4, 5}, false, false, 1},
      {{4, 6}, {2, 6, 5}, {2, 4, 5}, false, false, 2},
      {{3, 1, 4, 6}, {2, 6, 5}, {3, 2, 4, 5}, false, false, 6},
      {{3, 6, 4}, {6, 5}, {3, 4, 5}, true, false, 3},
      {{1, 6, 4}, {6, 5}, {1, 4, 5}, true, false, 1},
      {{70, 4, 6}, {70, 5, 6}, {70, 4, 5}, false, true, 70},
  };
  for (auto const& p : products) {
    trial t;
    auto const y = ts::matmul(t.g, t.of(p.a), t.of(p.b), {.transpose_a = p.ta, .transpose_b = p.tb});
    REQUIRE(t.wrong() == mistake::none);
    CHECK(ts::detail::same_shape(t.g.shape(y), p.y));
    auto const& op = t.g.ops[t.g.ops.size() - 1];
    CHECK(op.kind == ts::op_kind::matmul);
    CHECK(op.attribute[3] == p.batch);
    CHECK(op.attribute[4] == 6 - 5 * (p.a[-1] == 1));
  }
}

TEST_CASE("products that do not fit") {
  auto refused = [](ts::dims const& a, ts::dims const& b, ts::matmul_options const& options = {}) {
    trial t;
    ts::matmul(t.g, t.of(a), t.of(b), options);
    return t.wrong();
  };
  CHECK(refused({4, 6}, {5, 6}) == mistake::shapes);
  CHECK(refused({4, 6}, {6, 5}, {.transpose_a = true}) == mistake::shapes);
  CHECK(refused({6}, {6, 5}) == mistake::shapes);
  CHECK(refused({4, 6}, {6}) == mistake::shapes);
  CHECK(refused({}, {}) == mistake::shapes);
  CHECK(refused({2, 4, 6}, {3, 6, 5}) == mistake::shapes);

  auto with = [](auto&& change) {
    trial t;
    auto const a = t.of({4, 6}), b = t.of({6, 5});
    ts::matmul_options options;
    change(t, options);
    ts::matmul(t.g, a, b, options);
    return t.wrong();
  };
  CHECK(with([](trial& t, auto& o) { o.bias = t.of({5}); }) == mistake::none);
  CHECK(with([](trial& t, auto& o) { o.bias = t.of({4}); }) == mistake::shapes);
  CHECK(with([](trial& t, auto& o) { o.bias = t.of({1, 5}); }) == mistake::shapes);
  CHECK(with([](trial& t, auto& o) { o.bias = t.of({5, 1}); }) == mistake::shapes);
  CHECK(with([](trial& t, auto& o) { o.bias = t.of<double>({5}); }) == mistake::type);
  CHECK(with([](trial& t, auto& o) { o.residual = t.of({4, 5}); }) == mistake::none);
  CHECK(with([](trial& t, auto& o) { o.residual = t.of({5}); }) == mistake::shapes);
  CHECK(with([](trial& t, auto& o) { o.residual = t.of<std::int32_t>({4, 5}); }) == mistake::type);
  trial t;
  ts::matmul(t.g, t.of<double>({4, 6}), t.of({6, 5}));
  CHECK(t.wrong() == mistake::type);
}

TEST_CASE("bf16 is for weights of products") {
  auto const of = [](auto&& add) {
    trial t;
    add(t.g, t, t.g.parameter("w", {6, 6}, ts::element::bfloat16));
    return t.wrong();
  };
  CHECK(of([](auto& g, auto& t, auto w) { ts::matmul(g, t.of({4, 6}), w); }) == mistake::none);
  CHECK(of([](auto& g, auto& t, auto w) { ts::linear(g, t.of({2, 4, 6}), w); }) == mistake::none);
  // on the left, as what is added, or as one matrix of several
  CHECK(of([](auto& g, auto& t, auto w) { ts::matmul(g, w, t.of({6, 4})); }) == mistake::type);
  CHECK(of([](auto& g, auto&, auto w) { ts::matmul(g, w, w); }) == mistake::type);
  CHECK(of([](auto& g, auto& t, auto w) {
          ts::matmul(g, t.of({6, 6}), t.of({6, 6}), {.residual = w});
        }) == mistake::type);
  CHECK(of([](auto& g, auto& t, auto) {
          ts::matmul(g, t.of({4, 6}), t.of({6, 5}), {.bias = g.parameter("b", {5}, ts::element::bfloat16)});
        }) == mistake::type);
  CHECK(of([](auto& g, auto& t, auto) {
          ts::matmul(g, t.of({2, 4, 6}), g.parameter("b", {2, 6, 5}, ts::element::bfloat16));
          CHECK(g.first_mistake.op == ts::op_kind::matmul);
        }) == mistake::type);
  CHECK(of([](auto& g, auto& t, auto) {
          ts::matmul(g, t.of({2, 4, 6}), g.parameter("b", {1, 6, 5}, ts::element::bfloat16));
        }) == mistake::none);
  // what is no parameter
  CHECK(of([](auto& g, auto& t, auto) { ts::matmul(g, t.of({4, 6}), t.template of<ts::bf16>({6, 5})); }) ==
        mistake::type);
  // other operators
  CHECK(of([](auto& g, auto& t, auto w) { ts::add(g, t.of({6, 6}), w); }) == mistake::type);
  CHECK(of([](auto& g, auto& t, auto w) { ts::mul(g, w, t.of({6, 6})); }) == mistake::type);
  CHECK(of([](auto& g, auto&, auto w) { ts::relu(g, w); }) == mistake::type);
  CHECK(of([](auto& g, auto& t, auto w) { ts::embedding(g, w, t.template of<std::int32_t>({3})); }) == mistake::type);
  // other types of parameters
  for (ts::element const e : {ts::element::float16, ts::element::float64, ts::element::int32, ts::element::boolean}) {
    trial t;
    t.g.parameter("w", {6}, e);
    CHECK(t.wrong() == mistake::type);
    CHECK(t.g.first_mistake.name.view() == "w");
  }
}

TEST_CASE("broadcasting goes by the last dimension") {
  struct {
    ts::dims a, b;
    shape y;
  } const pairs[] = {
      {{5}, {4, 5}, {4, 5}},
      {{4, 1}, {1, 5}, {4, 5}},
      {{}, {3}, {3}},
      {{}, {}, {}},
      {{2, 3, 4, 5}, {3, 1, 5}, {2, 3, 4, 5}},
      {{2, 1, 1, 5}, {3, 4, 1}, {2, 3, 4, 5}},
      {{1}, {1}, {1}},
  };
  for (auto const& p : pairs)
    for (bool swapped : {false, true}) {
      trial t;
      auto const a = t.of(p.a), b = t.of(p.b);
      auto const y = swapped ? ts::add(t.g, b, a) : ts::add(t.g, a, b);
      CHECK(t.wrong() == mistake::none);
      CHECK(extents(t.g, y) == p.y);
    }
  auto refused = [](ts::dims const& a, ts::dims const& b) {
    trial t;
    ts::mul(t.g, t.of(a), t.of(b));
    return t.wrong();
  };
  CHECK(refused({4}, {4, 5}) == mistake::shapes);
  CHECK(refused({2, 3}, {3, 2}) == mistake::shapes);
  trial t;
  auto const x = t.of({4, 1});
  CHECK(extents(t.g, ts::expand(t.g, x, {3, 4, 5})) == shape{3, 4, 5});
  CHECK(ts::expand(t.g, x, {4, 1}).id == x.id);
  ts::expand(t.g, x, {4});
  CHECK(t.wrong() == mistake::shapes);
}

TEST_CASE("what else operators give") {
  trial t;
  auto const x = t.of({2, 3, 4, 6}), w = t.of({6}), vector = t.of({6});
  CHECK(extents(t.g, ts::layer_norm(t.g, x, w, w, 1e-5)) == shape{2, 3, 4, 6});
  CHECK(extents(t.g, ts::layer_norm(t.g, vector, w, w, 1e-5)) == shape{6});
  CHECK(extents(t.g, ts::softmax(t.g, x, {.axis = 1})) == shape{2, 3, 4, 6});
  CHECK(extents(t.g, ts::softmax(t.g, x, {.mask = t.of<std::int64_t>({2, 6})})) == shape{2, 3, 4, 6});
  CHECK(extents(t.g, ts::l2_normalize(t.g, vector)) == shape{6});
  CHECK(extents(t.g, ts::gelu(t.g, x)) == shape{2, 3, 4, 6});
  CHECK(extents(t.g, ts::embedding(t.g, t.of({9, 7}), t.of<std::int32_t>({2, 3, 4}))) == shape{2, 3, 4, 7});
  CHECK(extents(t.g, ts::reduce_sum(t.g, x)) == shape{});
  CHECK(extents(t.g, ts::reduce_mean(t.g, x, {0, -1})) == shape{3, 4});
  CHECK(extents(t.g, ts::reduce_max(t.g, x, {1})) == shape{2, 4, 6});
  CHECK(extents(t.g, ts::concat(t.g, {x, t.of({2, 1, 4, 6}), x}, 1)) == shape{2, 7, 4, 6});
  CHECK(extents(t.g, ts::concat(t.g, {w, vector}, -1)) == shape{12});
  auto const k = t.of({2, 3, 11, 6});
  CHECK(extents(t.g, ts::attention(t.g, x, k, k, t.of<std::int64_t>({2, 11}))) == shape{2, 3, 4, 6});
  auto const packed = t.of({16, 12}), bounds = t.of<std::int32_t>({16, 2}), sequences = t.of<std::int32_t>({5, 2});
  CHECK(extents(t.g, ts::packed_attention(t.g, packed, packed, packed, bounds, 3)) == shape{16, 12});
  CHECK(extents(t.g, ts::sequence_mean(t.g, packed, sequences)) == shape{5, 12});
  CHECK(extents(t.g, ts::select_rows(t.g, packed, sequences)) == shape{5, 12});
  auto const ids = t.of<std::int32_t>({16});
  CHECK(extents(t.g, ts::embedding_norm(t.g, {t.of({30, 12}), t.of({2, 12}), t.of({16, 12})}, {ids, ids, ids},
                                        t.of({12}), t.of({12}), 1e-12)) == shape{16, 12});
  CHECK(t.wrong() == mistake::none);
}

// One wrong call each; the mistake names the operator.
#define REFUSED(kind_, operator_, call)                                 \
  do {                                                                  \
    trial t;                                                            \
    ts::graph& g = t.g;                                                 \
    [[maybe_unused]] auto const x = t.of({2, 3, 6});                    \
    [[maybe_unused]] auto const whole = t.of<std::int32_t>({2, 3, 6});  \
    call;                                                               \
    CHECK_MESSAGE(t.wrong() == mistake::kind_, #call);                  \
    CHECK_MESSAGE(g.first_mistake.op == ts::op_kind::operator_, #call); \
  } while (false)

TEST_CASE("what operators refuse") {
  REFUSED(shapes, layer_norm, ts::layer_norm(g, x, t.of({5}), t.of({6}), 1e-5));
  REFUSED(shapes, layer_norm, ts::layer_norm(g, x, t.of({6}), t.of({2, 3}), 1e-5));
  REFUSED(shapes, layer_norm, ts::layer_norm(g, t.of({}), t.of({1}), t.of({1}), 1e-5));
  REFUSED(type, layer_norm, ts::layer_norm(g, whole, t.of({6}), t.of({6}), 1e-5));
  REFUSED(type, layer_norm, ts::layer_norm(g, x, t.of<double>({6}), t.of({6}), 1e-5));
  REFUSED(shapes, layer_norm, ts::layer_norm(g, x, t.of({6}), t.of({6}), 1e-5, t.of({3, 6})));
  REFUSED(type, layer_norm, ts::layer_norm(g, x, t.of({6}), t.of({6}), 1e-5, whole));
  REFUSED(shapes, softmax, ts::softmax(g, x, {.axis = 3}));
  REFUSED(shapes, softmax, ts::softmax(g, x, {.axis = -4}));
  REFUSED(shapes, softmax, ts::softmax(g, t.of({})));
  REFUSED(shapes, softmax, ts::softmax(g, x, {.axis = 1, .mask = t.of<std::int64_t>({2, 6})}));
  REFUSED(shapes, softmax, ts::softmax(g, x, {.mask = t.of<std::int64_t>({3, 6})}));
  REFUSED(shapes, softmax, ts::softmax(g, t.of({6}), {.mask = t.of<std::int64_t>({6, 6})}));
  REFUSED(type, softmax, ts::softmax(g, x, {.mask = t.of<std::int32_t>({2, 6})}));
  REFUSED(type, softmax, ts::softmax(g, whole));
  REFUSED(shapes, l2_normalize, ts::l2_normalize(g, t.of({})));
  REFUSED(type, l2_normalize, ts::l2_normalize(g, whole));
  REFUSED(type, activation, ts::relu(g, whole));
  REFUSED(type, binary, ts::add(g, x, whole));
  REFUSED(type, expand, ts::expand(g, t.of<std::int64_t>({1}), {4}));
  REFUSED(shapes, reduce, ts::reduce_sum(g, x, {3}));
  REFUSED(shapes, reduce, ts::reduce_sum(g, x, {0, 0}));
  REFUSED(shapes, reduce, ts::reduce_sum(g, x, {0, -3}));
  REFUSED(type, reduce, ts::reduce_sum(g, whole));
  REFUSED(shapes, concat, ts::concat(g, {}, 0));
  REFUSED(shapes, concat, ts::concat(g, {x, t.of({2, 4, 6})}, 2));
  REFUSED(shapes, concat, ts::concat(g, {x, t.of({3, 6})}, 0));
  REFUSED(shapes, concat, ts::concat(g, {x}, 3));
  REFUSED(shapes, concat, ts::concat(g, {x, x, x, x, x, x, x, x, x}, 0));
  REFUSED(type, concat, ts::concat(g, {x, whole}, 0));
  REFUSED(shapes, embedding, ts::embedding(g, x, t.of<std::int32_t>({3})));
  REFUSED(shapes, embedding, ts::embedding(g, t.of({5, 6}), t.of<std::int32_t>({})));
  REFUSED(shapes, embedding, ts::embedding(g, t.of({5, 6}), t.of<std::int32_t>({1, 2, 3, 4})));
  REFUSED(type, embedding, ts::embedding(g, t.of({5, 6}), t.of({3})));
  REFUSED(type, embedding, ts::embedding(g, t.of<double>({5, 6}), t.of<std::int32_t>({3})));
  auto const attention = [](ts::dims const& q, ts::dims const& k, ts::dims const& v, ts::dims const& mask) {
    trial t;
    ts::attention(t.g, t.of(q), t.of(k), t.of(v), t.of<std::int64_t>(mask));
    return t.wrong();
  };
  CHECK(attention({2, 3, 4, 6}, {2, 3, 5, 6}, {2, 3, 5, 6}, {2, 5}) == mistake::none);
  CHECK(attention({2, 3, 4, 6}, {2, 3, 5, 6}, {2, 3, 5, 7}, {2, 5}) == mistake::shapes);
  CHECK(attention({2, 3, 4, 6}, {2, 1, 5, 6}, {2, 1, 5, 6}, {2, 5}) == mistake::shapes);
  CHECK(attention({2, 3, 4, 6}, {2, 3, 5, 7}, {2, 3, 5, 7}, {2, 5}) == mistake::shapes);
  CHECK(attention({2, 3, 4, 6}, {2, 3, 5, 6}, {2, 3, 5, 6}, {2, 4}) == mistake::shapes);
  CHECK(attention({2, 3, 4, 6}, {2, 3, 5, 6}, {2, 3, 5, 6}, {3, 5}) == mistake::shapes);
  CHECK(attention({2, 4, 6}, {2, 5, 6}, {2, 5, 6}, {2, 5}) == mistake::shapes);
  auto const packed = [](ts::dims const& q, ts::dims const& k, ts::dims const& bounds, int heads) {
    trial t;
    ts::packed_attention(t.g, t.of(q), t.of(k), t.of(k), t.of<std::int32_t>(bounds), heads);
    return t.wrong();
  };
  CHECK(packed({8, 12}, {8, 12}, {8, 2}, 4) == mistake::none);
  CHECK(packed({8, 12}, {8, 12}, {8, 2}, 5) == mistake::shapes);
  CHECK(packed({8, 12}, {8, 12}, {8, 2}, 0) == mistake::shapes);
  CHECK(packed({8, 12}, {9, 12}, {8, 2}, 4) == mistake::shapes);
  CHECK(packed({8, 12}, {8, 12}, {7, 2}, 4) == mistake::shapes);
  CHECK(packed({8, 12}, {8, 12}, {8, 3}, 4) == mistake::shapes);
  REFUSED(type, packed_attention,
          ts::packed_attention(g, t.of({8, 12}), t.of({8, 12}), t.of<double>({8, 12}), t.of<std::int32_t>({8, 2}), 4));
  REFUSED(type, sequence_mean, ts::sequence_mean(g, t.of({8, 12}), t.of<std::int64_t>({3, 2})));
  REFUSED(type, sequence_mean, ts::sequence_mean(g, t.of<double>({8, 12}), t.of<std::int32_t>({3, 2})));
  REFUSED(shapes, select_rows, ts::select_rows(g, t.of({8, 12}), t.of<std::int32_t>({3})));
}

TEST_CASE("the first mistake counts, and nothing is added after it") {
  trial t;
  auto const x = t.of({2, 3});
  auto const wrong = ts::add(t.g, x, t.of({4}));
  auto const after = ts::relu(t.g, ts::matmul(t.g, wrong, wrong));
  ts::concat(t.g, {after, wrong}, 7);
  CHECK(t.wrong() == mistake::shapes);
  CHECK(t.g.first_mistake.op == ts::op_kind::binary);
  CHECK(t.g.ops.empty());
}

TEST_CASE("tensors that cannot be") {
  auto refused = [](ts::dims const& s) {
    trial t;
    t.g.input<float>("x", s);
    CHECK((t.wrong() == mistake::none || t.g.first_mistake.name.view() == "x"));
    return t.wrong();
  };
  CHECK(refused({1, 1, 1, 1}) == mistake::none);
  CHECK(refused({1, 1, 1, 1, 1}) == mistake::rank);
  CHECK(refused({3, 0}) == mistake::extent);
  CHECK(refused({-1}) == mistake::extent);
  CHECK(refused({0x7fffffff}) == mistake::none);
  CHECK(refused({65536, 32768}) == mistake::too_large);
  CHECK(refused({0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff}) == mistake::too_large);
  trial t;
  auto const a = t.of({40000, 1}), b = t.of({1, 60000});
  ts::matmul(t.g, a, b);  // a result with more elements than can be counted
  CHECK(t.wrong() == mistake::too_large);
  CHECK(t.g.first_mistake.op == ts::op_kind::matmul);
}

TEST_CASE("lists that are full") {
  trial t;
  SUBCASE("inputs") {
    for (int i = 0; i < 33; ++i) t.of({1});
  }
  SUBCASE("operators") {
    auto x = t.of({1});
    for (int i = 0; i < 701; ++i) x = ts::relu(t.g, x);
  }
  SUBCASE("names") {
    for (int i = 0; i < 1000; ++i) t.g.parameter(ts::name("parameter.", i), {1});
  }
  SUBCASE("characters") {
    ts::text const words =
        ts::name("0123456789012345678901234567890123456789", "0123456789012345678901234567890123456789.");
    for (int i = 0; i < 700; ++i) t.g.parameter(ts::name(words, i), {1});
  }
  CHECK(t.wrong() == mistake::too_large);
}

TEST_CASE("run-time lengths count rows") {
  trial t;
  auto const n = t.g.run_time_length("n", 16);
  auto const x = t.of({n, 6}), w = t.of({5, 6}), vector = t.of({6});
  auto is_ragged = [&](ts::node y) { return t.g.shape(y).dim[0].length_number == n.number; };
  CHECK(is_ragged(x));
  CHECK(is_ragged(ts::linear(t.g, x, w)));
  CHECK(is_ragged(ts::add(t.g, vector, x)));
  CHECK(is_ragged(ts::add(t.g, t.of({16, 6}), x)));
  CHECK(is_ragged(ts::add(t.g, x, t.of({16, 6}))));
  CHECK(is_ragged(ts::softmax(t.g, x)));
  CHECK(is_ragged(ts::layer_norm(t.g, x, vector, vector, 1e-5)));
  CHECK(is_ragged(ts::reduce_mean(t.g, x, {1})));
  CHECK(is_ragged(ts::concat(t.g, {x, x}, 1)));
  CHECK(is_ragged(ts::embedding(t.g, w, t.of<std::int32_t>({n}))));
  CHECK(t.wrong() == mistake::none);
  SUBCASE("not a later dimension") { t.of({2, n}); }
  SUBCASE("reduced") { ts::reduce_mean(t.g, x, {0}); }
  SUBCASE("reduced with all others") { ts::reduce_sum(t.g, x); }
  SUBCASE("softmax across") { ts::softmax(t.g, x, {.axis = 0}); }
  SUBCASE("softmax of a vector") { ts::softmax(t.g, t.of({n})); }
  SUBCASE("joined") { ts::concat(t.g, {x, x}, 0); }
  SUBCASE("the inner extent of a product") { ts::matmul(t.g, x, t.of({16, 4}), {.transpose_a = true}); }
  SUBCASE("the right side of a product") { ts::matmul(t.g, t.of({2, 16}), x); }
  SUBCASE("the right side of a product, transposed") { ts::matmul(t.g, t.of({2, 6}), x, {.transpose_b = true}); }
  SUBCASE("normalised") { ts::l2_normalize(t.g, t.of({n})); }
  CHECK(t.wrong() == mistake::ragged);
}

TEST_CASE("a length has a capacity") {
  trial t;
  t.g.run_time_length("n", 0);
  CHECK(t.wrong() == mistake::extent);
  CHECK(t.g.first_mistake.name.view() == "n");
}

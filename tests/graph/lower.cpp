// SPDX-License-Identifier: Apache-2.0
#include <tessera/graph/lower.hpp>
#include <tessera/graph/operators.hpp>
#include <tessera/program/geometry.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ts = tessera;

namespace {

using full_lowering = ts::isa_detail::lowering<ts::isa_detail::lower_limits, true>;

// Whatever operators a graph has, on any machine: tiles exist, boxes are inside their tensors, panels are whole, every
// field is connected at most once, and every element of a result is written by exactly one tile.
void check(std::function<void(ts::graph&)> const& build) {
  auto const g = std::make_unique<ts::graph>();
  build(*g);
  REQUIRE(g->first_mistake.what == ts::graph_mistake::kind::none);
  for (int tiles : {1, 5, 64, 200}) {
    ts::machine m = ts::machines::host<>::value;
    m.tiles = tiles;
    auto const lowered = std::make_unique<full_lowering>(*g, m);
    ts::program_view const p = lowered->records.view();
    std::vector<std::vector<int>> written(static_cast<std::size_t>(g->nodes.size()));
    for (auto const& op : g->ops)
      written[static_cast<std::size_t>(op.result)].resize(static_cast<std::size_t>(g->shape({op.result}).volume()));

    for (int e = 0; e < lowered->used.executes; ++e) {
      ts::execute_record const& x = p.executes[e];
      INFO(tiles, " tiles, execute ", e, " of kind ", static_cast<int>(lowered->keys[x.kernel].kind));
      REQUIRE(x.last_tile < tiles);
      CHECK(x.first_tile == 0);
      CHECK(x.workspace_bytes % 64 == 0);
      unsigned fields = 0;
      for (int i = x.first_access; i < x.first_access + x.accesses; ++i) {
        ts::access_record const& a = p.accesses[i];
        CHECK((fields >> a.field & 1) == 0);
        fields |= 1u << a.field;
        ts::tensor_record const& t = p.tensors[a.tensor];
        REQUIRE(a.tensor < g->nodes.size());  // tensors without memory only say where blocks are
        for (int tile = 0; tile <= x.last_tile; ++tile) {
          ts::region const r = ts::covered(p, a, tile);
          bool const inside =
              !r.empty() && r[0].first >= 0 && r[0].last <= t.extent[0] && r[1].first >= 0 && r[1].last <= t.extent[1];
          REQUIRE(inside);
          int const across = a.layout.kind == ts::layout_kind::panels       ? 1
                             : a.layout.kind == ts::layout_kind::row_panels ? 0
                                                                            : -1;
          if (across >= 0 && r[across].first > 0 && t.extent[across] % a.layout.width == 0 &&
              lowered->records.tensors[a.by].map.grid[1] > 1)
            CHECK(r[across].first % a.layout.width == 0);
          if (a.dir == ts::direction::in) continue;
          auto& counts = written[static_cast<std::size_t>(a.tensor)];
          for (int row = r[0].first; row < r[0].last; ++row)
            for (int col = r[1].first; col < r[1].last; ++col)
              ++counts[static_cast<std::size_t>(row * t.extent[1] + col)];
        }
      }
    }
    for (auto const& counts : written)
      CHECK(std::count(counts.begin(), counts.end(), 1) == static_cast<std::ptrdiff_t>(counts.size()));
  }
}

}  // namespace

TEST_CASE("rows are kept apart between operators that know of it, and only there") {
  auto const g = std::make_unique<ts::graph>();
  auto const x = g->input<float>("x", {16, 64});
  auto const w = g->parameter("w", {64, 64}), bias = g->parameter("b", {64});
  auto const inner = ts::linear(*g, x, w, bias);
  auto const normed = ts::layer_norm(*g, inner, bias, bias, 1e-5);
  auto const added = ts::add(*g, ts::linear(*g, normed, w), bias);   // an addition walks all elements in one go
  auto const odd = ts::linear(*g, added, g->parameter("v", {60, 64}));
  g->output("y", ts::linear(*g, odd, g->parameter("u", {64, 60})));
  auto const lowered = std::make_unique<full_lowering>(*g, ts::machines::host<>::value);
  auto const gap = [&](ts::node n) { return lowered->records.tensors[n.id].row_gap; };
  CHECK(gap(inner) == 16);
  CHECK(gap(normed) == 16);
  CHECK(gap(added) == 0);
  CHECK(gap(odd) == 0);    // its rows begin in different cache lines anyway
  for (ts::node const n : {x, w, bias, ts::node{g->outputs[0].id}}) CHECK(gap(n) == 0);
  for (int i = 0; i < g->ops.size(); ++i)
    if (g->ops[i].kind == ts::op_kind::binary) CHECK(gap({g->ops[i].operand[0]}) == 0);
}

TEST_CASE("products") {
  for (ts::dims const& a : {ts::dims{1, 1}, {1, 40}, {300, 40}, {17, 40}, {2, 3, 5, 40}})
    for (int n : {1, 16, 33, 384, 1536})
      check([&](ts::graph& g) {
        auto const w = g.input<float>("w", {n, a[-1]}), bias = g.input<float>("bias", {n});
        auto const y = ts::linear(g, g.input<float>("a", a), w, bias, ts::activation::relu);
        ts::linear(g, g.input<float>("b", a), w, bias, ts::activation::none, y);
      });
  check([](ts::graph& g) {
    auto const a = g.input<float>("a", {70, 3, 5, 4}), b = g.input<float>("b", {70, 3, 4, 6});
    auto const r = g.input<float>("r", {70, 3, 5, 6});
    ts::matmul(g, a, b, {.residual = r});
    ts::matmul(g, g.input<float>("c", {6, 2, 9}), g.input<float>("d", {7, 9}), {.transpose_b = true});
    ts::matmul(g, g.input<float>("e", {9, 2}), g.input<float>("f", {9, 64}), {.transpose_a = true});
    ts::matmul(g, g.input<float>("h", {65, 9, 2}), g.input<float>("i", {64, 9}),
               {.transpose_a = true, .transpose_b = true});
  });
}

TEST_CASE("attention") {
  check([](ts::graph& g) {
    auto const q = g.input<float>("q", {13, 12, 3, 8}), k = g.input<float>("k", {13, 12, 7, 8});
    ts::attention(g, q, k, k, g.input<std::int64_t>("mask", {13, 7}));
    for (int rows : {1, 33, 512}) {
      auto const x = g.input<float>(ts::name("x", rows), {rows, 24}), v = x;
      ts::packed_attention(g, x, x, v, g.input<std::int32_t>(ts::name("bounds", rows), {rows, 2}), 12);
    }
  });
}

TEST_CASE("everything else, of one to four dimensions") {
  for (ts::dims const& s : {ts::dims{1}, {7}, {700}, {1, 1}, {9, 600}, {600, 9}, {3, 70, 5}, {2, 3, 70, 5}})
    check([&](ts::graph& g) {
      auto const x = g.input<float>("x", s), w = g.input<float>("w", {s[-1]});
      ts::layer_norm(g, x, w, w, 1e-5);
      ts::l2_normalize(g, x);
      ts::gelu(g, x);
      for (int axis = 0; axis < s.rank; ++axis) {
        ts::softmax(g, x, {.axis = axis});
        ts::reduce_max(g, x, {axis});
        ts::concat(g, {x, x, x}, axis);
      }
      if (s.rank > 1) ts::softmax(g, x, {.mask = g.input<std::int64_t>("mask", {s[0], s[-1]})});
      ts::reduce_variance(g, x);
      ts::add(g, w, x);
      ts::div(g, x, ts::reduce_sum(g, x));
      ts::expand(g, g.input<float>("one", {}), s);
      if (s.rank < 4) ts::embedding(g, g.input<float>("table", {5, 3}), g.input<std::int32_t>("ids", s));
    });
}

TEST_CASE("one kernel for each distinct descriptor") {
  auto const g = std::make_unique<ts::graph>();
  auto x = g->input<float>("x", {32, 32});
  auto const w = g->input<float>("w", {32, 32}), bias = g->input<float>("bias", {32});
  for (int i = 0; i < 20; ++i) x = ts::linear(*g, ts::relu(*g, x), w, bias);
  ts::linear(*g, x, w);
  auto const lowered = std::make_unique<full_lowering>(*g, ts::machines::host<>::value);
  CHECK(lowered->used.executes == 41);
  CHECK(lowered->used.kernels == 3);
}

// SPDX-License-Identifier: Apache-2.0
#include "laws/close.hpp"
#include "reference/loops.hpp"
#include <tessera/codelets/gemm.hpp>
#include <tessera/graph.hpp>
#include <tessera/tile.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ts = tessera;

namespace {

// Blocks of all sizes: neither extent divides by the grid, by a register tile or by a panel.
constexpr ts::tensor<"a", float, ts::shape<53, 29>, ts::by_blocks<4, 3>> a;
constexpr ts::tensor<"b", float, ts::shape<29, 71>, ts::by_blocks<4, 3>> b;
constexpr ts::tensor<"c", float, ts::shape<53, 71>, ts::by_blocks<4, 3>> c;

constexpr auto product = ts::program<ts::machines::host<12>>([] {
  return ts::sequence(ts::inputs(a, b), ts::outputs(c), ts::execute<ts::codelets::gemm>(ts::rows(a), ts::cols(b), c));
});
constexpr auto more = ts::program<ts::machines::host<12>>([] {
  return ts::sequence(ts::inputs(a, b, c), ts::outputs(c),
                      ts::execute<ts::codelets::gemm_add>(ts::rows(a), ts::cols(b), c));
});

// c = function(a b + bias) + residual with every part there, and every part missing.
template <bool TransposeA, bool TransposeB>
struct everything {
  static constexpr void build(ts::graph& g) {
    auto const a = g.input<float>("a", TransposeA ? ts::dims{19, 37} : ts::dims{37, 19});
    auto const b = g.input<float>("b", TransposeB ? ts::dims{64, 19} : ts::dims{19, 64});
    auto const bias = g.input<float>("bias", {64});
    auto const residual = g.input<float>("residual", {37, 64});
    ts::matmul_options o{.transpose_a = TransposeA, .transpose_b = TransposeB};
    g.output("plain", ts::matmul(g, a, b, o));
    o.bias = bias;
    g.output("biased", ts::matmul(g, a, b, o));
    o.function = ts::activation::gelu_erf;
    g.output("gelu", ts::matmul(g, a, b, o));
    o.residual = residual;
    g.output("all", ts::matmul(g, a, b, o));
    g.output("sum", ts::matmul(g, a, b, {.transpose_a = TransposeA, .transpose_b = TransposeB, .residual = residual}));
  }
};

template <bool TransposeA, bool TransposeB>
void check_everything() {
  auto const a = reference::numbers(37 * 19, 1), b = reference::numbers(19 * 64, 2), bias = reference::numbers(64, 3),
             residual = reference::numbers(37 * 64, 4);
  auto const plain = reference::matmul(a, b, 37, 19, 64);
  auto biased = plain, gelu = plain, all = plain, sum = plain;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    biased[i] += double{bias[i % 64]};
    gelu[i] = reference::gelu_erf(biased[i]);
    all[i] = gelu[i] + double{residual[i]};
    sum[i] += double{residual[i]};
  }
  auto const left = TransposeA ? reference::transpose(a, 37, 19) : a;
  auto const right = TransposeB ? reference::transpose(b, 19, 64) : b;
  for (int threads : {1, 3}) {
    ts::model<everything<TransposeA, TransposeB>> m{ts::engine_options{.threads = threads}};
    auto const results =
        m.run(ts::in<"a">(left), ts::in<"b">(right), ts::in<"bias">(bias), ts::in<"residual">(residual));
    CHECK(close(std::get<0>(results), plain));
    CHECK(close(std::get<1>(results), biased));
    CHECK(close(std::get<2>(results), gelu));
    CHECK(close(std::get<3>(results), all));
    CHECK(close(std::get<4>(results), sum));
  }
}

}  // namespace

TEST_CASE("blocks of a product at the tile level") {
  auto const left = reference::numbers(53 * 29, 1), right = reference::numbers(29 * 71, 2);
  auto want = reference::matmul(left, right, 53, 29, 71);
  for (int threads : {1, 2}) {
    ts::engine engine{product, {.threads = threads}};
    engine.write(a, left);
    engine.write(b, right);
    engine.run();
    CHECK(close(engine.read(c), want));
  }
  auto const before = reference::numbers(53 * 71, 3);
  ts::engine engine{more};
  engine.write(a, left);
  engine.write(b, right);
  engine.write(c, before);
  engine.run();
  for (std::size_t i = 0; i < want.size(); ++i) want[i] += double{before[i]};
  CHECK(close(engine.read(c), want));
}

TEST_CASE("bias, function and residual in every storage order") {
  check_everything<false, false>();
  check_everything<false, true>();
  check_everything<true, false>();
  check_everything<true, true>();
}

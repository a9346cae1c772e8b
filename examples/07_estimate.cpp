// SPDX-License-Identifier: Apache-2.0
// What a program costs, and where its bytes lie, before it runs: constants that a static_assert can look at.
//
// The machine here is a model of one with 1,472 tiles, each with 624 KiB of its own memory. The program would run on
// this computer too, but this example never runs it.
#include <tessera/report.hpp>
#include <tessera/tile.hpp>

#include <cstdio>

namespace ts = tessera;

struct jacobi {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(jacobi, u, v);

  /// Three additions and a division an element; each element of both fields is touched once. Without this function the
  /// estimate is a guess, and says so.
  static constexpr ts::work cost(ts::extents u, ts::extents v) {
    return {.flops = 4 * v.volume(), .bytes = 4 * (u.volume() + v.volume())};
  }
  void compute() const {
    for (int i = 0, k = u.before(0); i < v.rows(); ++i, ++k)
      for (int j = 0; j < v.cols(); ++j) {
        bool const inner = k > 0 && k + 1 < u.rows() && j > 0 && j + 1 < u.cols();
        v(i, j) = inner ? (u(k - 1, j) + u(k + 1, j) + u(k, j - 1) + u(k, j + 1)) / 4 : u(k, j);
      }
  }
};

constexpr ts::tensor<"u", float, ts::shape<2944, 1024>, ts::by_rows> u;   // two rows a tile
constexpr ts::tensor<"v", float, ts::shape<2944, 1024>, ts::by_rows> v;

constexpr auto heat = ts::program<ts::machines::gc200>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(u),
                      ts::repeat<50>(ts::execute<jacobi>(ts::halo<1>(u), v), ts::execute<jacobi>(ts::halo<1>(v), u)));
});

static_assert(ts::estimate(heat).cycles < 1'000'000, "heat has become too slow");
static_assert(ts::estimate(heat).tile_bytes < 64 * 1024, "heat needs too much of a tile");
static_assert(ts::advice(heat).empty(), "heat could do something better");

int main() { std::fputs(ts::report::text(heat).c_str(), stdout); }

// SPDX-License-Identifier: Apache-2.0
// Tensors whose rows are a multiple of 4 KiB lie with a gap between rows in shared memory: nobody may notice.
#include <doctest/doctest.h>

#include <vector>

#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

/// Private memory: there is no gap, each tile has blocks of its own.
struct apart {
  static constexpr ts::machine value{.tiles = 6, .bytes_per_tile = 1 << 24, .working_set = 1 << 24, .shared = false};
};
using together = ts::machines::host<6>;

struct smooth {
  ts::input<float, 2> u;
  ts::input<float, 2, ts::padded> p;
  ts::output<float, 2> v;
  TESSERA_FIELDS(smooth, u, p, v);
  void compute() const {
    for (int i = 0; i < v.rows(); ++i)
      for (int j = 0; j < v.cols(); ++j)
        v(i, j) = u(i, j) + u(i + 2, j + 2) - u(i + 1, j + 1) + p(i % p.rows(), j) + static_cast<float>(u.tensor_row(i));
  }
};
struct take {
  ts::input<float, 2> rows;
  ts::output<float, 2> out;
  TESSERA_FIELDS(take, rows, out);
  void compute() const {
    for (int i = 0; i < out.rows(); ++i)
      for (int j = 0; j < out.cols(); ++j) out(i, j) = rows(i, j) * 2;
  }
};
struct cube {
  ts::inout<double, 3> x;
  TESSERA_FIELDS(cube, x);
  void compute() const {
    for (int i = 0; i < x.extent(0); ++i)
      for (int j = 0; j < x.extent(1); ++j)
        for (int k = 0; k < x.extent(2); ++k) x(i, j, k) += i + 10 * j + 100 * k + x.first(0);
  }
};

constexpr ts::tensor<"u", float, ts::shape<23, 1024>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<23, 1024>, ts::by_rows> v;
constexpr ts::tensor<"w", float, ts::shape<23, 1024>, ts::by_blocks<2, 3>> w;
constexpr ts::tensor<"few", float, ts::shape<12, 1024>, ts::by_rows> few;
constexpr ts::tensor<"ids", int, ts::shape<12>, ts::by_rows> ids;
constexpr ts::tensor<"x", double, ts::shape<5, 3, 512>, ts::by_rows> x;

template <class M>
constexpr auto program = ts::program<M>([] {
  return ts::sequence(ts::inputs(u, ids, x), ts::outputs(u, w, few, x),
                      ts::repeat<3>(ts::execute<smooth>(ts::halo<1, 1>(u, ts::edge::wrap), ts::rows(u), v), ts::copy(v, u)),
                      ts::copy(u, w), ts::execute<take>(ts::gather(w, ids), few), ts::execute<cube>(x));
});

struct results {
  std::vector<float> u, w, few;
  std::vector<double> x;
  bool operator==(results const&) const = default;
};
template <class M>
results run(int threads) {
  ts::engine engine{program<M>, {.threads = threads}};
  std::vector<float> start(23 * 1024);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i * 7919 % 101);
  std::vector<double> volume(5 * 3 * 512, 1.0);
  engine.write(u, start);
  engine.write(ids, {22, 0, 5, 5, 7, 1, 2, 3, 4, 21, 20, 9});
  engine.write(x, volume);
  engine.run();
  return {engine.read(u), engine.read(w), engine.read(few), engine.read(x)};
}

}  // namespace

TEST_CASE("rows with a gap between them hold what rows without hold") {
  static_assert(decltype(program<together>)::records.tensors[0].row_gap > 0);
  static_assert(decltype(program<apart>)::records.tensors[0].row_gap == 0);
  results const expected = run<apart>(1);
  CHECK(expected.few[1] == 2 * expected.w[22 * 1024 + 1]);
  for (int threads : {1, 2, 3}) {
    CHECK(run<together>(threads) == expected);
    CHECK(run<apart>(threads) == expected);
  }
}

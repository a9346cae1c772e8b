// SPDX-License-Identifier: Apache-2.0
// The worked lines of docs/concepts: each page shows the part between its name and the next [end].
#include <tessera/graph.hpp>
#include <tessera/nn.hpp>
#include <tessera/report.hpp>
#include <tessera/tile.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace ts = tessera;

namespace machine_page {
// [machine]
static_assert(ts::machines::bow::value.tiles == 1472 && not ts::machines::bow::value.shared);
static_assert(ts::machines::host<8>::value.tiles == 8 && ts::machines::host<8>::value.shared);

struct classroom {                                           // a machine of your own
  static constexpr ts::machine value{.tiles = 4, .bytes_per_tile = 65536, .working_set = 65536};
};
// [end]
static_assert(ts::Machine<classroom>);
}  // namespace machine_page

namespace tile_page {
// [tile]
constexpr auto parity = ts::per_tile([](ts::tile t) { return t.index % 2; });                          // state
constexpr auto mirror = [](ts::tile t) { return ts::box{.rows = {t.count - 1 - t.index, t.count - t.index}}; };   // a box
// [end]
static_assert(parity.get({3, 8}) == 1 && mirror({0, 8}).rows == ts::span{7, 8});
}  // namespace tile_page

namespace tensor_page {
// [tensor]
constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;

static_assert(u.rank == 2 && decltype(u)::shape_type::volume == 1024 && std::is_empty_v<decltype(u)>);
// [end]
}  // namespace tensor_page

namespace mapping_page {
// [mapping]
// by_rows of 10 rows on 4 tiles:  {0, 1} {2, 3, 4} {5, 6} {7, 8, 9}
static_assert(ts::block_span(10, 4, 1) == ts::span{2, 5});     // block 1 of 4 of 10 rows
static_assert(ts::block_holding(10, 4, 6) == 2);               // and the other way round
// [end]
}  // namespace mapping_page

// [vertex]
struct axpy {
  ts::input<float> x;
  ts::inout<float> y;
  float a = 1;                                                 // state
  TESSERA_FIELDS(axpy, x, y, a);

  static constexpr ts::work cost(ts::extents x, ts::extents y) {   // one argument for each view
    return {.flops = 2 * y.volume(), .bytes = 4 * (x.volume() + 2 * y.volume())};
  }
  void compute() const {
    for (int i = 0; i < y.rows(); ++i) y(i) += a * x(i);
  }
};
static_assert(ts::Vertex<axpy>);
// [end]

namespace simd_page {
// [simd]
struct saxpy {
  ts::input<float> x;
  ts::inout<float> y;
  float a = 1;
  TESSERA_FIELDS(saxpy, x, y, a);

  void compute() const {
    float const* const from = unchecked(x).data;
    float* const to = unchecked(y).data;
    auto const factor = ts::simd::broadcast(a);
    ts::simd::for_each_batch<float>(y.rows(), [&](int i, auto count) {   // whole registers, then what is left over
      ts::simd::store(to + i, ts::simd::fma(factor, ts::simd::load(from + i, count), ts::simd::load(to + i, count)), count);
    });
  }
};
// [end]
static_assert(ts::Vertex<saxpy>);
}  // namespace simd_page

namespace field_page {
// [field]
struct column_sums {
  ts::input<float, 2> u;               // u(i, j), u.row(i), u.rows(), u.cols()
  ts::output<float> sum;               // sum(j) = …; reading it does not compile
  ts::scratch<double, 1024> partial;   // memory for this step
  TESSERA_FIELDS(column_sums, u, sum, partial);

  void compute() const {
    for (int j = 0; j < u.cols(); ++j) partial[j] = 0;
    for (int i = 0; i < u.rows(); ++i)
      for (int j = 0; j < u.cols(); ++j) partial[j] += u(i, j);
    for (int j = 0; j < u.cols(); ++j) sum(j) = static_cast<float>(partial[j]);
  }
};
static_assert(not std::is_assignable_v<decltype(std::declval<ts::input<float>>()(0)), float>);
// [end]
static_assert(ts::Vertex<column_sums>);
}  // namespace field_page

namespace access_page {
using grid = ts::by_blocks<2, 4>;
constexpr ts::tensor<"u", float, ts::shape<16, 32>, grid> u;
constexpr ts::tensor<"ids", int, ts::shape<8>, ts::by_rows> ids;
// [access]
constexpr auto stencil = ts::halo<1, 1>(u, ts::edge::zero);   // the block, and one element round it
constexpr auto all = ts::whole(u);                            // everything, on every tile
constexpr auto band = ts::rows(u);                            // all columns of the block's rows; cols(u): the reverse
constexpr auto corner = ts::block<0, 0>(u);                   // one block, the same for every tile
constexpr auto right = ts::neighbour<0, 1>(u);                // the block of the next tile of the grid's row
constexpr auto picked = ts::gather(u, ids);                   // rows by run-time numbers
constexpr auto own = ts::at(u, [](ts::tile t) { return ts::box{.rows = {t.index, t.index + 1}}; });
// [end]
static_assert(ts::Access<std::remove_const_t<decltype(u)>> && ts::Access<decltype(stencil)> &&
              ts::Access<decltype(all)> && ts::Access<decltype(band)> && ts::Access<decltype(corner)> &&
              ts::Access<decltype(right)> && ts::Access<decltype(picked)> && ts::Access<decltype(own)>);
}  // namespace access_page

constexpr ts::tensor<"x", float, ts::shape<64>, ts::by_rows> x;
constexpr ts::tensor<"y", float, ts::shape<64>, ts::by_rows> y;

namespace compute_set_page {
// [compute set]
constexpr auto both = ts::compute_set(ts::on<0, 3>(ts::execute<axpy>(x, y, ts::value<0.5f>)),
                                      ts::on<4, 7>(ts::execute<axpy>(x, y, ts::value<2.0f>)));
// [end]
static_assert(ts::Step<decltype(both)>);
}  // namespace compute_set_page

// [program]
constexpr auto scale = ts::program<ts::machines::host<8>>([] {
  return ts::sequence(ts::inputs(x, y), ts::outputs(y),
                      ts::block<"scaling">(ts::repeat<3>(ts::execute<axpy>(x, y, ts::value<0.5f>))));
});

static_assert(ts::estimate(scale).cycles < 10'000);
// [end]

inline float run_engine() {
  // [engine]
  ts::engine engine{scale, {.threads = 2}};
  engine.write(x, std::vector<float>(64, 2));
  engine.write(y, std::vector<float>(64, 1));
  engine.run();
  std::vector<float> const result = engine.read(y);   // 64 times 1 + 3 · 0.5 · 2 = 4
  // [end]
  return result[0];
}

// [graph]
struct perceptron {
  static constexpr auto build(ts::graph& g) {
    auto pixels = g.input<float>("x", {32, 784});
    auto hidden = ts::relu(g, ts::nn::linear(g, "fc1", pixels, 256));
    g.output("y", ts::nn::linear(g, "fc2", hidden, 10));
  }
};
// [end]

// [own vertex]
struct prelu {
  ts::input<float, 2> x;
  ts::input<float> slope;
  ts::output<float, 2> y;
  TESSERA_FIELDS(prelu, x, slope, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = x(i, j) > 0 ? x(i, j) : slope(j) * x(i, j);
  }
};
constexpr ts::node activated(ts::graph& g, ts::node x) {
  return g.apply<prelu>({x, ts::whole(g.parameter("act.weight", {g.shape(x).cols()}))}, g.shape(x));
}
// [end]
struct with_own_vertex {
  static constexpr void build(ts::graph& g) { g.output("y", activated(g, g.input<float>("x", {32, 10}))); }
};
static_assert(ts::graph_program<with_own_vertex, ts::machines::host<>>::counts.kernels == 1);

template <ts::WeightSource Source>
std::vector<float> run_model(Source const& file, std::vector<float> const& pixels) {
  // [model]
  ts::model<perceptron> mlp{file};               // file: ts::safetensors::open("mlp.safetensors")
  auto [y] = mlp.run(ts::in<"x">(pixels));       // y is a vector of 32 · 10 floats
  // [end]
  return y;
}

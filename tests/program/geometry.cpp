// SPDX-License-Identifier: Apache-2.0
// The closed forms of boxes against the definitions, element by element: every access, on every tile.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <reference/definitions.hpp>
#include <tessera/program/geometry.hpp>
#include <tessera/program/steps.hpp>
#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

/// The elements of one dimension that `covered` and `for_each_piece` say a field shows; -1 where no piece reaches.
std::vector<int> shown(ts::program_view const& p, ts::access_record const& a, int tile, int d) {
  ts::region const field = ts::covered(p, a, tile);
  std::vector<int> list(static_cast<std::size_t>(field.empty() ? 0 : field[d].size()), -1);
  ts::for_each_piece(p, a, tile, [&](ts::piece const& part) {
    for (int i = 0; i < part.source[d].size(); ++i)
      list[static_cast<std::size_t>(part.at[d] + i)] = part.source[d].first + i;
  });
  return list;
}

template <class Access>
void agrees(int tiles) {
  using T = typename Access::tensor_type;
  ts::tensor_record t;
  t.rank = T::rank;
  for (int d = 0; d < T::rank; ++d) t.extent[d] = T::shape_type::extent[d];
  t.map = T::mapping_type::record(T::rank, tiles);
  ts::access_record a = Access::record();
  a.tensor = a.by = 0;
  ts::program_view p;
  p.target.tiles = tiles;
  p.tensors = &t;
  p.tensor_count = 1;

  reference::world w;
  w.tiles = tiles;
  reference::request const request = reference::read_access<Access>::in(w);
  for (int tile = 0; tile < tiles; ++tile) {
    reference::window const want = reference::look(w.variables, request, tile, tiles);
    REQUIRE(ts::covered(p, a, tile).empty() == want.empty);
    if (want.empty) continue;
    ts::region const field = ts::covered(p, a, tile);
    ts::region const core = ts::core_of(p, a, tile);
    for (int d = 0; d < T::rank; ++d) {
      reference::axis const& axis = want.along[d];
      REQUIRE(field[d].first == axis.first);
      REQUIRE(core[d].first - field[d].first == axis.before);
      REQUIRE(field[d].last - core[d].last == axis.after);
      std::vector<int> got = shown(p, a, tile, d);
      if (a.edge == ts::edge_rule::clamp)   // what no piece brings is repeated from the nearest that one does
        for (std::size_t i = 0; i < got.size(); ++i)
          if (got[i] < 0) got[i] = field[d].first + static_cast<int>(i) < 0 ? 0 : t.extent[d] - 1;
      REQUIRE(got == axis.index);
    }
  }
}

template <class Shape, class Map>
void all_accesses(int tiles) {
  using T = ts::tensor<"t", float, Shape, Map>;
  CAPTURE(tiles);
  agrees<ts::own_access<T>>(tiles);
  agrees<ts::whole_access<T>>(tiles);
  agrees<ts::band_access<T, 0, ts::access_kind::rows>>(tiles);
  agrees<ts::band_access<T, 1, ts::access_kind::cols>>(tiles);
  agrees<ts::halo_access<T, ts::edge_rule::clip, 1>>(tiles);
  agrees<ts::halo_access<T, ts::edge_rule::clip, 2, 5>>(tiles);
  agrees<ts::halo_access<T, ts::edge_rule::clip, 0, 40>>(tiles);
  agrees<ts::halo_access<T, ts::edge_rule::zero, 3, 1>>(tiles);
  agrees<ts::halo_access<T, ts::edge_rule::clamp, 1, 7>>(tiles);
  agrees<ts::halo_access<T, ts::edge_rule::wrap, 1, 2>>(tiles);
  agrees<ts::halo_access<T, ts::edge_rule::wrap, 2, 1>>(tiles);
  agrees<ts::block_access<T, 0>>(tiles);
  agrees<ts::neighbour_access<T, ts::edge_rule::clip, 1>>(tiles);
  agrees<ts::neighbour_access<T, ts::edge_rule::clip, -1, 1>>(tiles);
  agrees<ts::neighbour_access<T, ts::edge_rule::wrap, -1>>(tiles);
  agrees<ts::neighbour_access<T, ts::edge_rule::wrap, 2, -3>>(tiles);
}

}  // namespace

TEST_CASE_TEMPLATE("boxes are those of the definitions", Map, ts::by_rows, ts::by_cols, ts::by_blocks<2, 3>,
                   ts::by_blocks<4, 2>, ts::on_tile<1>, ts::on_tiles<2, 7, ts::by_rows>,
                   ts::on_tiles<1, 6, ts::by_blocks<3, 2>>, ts::replicated) {
  all_accesses<ts::shape<16, 24>, Map>(8);   // even
  all_accesses<ts::shape<13, 9>, Map>(8);    // uneven
  all_accesses<ts::shape<3, 2>, Map>(8);     // fewer rows than tiles
  all_accesses<ts::shape<11, 5, 3>, Map>(9);
}

namespace {

struct look_at {
  ts::input<int> a;
  ts::output<int> y;
  int got = 0;
  TESSERA_FIELDS(look_at, a, y, got);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i) y(i) = a.rows() > 0 ? a(0) * 10000 + a.before(0) * 100 + a.after(0) : -1;
  }
};
constexpr ts::tensor<"copies", int, ts::shape<3>, ts::replicated> copies;
constexpr ts::tensor<"y", int, ts::shape<4>, ts::by_rows> y;

template <class M>
std::vector<int> halo_of_copies() {
  constexpr auto p = ts::program<M>([] {
    return ts::sequence(ts::inputs(copies), ts::outputs(y), ts::execute<look_at>(ts::halo<2>(copies, ts::edge::wrap), y));
  });
  ts::engine e{p, {}};
  e.write(copies, std::vector<int>{1, 2, 3});
  e.run();
  return e.read(y);
}
}  // namespace

TEST_CASE("a replicated tensor is one block, whose halo is beyond its edges") {
  CHECK(halo_of_copies<ts::machines::host<4>>() == std::vector<int>(4, 20202));
  CHECK(halo_of_copies<ts::machines::gc2>() == std::vector<int>(4, 20202));
}

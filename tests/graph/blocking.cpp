// SPDX-License-Identifier: Apache-2.0
#include <tessera/graph/blocking.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

namespace ts = tessera;

namespace {

ts::machine machine_of(int tiles, int working_set = 384 * 1024) {
  ts::machine m = ts::machines::host<>::value;
  m.tiles = tiles;
  m.working_set = working_set;
  return m;
}

}  // namespace

TEST_CASE("the largest divisor") {
  for (int n = 1; n <= 60; ++n)
    for (int limit = 1; limit <= 70; ++limit) {
      int const d = ts::largest_divisor(n, limit);
      CHECK(d <= limit);
      CHECK(n % d == 0);
      for (int larger = d + 1; larger <= limit && larger <= n; ++larger) CHECK(n % larger != 0);
    }
}

TEST_CASE("grids of products fit the machine, and columns are cut between panels") {
  for (int tiles : {1, 2, 7, 64, 1472})
    for (int panel : {8, 16, 32})
      for (int rows : {1, 2, 15, 16, 17, 128, 257, 1000, 100000})
        for (int cols : {1, 7, 16, 31, 32, 384, 400, 1536, 30522, 32768})
          for (int depth : {1, 64, 4096}) {
            ts::machine const m = machine_of(tiles);
            auto const grid = ts::product_grid(m, rows, cols, depth, panel);
            INFO(tiles, " tiles, ", rows, " x ", depth, " x ", cols, ", panels of ", panel, " -> ", grid.rows, " x ",
                 grid.cols);
            REQUIRE(grid.rows >= 1);
            REQUIRE(grid.cols >= 1);
            CHECK(grid.rows * grid.cols <= tiles);
            CHECK(grid.rows <= rows);
            if (grid.cols > 1) {
              CHECK(cols % panel == 0);
              CHECK(cols / panel % grid.cols == 0);  // every tile has as many whole panels
            }
          }
}

TEST_CASE("work is split where there is enough of it") {
  ts::machine const m = machine_of(64);
  auto const wide = ts::product_grid(m, 128, 1536, 384, 32);
  CHECK(wide.rows * wide.cols >= ts::enough_tiles);
  CHECK(std::int64_t{4} * 384 * 1536 / wide.cols <= m.working_set / 2);  // its panels stay in the working set
  auto const narrow = ts::product_grid(m, 128, 31, 384, 32);
  CHECK(narrow.rows >= ts::enough_tiles);
  auto const tall = ts::product_grid(m, 4096, 32, 32, 32);
  CHECK(4096 / tall.rows <= ts::rows_at_once);
  CHECK(ts::product_grid(m, 1, 1, 1, 32).rows == 1);
}

TEST_CASE("grids of rows") {
  for (int tiles : {1, 64})
    for (int rows : {1, 7, 8, 9, 64, 511, 512, 513, 100000}) {
      auto const grid = ts::rows_grid(machine_of(tiles), rows);
      CHECK(grid.cols == 1);
      CHECK(grid.rows >= 1);
      CHECK(grid.rows <= tiles);
      CHECK(grid.rows <= rows);
    }
  CHECK(ts::rows_grid(machine_of(64), 64).rows == 8);
}

TEST_CASE("grids of packed attention: whole heads") {
  for (int tiles : {1, 5, 12, 64})
    for (int heads : {1, 2, 12, 13, 16, 100})
      for (int rows : {1, 31, 32, 33, 512}) {
        auto const grid = ts::attention_grid(machine_of(tiles), rows, heads);
        CHECK(grid.rows >= 1);
        CHECK(grid.rows * grid.cols <= tiles);
        CHECK(heads % grid.cols == 0);
        CHECK(grid.rows <= rows);
      }
  auto const usual = ts::attention_grid(machine_of(64), 128, 12);
  CHECK(usual.rows == 4);
  CHECK(usual.cols == 12);
}

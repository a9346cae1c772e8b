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

TEST_CASE("grids of products fit the machine, and columns are cut between panels or alike for all rows") {
  for (int tiles : {1, 2, 7, 64, 1472})
    for (int panel : {8, 16, 32})
      for (int cols : {1, 7, 16, 31, 32, 384, 400, 1536, 30522, 32768})
        for (int depth : {1, 64, 4096}) {
          ts::machine const m = machine_of(tiles);
          int parts = 0;
          for (int rows : {1, 2, 15, 16, 17, 128, 257, 512, 1000}) {
            auto const grid = ts::product_grid(m, rows, cols, depth, panel);
            INFO(tiles, " tiles, ", rows, " x ", depth, " x ", cols, ", panels of ", panel, " -> ", grid.rows, " x ",
                 grid.cols);
            REQUIRE(grid.rows >= 1);
            REQUIRE(grid.cols >= 1);
            CHECK(grid.rows * grid.cols <= tiles);
            CHECK(grid.rows <= rows);
            if (cols % panel == 0) {
              CHECK(cols / panel % grid.cols == 0);  // every tile has as many whole panels
            } else {
              CHECK((parts == 0 || parts == grid.cols));  // packed panels serve every capacity
              parts = grid.cols;
            }
          }
        }
  CHECK(ts::product_grid(machine_of(7), 100000, 400, 64, 32).rows == 7);
}

TEST_CASE("work is split where there is enough of it") {
  ts::machine const m = machine_of(64);
  for (int rows : {32, 128, 512})
    for (int cols : {384, 768, 1024, 3072, 30522})
      for (int depth : {384, 1024, 4096}) {
        INFO(rows, " x ", cols, " x ", depth);
        auto const grid = ts::product_grid(m, rows, cols, depth, 32);
        CHECK(grid.rows * grid.cols >= 8);
        CHECK(ts::waiting(grid.rows * grid.cols) == 0.0);
        CHECK(rows / grid.rows >= ts::fewest_rows);
        CHECK(rows / grid.rows <= ts::rows_at_once);
      }
  auto const narrow = ts::product_grid(m, 128, 2, 384, 32);
  CHECK(narrow.rows == 8);
  CHECK(ts::product_grid(m, 1, 1, 1, 32).rows == 1);
}

TEST_CASE("the grid of a product is the cheapest by the cost model") {
  ts::machine const m = machine_of(64);
  for (int rows : {16, 128, 384})
    for (int cols : {384, 1024, 4096})
      for (int depth : {384, 4096}) {
        auto const grid = ts::product_grid(m, rows, cols, depth, 32);
        double const least = ts::product_cycles(m, rows, cols, depth, 32, grid);
        for (int c = 1; c <= cols / 32 && grid.rows * c <= m.tiles; ++c)
          if (cols / 32 % c == 0) CHECK(ts::product_cycles(m, rows, cols, depth, 32, {grid.rows, c}) >= least);
      }
  // What a tall left side costs when many columns of tiles read it again: 6 MiB here, which no cache near a core holds.
  auto const wide = ts::product_grid(m, 384, 1024, 4096, 32);
  CHECK(1024 / wide.cols >= 128);
  CHECK(ts::product_cycles(m, 384, 1024, 4096, 32, {2, 32}) > 1.1 * ts::product_cycles(m, 384, 1024, 4096, 32, wide));
  CHECK(ts::waiting(8) == 0.0);
  CHECK(ts::waiting(12) == doctest::Approx((0 + 0 + 0 + 1.0 / 3) / 4));
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
        auto const grid = ts::attention_grid(machine_of(tiles), rows, heads, 64);
        CHECK(grid.rows >= 1);
        CHECK(grid.rows * grid.cols <= tiles);
        CHECK(heads % grid.cols == 0);
        CHECK(grid.rows <= rows);
      }
  for (int heads : {12, 16})
    for (int rows : {128, 384, 512}) CHECK(ts::attention_grid(machine_of(64), rows, heads, 64).rows <= 2);
  CHECK(ts::attention_grid(machine_of(64), 512, 1, 64).rows == 8);   // every thread finds some
  CHECK(ts::attention_grid(machine_of(64), 512, 16, 64).rows == 1);
}

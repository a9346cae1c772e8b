// SPDX-License-Identifier: Apache-2.0
// Spans and regions against sets of elements.
#include <doctest/doctest.h>

#include <tessera/tensor/region.hpp>

namespace ts = tessera;

namespace {
bool has(ts::span s, int i) { return s.first <= i && i < s.last; }
}  // namespace

TEST_CASE("spans are sets of indices") {
  for (int a = -2; a < 4; ++a)
    for (int b = -2; b < 5; ++b)
      for (int c = -2; c < 4; ++c)
        for (int d = -2; d < 5; ++d) {
          ts::span const x{a, b}, y{c, d}, both = ts::intersect(x, y);
          bool contained = true;
          int size = 0;
          for (int i = -3; i < 6; ++i) {
            REQUIRE(has(both, i) == (has(x, i) && has(y, i)));
            contained &= !has(y, i) || has(x, i);
            size += has(x, i) ? 1 : 0;
          }
          REQUIRE(x.contains(y) == contained);
          REQUIRE(x.size() == size);
          REQUIRE(x.empty() == (size == 0));
        }
}

TEST_CASE("regions") {
  ts::region const a{{{0, 4}, {2, 6}, {0, 1}, {0, 1}}};
  ts::region const b{{{3, 9}, {0, 3}, {0, 1}, {0, 1}}};
  CHECK(ts::intersect(a, b) == ts::region{{{3, 4}, {2, 3}, {0, 1}, {0, 1}}});
  CHECK(ts::overlap(a, b));
  CHECK(a.volume() == 16);
  CHECK(a.contains(ts::intersect(a, b)));
  CHECK_FALSE(a.contains(b));
  CHECK(a.contains(ts::empty_region()));
  CHECK(ts::empty_region().empty());
  CHECK(ts::empty_region().volume() == 0);
  CHECK_FALSE(ts::overlap(a, ts::region{{{4, 9}, {0, 9}, {0, 1}, {0, 1}}}));
}

TEST_CASE("a box covers everything by default") {
  constexpr ts::box all;
  CHECK(all.rows == ts::span{0, ts::end});
  CHECK(all.fourth == ts::span{0, ts::end});
}

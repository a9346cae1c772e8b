// SPDX-License-Identifier: Apache-2.0
// Layouts against their definitions, written down element after element.
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <vector>

#include <tessera/tensor/layout.hpp>

namespace ts = tessera;

namespace {

/// Row and column of each place of a layout's memory in order; -1 is padding.
std::vector<std::pair<int, int>> in_order(ts::layout_record l, int rows, int cols) {
  std::vector<std::pair<int, int>> all;
  auto const put = [&](int r, int c) { all.push_back(r < rows && c < cols ? std::pair(r, c) : std::pair(-1, -1)); };
  switch (l.kind) {
    case ts::layout_kind::row_major:
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) put(r, c);
      break;
    case ts::layout_kind::padded:
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols + l.width; ++c) put(r, c);
      break;
    case ts::layout_kind::col_major:
      for (int c = 0; c < cols; ++c)
        for (int r = 0; r < rows; ++r) put(r, c);
      break;
    case ts::layout_kind::panels:
      for (int p = 0; p < cols; p += l.width)
        for (int r = 0; r < rows; ++r)
          for (int c = p; c < p + l.width; ++c) put(r, c);
      break;
    case ts::layout_kind::row_panels:
      for (int p = 0; p < rows; p += l.width)
        for (int c = 0; c < cols; ++c)
          for (int r = p; r < p + l.width; ++r) put(r, c);
      break;
  }
  return all;
}

}  // namespace

TEST_CASE("offsets follow the definition of each layout") {
  ts::layout_record const layouts[] = {ts::row_major::record,     ts::padded::record,        ts::col_major::record,      ts::panels<1>::record,
                                       ts::panels<4>::record,     ts::panels<16>::record,     ts::row_panels<1>::record,
                                       ts::row_panels<3>::record, ts::row_panels<14>::record};
  for (ts::layout_record const l : layouts)
    for (int rows = 1; rows <= 17; ++rows)
      for (int cols = 1; cols <= 33; cols += 4) {
        auto const order = in_order(l, rows, cols);
        REQUIRE(l.size(rows, cols) == static_cast<std::int64_t>(order.size()));
        for (std::size_t i = 0; i < order.size(); ++i)
          if (order[i].first >= 0)
            REQUIRE(l.offset(rows, cols, order[i].first, order[i].second) == static_cast<std::int64_t>(i));
      }
}

TEST_CASE("only row_major is row major") {
  CHECK(ts::row_major::record.is_row_major());
  CHECK_FALSE(ts::col_major::record.is_row_major());
  CHECK_FALSE(ts::panels<1>::record.is_row_major());
}

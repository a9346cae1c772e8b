// SPDX-License-Identifier: Apache-2.0
// Fields as views of a box: indices, rows, places, batches.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <vector>

#include <tessera/program/field.hpp>

namespace ts = tessera;

namespace {

/// Rows 3 … 5, columns 1 … 4 of a 10 x 6 tensor that lies at `data`.
ts::field_binding box_of(void* data) {
  ts::field_binding b;
  b.data = data;
  b.extent[0] = 3;
  b.extent[1] = 4;
  b.stride[0] = 6;
  b.stride[1] = 1;
  b.first[0] = 3;
  b.first[1] = 1;
  b.tensor_extent[0] = 10;
  b.tensor_extent[1] = 6;
  b.before[0] = 1;
  b.after[0] = 1;
  return b;
}

/// What load and store want: any type with these members.
struct four_floats {
  static constexpr std::size_t size = 4;
  std::array<float, 4> lane{};
  static four_floats load_unaligned(float const* p) { return {{p[0], p[1], p[2], p[3]}}; }
  void store_unaligned(float* p) const {
    for (std::size_t i = 0; i < size; ++i) p[i] = lane[i];
  }
};

}  // namespace

TEST_CASE("an input shows a box of its tensor and knows where it is") {
  std::vector<float> data(12);
  data.resize(60);
  std::iota(data.begin(), data.end(), 0.0f);
  ts::input<float, 2> u;
  u.bind(box_of(data.data() + 3 * 6 + 1));
  CHECK(u.rows() == 3);
  CHECK(u.cols() == 4);
  CHECK(u.size() == 12);
  CHECK_FALSE(u.empty());
  CHECK(u(0, 0) == 19.0f);
  CHECK(u(2, 3) == 34.0f);
  CHECK(u.first_row() == 3);
  CHECK(u.first_col() == 1);
  CHECK(u.tensor_row(2) == 5);
  CHECK(u.tensor_col(3) == 4);
  CHECK(u.tensor_rows() == 10);
  CHECK(u.tensor_cols() == 6);
  CHECK(u.before(0) == 1);
  CHECK(u.after(0) == 1);
  CHECK(u.before(1) == 0);
  CHECK(u.row(1).size() == 4);
  CHECK(u.row(1)[2] == 27.0f);
  CHECK(u.row(1).load<four_floats>(0).lane[3] == 28.0f);
  CHECK(std::accumulate(u.row(0).begin(), u.row(0).end(), 0.0f) == 19.0f + 20 + 21 + 22);
  CHECK(unchecked(u).row(1)[0] == 25.0f);
  CHECK(unchecked(u).stride == 6);
  static_assert(std::is_same_v<decltype(u(0, 0)), float const&>);
}

TEST_CASE("an output is assigned element by element, by rows and by batches") {
  std::vector<float> data(60, -1.0f);
  ts::output<float, 2> v;
  v.bind(box_of(data.data() + 3 * 6 + 1));
  v(0, 0) = 5.0f;
  v.row(1)[3] = 6.0f;
  v.row(2).store(0, four_floats{{1, 2, 3, 4}});
  v.row(0).store_tail(1, four_floats{{7, 8, 9, 9}}, 2);
  CHECK(data[19] == 5.0f);
  CHECK(data[20] == 7.0f);
  CHECK(data[21] == 8.0f);
  CHECK(data[22] == -1.0f);
  CHECK(data[25 + 3] == 6.0f);
  CHECK(data[31 + 3] == 4.0f);
  CHECK(data[18] == -1.0f);
  using element = std::remove_cvref_t<decltype(v(0, 0))>;
  static_assert(!std::is_default_constructible_v<element>);
  static_assert(sizeof(element) == sizeof(float));
}

TEST_CASE("an inout is read and written") {
  std::vector<float> data(60, 2.0f);
  ts::inout<float, 2> w;
  w.bind(box_of(data.data() + 19));
  w(1, 1) += 3.0f;
  w.row(2).store(0, w.row(1).load<four_floats>(0));
  CHECK(data[19 + 6 + 1] == 5.0f);
  CHECK(data[19 + 12 + 1] == 5.0f);
}

TEST_CASE("a vector is its own only row") {
  std::vector<int> data{1, 2, 3};
  ts::field_binding b;
  b.data = data.data();
  b.extent[0] = 3;
  ts::input<int> x;
  x.bind(b);
  CHECK(x.row().size() == 3);
  CHECK(x.row()[2] == 3);
  CHECK(x(1) == 2);
}

TEST_CASE("other layouts are read by row and column") {
  // 3 x 5 in panels of 2 columns: columns 0 1 | 2 3 | 4 and padding.
  std::vector<int> packed{0, 1, 10, 11, 20, 21, 2, 3, 12, 13, 22, 23, 4, -1, 14, -1, 24, -1};
  ts::field_binding b;
  b.data = packed.data();
  b.extent[0] = 3;
  b.extent[1] = 5;
  ts::input<int, 2, ts::panels<2>> p;
  p.bind(b);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) CHECK(p(i, j) == 10 * i + j);
  std::vector<int> columns{0, 10, 20, 1, 11, 21};
  b.data = columns.data();
  b.extent[1] = 2;
  ts::input<int, 2, ts::col_major> c;
  c.bind(b);
  CHECK(c(2, 0) == 20);
  CHECK(c(0, 1) == 1);
}

TEST_CASE("scratch has the size that its type says") {
  alignas(64) std::array<double, 8> memory{};
  ts::field_binding b;
  b.data = memory.data();
  ts::scratch<double, 3> s;
  s.bind(b);
  s[2] = 4.0;
  CHECK(memory[2] == 4.0);
  CHECK(s.size() == 3);
  CHECK(s.data() == memory.data());
  CHECK(ts::scratch<double, 9>::bytes == 128);
}

TEST_CASE("a field without elements is empty") {
  ts::input<float, 3> nothing;
  nothing.bind(ts::field_binding{});
  CHECK(nothing.empty());
  CHECK(nothing.size() == 0);
}

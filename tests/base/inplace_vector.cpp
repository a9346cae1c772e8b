// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tessera/base/inplace_vector.hpp>

namespace {

constexpr int sum_of_squares(int count) {
  tessera::inplace_vector<int, 8> squares;
  for (int i = 0; i < count; ++i) squares.push_back(i * i);
  int sum = 0;
  for (int square : squares) sum += square;
  return sum;
}

template <tessera::inplace_vector<int, 4> V>
constexpr int length = V.size();

}  // namespace

TEST_CASE("inplace_vector is filled, read and cleared in constant expressions") {
  static_assert(sum_of_squares(4) == 14);
  static_assert(tessera::inplace_vector<int, 8>::capacity() == 8);
  static_assert(tessera::inplace_vector<int, 0>{}.empty());

  tessera::inplace_vector<int, 3> numbers;
  CHECK(numbers.empty());
  CHECK(numbers.push_back(7) == 0);
  CHECK(numbers.push_back(9) == 1);
  CHECK(numbers.back() == 9);
  numbers[0] = 8;
  CHECK(numbers[0] == 8);
  CHECK(numbers.size() == 2);
  numbers.clear();
  CHECK(numbers.size() == 0);
}

TEST_CASE("inplace_vector can be a template argument") {
  constexpr auto two = [] {
    tessera::inplace_vector<int, 4> v;
    v.push_back(1);
    v.push_back(2);
    return v;
  }();
  static_assert(length<two> == 2);
}

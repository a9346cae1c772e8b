// SPDX-License-Identifier: Apache-2.0
// Tensors and shapes are types without a value.
#include <doctest/doctest.h>

#include <type_traits>

#include <tessera/tensor/tensor.hpp>

namespace ts = tessera;

TEST_CASE("a tensor is an empty object that knows everything about itself") {
  constexpr ts::tensor<"weights", float, ts::shape<3, 5, 7>, ts::by_rows> w;
  using T = std::remove_const_t<decltype(w)>;
  static_assert(std::is_empty_v<T>);
  static_assert(ts::Tensor<T>);
  static_assert(!ts::Tensor<int>);
  CHECK(T::name.view() == "weights");
  CHECK(T::rank == 3);
  CHECK(T::shape_type::volume == 105);
  CHECK(T::shape_type::extent[2] == 7);
}

TEST_CASE("volumes of large shapes do not overflow") {
  CHECK(ts::shape<65536, 65536>::volume == 4294967296);
}

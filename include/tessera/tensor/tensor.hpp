// SPDX-License-Identifier: Apache-2.0
// A tensor: a name, an element type, a shape and a mapping. It is an empty object; its memory belongs to an engine.
//
//   constexpr ts::tensor<"u", float, ts::shape<1024, 1024>, ts::by_rows> u;
#pragma once

#include <string_view>

#include <tessera/base/label.hpp>
#include <tessera/tensor/element.hpp>
#include <tessera/tensor/mapping.hpp>
#include <tessera/tensor/shape.hpp>

namespace tessera {

/// A variable of a program. Since the mapping is part of the type, an unmapped tensor cannot be written down.
/// Two tensors of one program have different names.
template <label Name, class T, class Shape, Mapping Map>
struct tensor {
  using element_type = T;
  using shape_type = Shape;
  using mapping_type = Map;

  static constexpr int rank = Shape::rank;
  static constexpr decltype(Name) name = Name;
};

namespace detail {
template <class T>
inline constexpr bool is_tensor = false;
template <label Name, class T, class Shape, class Map>
inline constexpr bool is_tensor<tensor<Name, T, Shape, Map>> = true;
}  // namespace detail

/// A tessera::tensor.
template <class T>
concept Tensor = detail::is_tensor<T>;

}  // namespace tessera

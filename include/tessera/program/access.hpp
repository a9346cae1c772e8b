// SPDX-License-Identifier: Apache-2.0
// Accesses: which box of a tensor each tile's vertex gets. A tensor by itself means the tile's own block.
//
//   ts::halo<1>(u)      the block and one row on either side        ts::whole(u)        all of u
//   ts::rows(a)         all columns of the block's rows             ts::cols(b)         all rows of its columns
//   ts::block<0, 2>(u)  the block at these grid coordinates         ts::neighbour<0, 1>(u)   the one to the right
//   ts::gather(u, ids)  the rows that a vector of indices names     ts::at(u, [](ts::tile t) { return ts::box{…}; })
#pragma once

#include <type_traits>

#include <tessera/program/records.hpp>
#include <tessera/program/rules.hpp>
#include <tessera/tensor/tensor.hpp>

namespace tessera {

/// What a halo holds where it reaches beyond the tensor, and what lies beyond the edge of a grid of tiles.
namespace edge {
template <edge_rule Rule>
struct kind {
  static constexpr edge_rule rule = Rule;
};
inline constexpr kind<edge_rule::clip> clip;    ///< nothing: the field is smaller there (the default)
inline constexpr kind<edge_rule::zero> zero;    ///< zeros
inline constexpr kind<edge_rule::clamp> clamp;  ///< the nearest element
inline constexpr kind<edge_rule::wrap> wrap;    ///< the elements of the other end
}  // namespace edge

/// The base of everything that can stand for a field in execute(), other than a plain tensor.
struct access_tag {};
/// An access expression or a tensor.
template <class A>
concept Access = Tensor<A> || std::is_base_of_v<access_tag, A>;

/// The tile's own block: what a plain tensor means.
template <Tensor T>
struct own_access : access_tag {
  using tensor_type = T;
  static constexpr access_record record() {
    access_record a;
    for (int d = 0; d < T::rank; ++d) a.dim[d].from = static_cast<std::int8_t>(d);
    return a;
  }
};

/// What ts::halo<Radius…>(t, edge) returns.
template <Tensor T, edge_rule Edge, int... Radius>
struct halo_access : access_tag {
  using tensor_type = T;
  static constexpr access_record record() {
    access_record a = own_access<T>::record();
    a.kind = access_kind::halo;
    a.edge = Edge;
    int d = 0;
    ((a.dim[d++].radius = static_cast<std::int8_t>(Radius)), ...);
    return a;
  }
};

/// What ts::whole(t) returns.
template <Tensor T>
struct whole_access : access_tag {
  using tensor_type = T;
  static constexpr access_record record() {
    access_record a;
    a.kind = access_kind::whole;
    return a;
  }
};

/// What ts::rows(t) and ts::cols(t) return.
template <Tensor T, int Dimension, access_kind Kind>
struct band_access : access_tag {
  using tensor_type = T;
  static constexpr access_record record() {
    access_record a;
    a.kind = Kind;
    a.dim[Dimension].from = Dimension;
    return a;
  }
};

/// What ts::block<Coordinate…>(t) returns.
template <Tensor T, int... Coordinate>
struct block_access : access_tag {
  using tensor_type = T;
  static constexpr access_record record() {
    access_record a = own_access<T>::record();
    a.kind = access_kind::block;
    for (auto& rule : a.dim) rule.fixed = 0;
    int d = 0;
    ((a.dim[d++].fixed = static_cast<std::int16_t>(Coordinate)), ...);
    return a;
  }
};

/// What ts::neighbour<Steps…>(t, edge) returns.
template <Tensor T, edge_rule Edge, int... Steps>
struct neighbour_access : access_tag {
  using tensor_type = T;
  static constexpr access_record record() {
    access_record a = own_access<T>::record();
    a.kind = access_kind::neighbour;
    a.edge = Edge;
    int d = 0;
    ((a.dim[d++].shift = static_cast<std::int16_t>(Steps)), ...);
    return a;
  }
};

/// What ts::gather(t, ids) returns.
template <Tensor T, Tensor Index>
struct gather_access : access_tag {
  using tensor_type = T;
  using index_type = Index;
  static constexpr access_record record() {
    access_record a;
    a.kind = access_kind::gather;
    a.dim[0].from = 0;
    return a;
  }
};

/// What ts::at(t, function) returns.
template <Tensor T, class Function>
struct at_access : access_tag {
  using tensor_type = T;
  static constexpr box call(tile t) { return Function{}(t); }
  static constexpr access_record record() {
    access_record a;
    a.kind = access_kind::at;
    a.at = &call;
    return a;
  }
};

/// An access in which a mistake has been reported already: whatever contains it is silent.
struct refused_access {};

namespace detail {
/// Whether `Given` radii, coordinates or steps are not too many for a tensor.
template <Tensor T, int Given>
constexpr bool fits_rank() {
  if constexpr (Given >= 1 && Given <= T::rank) {
    return true;
  } else {
    static_assert(access_fits_rank<words::tensor_named<T::name>, words::rank_of_tensor<T::rank>,
                                   words::rank_of_access<Given>>,
                  "tessera: an access takes one number for each dimension, or fewer (docs/errors/access_fits_rank.md)");
    return false;
  }
}
/// Whether a function can be called in constant expressions.
template <class Function>
concept ConstantBox = requires { typename std::integral_constant<int, (Function{}(tile{}), 0)>; };
}  // namespace detail

/// The tile's block and `Radius` elements on either side in each dimension (missing ones 0), also beyond the
/// neighbour's block. At the tensor's edge clipped, or filled as `edge` says.
template <int... Radius, Tensor T, edge_rule Edge = edge_rule::clip>
constexpr auto halo(T, edge::kind<Edge> = {}) {
  constexpr bool valid = ((Radius >= 0 && Radius <= 127) && ...);
  static_assert(valid, "tessera: a halo's radius is 0 to 127 (docs/errors/argument_in_range.md)");
  if constexpr (!valid) return refused_access{};
  else if constexpr (detail::fits_rank<T, sizeof...(Radius)>()) return halo_access<T, Edge, Radius...>{};
  else return refused_access{};
}
/// All of a tensor, on every tile.
template <Tensor T>
constexpr whole_access<T> whole(T) {
  return {};
}
/// The rows of the tile's block in the tensor's own mapping, with all columns.
template <Tensor T>
constexpr band_access<T, 0, access_kind::rows> rows(T) {
  return {};
}
/// The columns of the tile's block in the tensor's own mapping, with all rows.
template <Tensor T>
  requires(T::rank >= 2)
constexpr band_access<T, 1, access_kind::cols> cols(T) {
  return {};
}
/// The block at fixed coordinates of the tensor's grid of tiles, the same for every tile.
template <int... Coordinate, Tensor T>
constexpr auto block(T) {
  constexpr bool valid = ((Coordinate >= 0 && Coordinate <= 32767) && ...);
  static_assert(valid, "tessera: a grid coordinate is 0 to 32767 (docs/errors/argument_in_range.md)");
  if constexpr (!valid) return refused_access{};
  else if constexpr (detail::fits_rank<T, sizeof...(Coordinate)>()) return block_access<T, Coordinate...>{};
  else return refused_access{};
}
/// The block `Steps` away from the tile's own in the tensor's grid; with edge::wrap the grid is a torus.
template <int... Steps, Tensor T, edge_rule Edge = edge_rule::clip>
constexpr auto neighbour(T, edge::kind<Edge> = {}) {
  constexpr bool edge_valid = Edge == edge_rule::clip || Edge == edge_rule::wrap;
  constexpr bool steps_valid = ((Steps >= -32767 && Steps <= 32767) && ...);
  static_assert(edge_valid, "tessera: beyond the edge of the grid there is nothing, or with edge::wrap the other end "
                            "(docs/errors/argument_in_range.md)");
  static_assert(steps_valid, "tessera: a neighbour is -32767 to 32767 steps away (docs/errors/argument_in_range.md)");
  if constexpr (!edge_valid || !steps_valid) return refused_access{};
  else if constexpr (detail::fits_rank<T, sizeof...(Steps)>()) return neighbour_access<T, Edge, Steps...>{};
  else return refused_access{};
}
/// Row ids[i] of the tensor as row i of the field, for the tile's own block of `ids`. Indices are checked at run time.
template <Tensor T, Tensor Index>
constexpr auto gather(T, Index) {
  using index_type = typename Index::element_type;
  if constexpr (Index::rank == 1 && (std::is_same_v<index_type, std::int32_t> || std::is_same_v<index_type, std::int64_t>)) {
    return gather_access<T, Index>{};
  } else {
    static_assert(index_is_integer_vector<words::index_tensor<Index::name>, words::element_of_tensor<index_type>,
                                          words::rank_of_tensor<Index::rank>>,
                  "tessera: the indices of a gather are a vector of int32 or int64 "
                  "(docs/errors/index_is_integer_vector.md)");
    return refused_access{};
  }
}
/// Any box, as a function of the tile without captures that can be called in constant expressions.
template <Tensor T, class Function>
constexpr auto at(T, Function) {
  if constexpr (std::is_empty_v<Function> && std::is_invocable_r_v<box, Function, tile> &&
                detail::ConstantBox<Function>) {
    return at_access<T, Function>{};
  } else {
    static_assert(box_is_constant<words::tensor_named<T::name>>,
                  "tessera: at(tensor, function) wants a constexpr function without captures from ts::tile to ts::box "
                  "(docs/errors/box_is_constant.md)");
    return refused_access{};
  }
}

namespace detail {
template <class A>
struct access_of {
  using type = A;
};
template <Tensor T>
struct access_of<T> {
  using type = own_access<T>;
};
template <class A>
inline constexpr bool is_gather = false;
template <class T, class I>
inline constexpr bool is_gather<gather_access<T, I>> = true;
}  // namespace detail

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Which elements a field shows, element by element from the definitions of mappings and accesses. Nothing here comes
// from the library but the types in which mappings and accesses are written down.
//
//   deal(10, 4)  ->  0 0 1 1 1 2 2 3 3 3      look(variables, halo<1> of it, tile 1, …)  ->  1 2 3 4 5
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <tessera/program/steps.hpp>

namespace reference {

namespace ts = tessera;

/// A program, or the library's proof of it, is wrong.
struct not_proven : std::logic_error {
  using std::logic_error::logic_error;
};

using coordinates = std::array<int, ts::max_rank>;

// --- Mappings ---------------------------------------------------------------------------------------------------------

/// Blocks on a grid of tiles, from `first_tile` on, grid coordinates in row-major order.
struct grid {
  int first_tile = 0;
  coordinates parts{1, 1, 1, 1};
  bool replicated = false;
};

template <class Map>
struct grid_of;
template <>
struct grid_of<ts::by_rows> {
  static grid on(int, int tiles) { return {0, {tiles, 1, 1, 1}}; }
};
template <>
struct grid_of<ts::by_cols> {
  static grid on(int rank, int tiles) { return rank == 1 ? grid{0, {tiles, 1, 1, 1}} : grid{0, {1, tiles, 1, 1}}; }
};
template <int Rows, int Cols>
struct grid_of<ts::by_blocks<Rows, Cols>> {
  static grid on(int, int) { return {0, {Rows, Cols, 1, 1}}; }
};
template <int Tile>
struct grid_of<ts::on_tile<Tile>> {
  static grid on(int, int) { return {Tile, {1, 1, 1, 1}}; }
};
template <int First, int Last, class Map>
struct grid_of<ts::on_tiles<First, Last, Map>> {
  static grid on(int rank, int) {
    grid g = grid_of<Map>::on(rank, Last - First + 1);
    g.first_tile += First;
    return g;
  }
};
template <>
struct grid_of<ts::replicated> {
  static grid on(int, int) { return {0, {1, 1, 1, 1}, true}; }
};

/// The block of each index, when `extent` indices are dealt to `parts` blocks as evenly as possible: after each block
/// the number of indices dealt so far is the integer part of extent * blocks / parts.
inline std::vector<int> deal(int extent, int parts) {
  std::vector<int> block;
  int credit = 0;
  for (int b = 0; b < parts; ++b)
    for (credit += extent; credit >= parts; credit -= parts) block.push_back(b);
  return block;
}

/// A tensor: its value in row-major order, one for all copies of a replicated one.
struct variable {
  std::string name;
  int element_bytes = 0;
  int rank = 1;
  coordinates extent{1, 1, 1, 1};
  grid place;
  std::vector<int> block[ts::max_rank];   ///< of each index of each dimension
  std::vector<std::byte> value;
  std::vector<char> written;              ///< of each element

  std::size_t volume() const { return written.size(); }
  std::size_t number(coordinates const& c) const {
    std::size_t n = 0;
    for (std::size_t d = 0; d < ts::max_rank; ++d)
      n = n * static_cast<std::size_t>(extent[d]) + static_cast<std::size_t>(c[d]);
    return n;
  }
  std::byte* at(std::size_t element) { return value.data() + element * static_cast<std::size_t>(element_bytes); }
  /// The tile's place in the grid of blocks; false if it has none.
  bool find(int tile, coordinates& c) const {
    if (place.replicated) {
      c = {0, 0, 0, 0};
      return true;
    }
    int t = place.first_tile;
    for (c[0] = 0; c[0] < place.parts[0]; ++c[0])
      for (c[1] = 0; c[1] < place.parts[1]; ++c[1])
        for (c[2] = 0; c[2] < place.parts[2]; ++c[2])
          for (c[3] = 0; c[3] < place.parts[3]; ++c[3])
            if (t++ == tile) return true;
    return false;
  }
  /// The indices of dimension d in block b.
  std::vector<int> indices(std::size_t d, int b) const {
    std::vector<int> list;
    for (int i = 0; i < extent[d]; ++i)
      if (block[d][static_cast<std::size_t>(i)] == b) list.push_back(i);
    return list;
  }
};

// --- Accesses ---------------------------------------------------------------------------------------------------------

/// An access as it is written down.
struct request {
  ts::access_kind kind = ts::access_kind::own;
  ts::edge_rule edge = ts::edge_rule::clip;
  int tensor = 0;
  int index = -1;              ///< gather
  coordinates number{};        ///< radii, grid steps or grid coordinates
  ts::box (*at)(ts::tile) = nullptr;
};

/// The indices of one dimension that a field shows, in order; -1 is a zero that an edge rule adds.
struct axis {
  std::vector<int> index;
  int first = 0;
  int before = 0, after = 0;
};
/// What a field shows.
struct window {
  axis along[ts::max_rank];
  bool empty = true;
};

template <class A>
struct read_access;

/// The variables of one program, in the order in which they are met.
struct world {
  int tiles = 1;
  std::vector<variable> variables;

  template <class T>
  int number_of() {
    std::string const name(T::name.view());
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (variables[i].name == name) return static_cast<int>(i);
    variable v;
    v.name = name;
    v.element_bytes = static_cast<int>(sizeof(typename T::element_type));
    v.rank = T::rank;
    std::size_t volume = 1;
    v.place = grid_of<typename T::mapping_type>::on(T::rank, tiles);
    for (std::size_t d = 0; d < ts::max_rank; ++d) {
      if (d < std::size_t{T::rank}) v.extent[d] = T::shape_type::extent[d];
      volume *= static_cast<std::size_t>(v.extent[d]);
      v.block[d] = deal(v.extent[d], v.place.parts[d]);
    }
    v.value.resize(volume * sizeof(typename T::element_type));
    v.written.resize(volume);
    variables.push_back(std::move(v));
    return static_cast<int>(variables.size()) - 1;
  }
  variable& of(int number) { return variables[static_cast<std::size_t>(number)]; }
};

template <ts::Tensor T>
struct read_access<T> {
  static request in(world& w) { return {.kind = ts::access_kind::own, .tensor = w.number_of<T>()}; }
};
template <class T>
struct read_access<ts::own_access<T>> : read_access<T> {};
template <class T, ts::edge_rule Edge, int... Radius>
struct read_access<ts::halo_access<T, Edge, Radius...>> {
  static request in(world& w) {
    return {.kind = ts::access_kind::halo, .edge = Edge, .tensor = w.number_of<T>(), .number = {Radius...}};
  }
};
template <class T>
struct read_access<ts::whole_access<T>> {
  static request in(world& w) { return {.kind = ts::access_kind::whole, .tensor = w.number_of<T>()}; }
};
template <class T, int Dimension, ts::access_kind Kind>
struct read_access<ts::band_access<T, Dimension, Kind>> {
  static request in(world& w) { return {.kind = Kind, .tensor = w.number_of<T>(), .number = {Dimension}}; }
};
template <class T, int... Coordinate>
struct read_access<ts::block_access<T, Coordinate...>> {
  static request in(world& w) {
    return {.kind = ts::access_kind::block, .tensor = w.number_of<T>(), .number = {Coordinate...}};
  }
};
template <class T, ts::edge_rule Edge, int... Steps>
struct read_access<ts::neighbour_access<T, Edge, Steps...>> {
  static request in(world& w) {
    return {.kind = ts::access_kind::neighbour, .edge = Edge, .tensor = w.number_of<T>(), .number = {Steps...}};
  }
};
template <class T, class Index>
struct read_access<ts::gather_access<T, Index>> {
  static request in(world& w) {
    int const tensor = w.number_of<T>();
    return {.kind = ts::access_kind::gather, .tensor = tensor, .index = w.number_of<Index>()};
  }
};
template <class T, class Function>
struct read_access<ts::at_access<T, Function>> {
  static ts::box call(ts::tile t) { return Function{}(t); }
  static request in(world& w) {
    return {.kind = ts::access_kind::at, .tensor = w.number_of<T>(), .at = &call};
  }
};

/// What a field shows on a tile; `values` holds the indices that a gather reads.
inline window look(std::vector<variable>& values, request const& r, int tile, int tiles) {
  variable const& v = values[static_cast<std::size_t>(r.tensor)];
  window w;
  auto const all = [&](std::size_t d) {
    for (int i = 0; i < v.extent[d]; ++i) w.along[d].index.push_back(i);
  };
  coordinates c{};
  bool const here = v.find(tile, c);
  switch (r.kind) {
    case ts::access_kind::own:
    case ts::access_kind::halo:
      if (!here) return w;
      for (std::size_t d = 0; d < ts::max_rank; ++d) {
        axis& a = w.along[d];
        std::vector<int> const own = v.indices(d, c[d]);
        if (own.empty()) return w;
        int const radius = r.kind == ts::access_kind::halo ? r.number[d] : 0;
        int const extent = v.extent[d];
        a.first = own.front() - radius;
        for (int i = own.front() - radius; i <= own.back() + radius; ++i) {
          bool const outside = i < 0 || i >= extent;
          if (outside && r.edge == ts::edge_rule::clip) {
            if (i < 0) a.first = 0;
            continue;
          }
          int shown = i;
          if (outside && r.edge == ts::edge_rule::zero) shown = -1;
          if (outside && r.edge == ts::edge_rule::clamp) shown = std::clamp(i, 0, extent - 1);
          if (outside && r.edge == ts::edge_rule::wrap) shown = (i + 1024 * extent) % extent;
          a.index.push_back(shown);
          a.before += i < own.front() ? 1 : 0;
          a.after += i > own.back() ? 1 : 0;
        }
      }
      break;
    case ts::access_kind::whole:
      for (std::size_t d = 0; d < ts::max_rank; ++d) all(d);
      break;
    case ts::access_kind::rows:
    case ts::access_kind::cols:
      if (!here) return w;
      for (std::size_t d = 0; d < ts::max_rank; ++d) {
        if (static_cast<int>(d) == r.number[0]) w.along[d].index = v.indices(d, c[d]);
        else all(d);
      }
      break;
    case ts::access_kind::block:
    case ts::access_kind::neighbour:
      if (r.kind == ts::access_kind::neighbour && !here) return w;
      for (std::size_t d = 0; d < ts::max_rank; ++d) {
        int b = r.kind == ts::access_kind::block ? r.number[d] : c[d] + r.number[d];
        if (r.edge == ts::edge_rule::wrap) b = (b + 1024 * v.place.parts[d]) % v.place.parts[d];
        w.along[d].index = v.indices(d, b);
      }
      break;
    case ts::access_kind::gather: {
      variable& ids = values[static_cast<std::size_t>(r.index)];
      coordinates where{};
      if (!ids.find(tile, where)) return w;
      for (int i : ids.indices(0, where[0])) {
        std::int64_t row = 0;
        std::int32_t narrow = 0;
        if (ids.element_bytes == 8) std::memcpy(&row, ids.at(static_cast<std::size_t>(i)), 8);
        else std::memcpy(&narrow, ids.at(static_cast<std::size_t>(i)), 4);
        if (ids.element_bytes == 4) row = narrow;
        if (row < 0 || row >= v.extent[0]) throw not_proven("gather from " + v.name + ": row " + std::to_string(row));
        w.along[0].index.push_back(static_cast<int>(row));
      }
      for (std::size_t d = 1; d < ts::max_rank; ++d) all(d);
      break;
    }
    case ts::access_kind::at: {
      ts::box const b = r.at(ts::tile{tile, tiles});
      ts::span const given[] = {b.rows, b.cols, b.third, b.fourth};
      for (std::size_t d = 0; d < ts::max_rank; ++d) {
        int const last = given[d].last == ts::end || static_cast<int>(d) >= v.rank ? v.extent[d] : given[d].last;
        for (int i = static_cast<int>(d) >= v.rank ? 0 : given[d].first; i < last; ++i) {
          if (i < 0 || i >= v.extent[d]) throw not_proven("a box of " + v.name + " leaves it");
          w.along[d].index.push_back(i);
        }
      }
      break;
    }
    case ts::access_kind::window: throw std::logic_error("only graphs have windows");
  }
  w.empty = false;
  for (axis& a : w.along) w.empty |= a.index.empty();
  if (!w.empty && r.kind != ts::access_kind::halo && r.kind != ts::access_kind::gather)
    for (axis& a : w.along) a.first = a.index.front();
  return w;
}

}  // namespace reference

// SPDX-License-Identifier: Apache-2.0
// The words of compile-time messages: empty types whose names say what their numbers mean. A failed check is a false
// variable template over them, so that both compilers print the facts, followed by a sentence with the remedy:
//
//   tile_memory_fits<tensor_named<label<2>{"v"}>, tile_number<0>, bytes_needed<1048576>, bytes_available<524288>>
//
// One fact is one argument: compilers cut long names, not long lists.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tessera/base/label.hpp>

namespace tessera {

/// The length of a C string without its terminating zero, in constant expressions.
constexpr std::size_t length_of(char const* text) {
  std::size_t n = 0;
  while (text[n] != '\0') ++n;
  return n;
}

/// A label from the first Size - 1 characters of a C string: how a name in a record becomes a template argument.
///   label_of<length_of(record.name) + 1>(record.name)
template <std::size_t Size>
constexpr label<Size> label_of(char const* text) {
  char copy[Size]{};
  for (std::size_t i = 0; i + 1 < Size; ++i) copy[i] = text[i];
  return label<Size>(copy);
}

namespace words {

// --- What a message is about ---------------------------------------------------------------------------------------

template <label Name> struct tensor_named {};      ///< a tensor of the program
template <label Name> struct index_tensor {};      ///< the vector of row numbers of a gather
template <label Name> struct beside_tensor {};     ///< a second tensor that does not go with the first
template <label Name> struct source_tensor {};     ///< what a copy reads
template <label Name> struct destination_tensor {};///< what a copy writes
template <label Name> struct field_named {};       ///< a field of a vertex, as TESSERA_FIELDS names it
template <label Name> struct vertex_named {};      ///< a vertex type whose name comes from a record
template <label Name> struct beside_vertex {};     ///< a second vertex type that does not go with the first
template <class Vertex> struct vertex_type {};     ///< a vertex type
template <class Field> struct field_type {};       ///< the type of a field
template <class Step> struct step_type {};         ///< what was given where a step is wanted
template <class Argument> struct argument_type {}; ///< what was given where an access is wanted
template <int Number> struct in_step {};           ///< a step, numbered as in the program's report

// --- Where on the machine ------------------------------------------------------------------------------------------

template <int Tile> struct tile_number {};         ///< one tile
struct every_tile {};                              ///< no tile in particular
template <int A, int B> struct on_tiles_pair {};   ///< two tiles: the second disturbs, or is disturbed by, the first
template <int First, int Last> struct on_tiles_range {};   ///< tiles First … Last
template <int Count> struct tiles_of_machine {};   ///< tiles of the program's machine
template <int Count> struct tiles_of_mapping {};   ///< tiles that a mapping wants
template <int... Parts> struct grid_of_tensor {};          ///< how many parts a mapping makes of each dimension
template <int... Parts> struct grid_beside {};             ///< the same of the second tensor
template <int Tile> struct first_tile_of_tensor {};        ///< where a mapping begins
template <int Tile> struct first_tile_beside {};           ///< where the mapping of the second tensor begins
template <int... Coordinates> struct grid_coordinates {};  ///< a place in a mapping's grid

// --- Which elements ------------------------------------------------------------------------------------------------

template <int First, int Last> struct rows_range {};       ///< dimension 0, [First, Last)
template <int First, int Last> struct cols_range {};       ///< dimension 1
template <int First, int Last> struct third_range {};      ///< dimension 2
template <int First, int Last> struct fourth_range {};     ///< dimension 3
template <class... Ranges> struct in_box {};               ///< one range a dimension
template <int... Extents> struct tensor_extents {};        ///< the shape of a tensor
template <int... Extents> struct source_extents {};        ///< the shape of what a copy reads
template <int... Extents> struct destination_extents {};   ///< the shape of what a copy writes
template <std::int64_t Count> struct elements_needed {};   ///< how many elements there should be
template <std::int64_t Count> struct elements_given {};    ///< how many there are
template <std::int64_t Count> struct boxes_compared {};    ///< up to how many boxes are compared one by one
template <std::int64_t Count> struct boxes_followed {};    ///< up to how many boxes are followed
template <std::int64_t Count> struct blocks_of_grid {};    ///< how many blocks a grid has in the dimension concerned
template <std::int64_t Radius> struct halo_radius {};      ///< elements on either side
template <std::int64_t Extent> struct extent_of_tensor {}; ///< in the dimension concerned

// --- How much ------------------------------------------------------------------------------------------------------

template <std::int64_t Bytes> struct bytes_needed {};
template <std::int64_t Bytes> struct bytes_available {};
template <std::int64_t Bytes> struct bytes_over_budget {};
template <std::int64_t Bytes> struct bytes_of_item {};

struct variable {};            ///< a tensor's part on the tile
struct exchange_buffer {};     ///< what an exchange puts together for a field
struct scratch_memory {};      ///< a vertex's scratch fields
struct vertex_state {};        ///< a vertex's state fields
template <class Kind, class Name> struct largest_item {};  ///< the largest of what needs memory

// --- Vertices and their fields -------------------------------------------------------------------------------------

template <int Count> struct fields_declared {};    ///< fields of a vertex that take an access
template <int Count> struct fields_connected {};   ///< fields that got an argument
template <int Count> struct accesses_given {};     ///< arguments of an execute
template <int Rank> struct rank_of_field {};
template <int Rank> struct rank_of_tensor {};
template <int Rank> struct rank_of_access {};
template <class T> struct element_of_field {};
template <class T> struct element_of_tensor {};
template <label Name> struct element_named {};     ///< an element type whose name comes from a record

// --- Steps ---------------------------------------------------------------------------------------------------------

template <int Count> struct times {};              ///< of a repeat

}  // namespace words
}  // namespace tessera

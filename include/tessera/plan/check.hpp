// SPDX-License-Identifier: Apache-2.0
// The rules of whole programs, where their findings become messages. A broken rule is reported once, at the program's
// boundary, as a false variable template over named facts and a sentence with the remedy:
//
//   one_writer<tensor_named<label<2>{"v"}>, on_tiles_pair<0, 1>, in_box<rows_range<32, 33>, cols_range<0, 1024>>, ...>
//
// Rules of single vertices, accesses and steps are in tessera/program/rules.hpp.
#pragma once

#include <type_traits>
#include <utility>

#include <tessera/base/words.hpp>
#include <tessera/plan/bounds.hpp>
#include <tessera/plan/finding.hpp>
#include <tessera/plan/memory.hpp>
#include <tessera/plan/races.hpp>
#include <tessera/plan/resident.hpp>
#include <tessera/plan/summary.hpp>
#include <tessera/plan/uniform.hpp>
#include <tessera/plan/written.hpp>
#include <tessera/program/rules.hpp>

namespace tessera {

template <class... Facts> inline constexpr bool mapping_fits_machine = false;
template <class... Facts> inline constexpr bool mapping_fits_rank = false;
template <class... Facts> inline constexpr bool range_inside_machine = false;
template <class... Facts> inline constexpr bool block_inside_grid = false;
template <class... Facts> inline constexpr bool wrap_fits_tensor = false;
template <class... Facts> inline constexpr bool access_inside_tensor = false;
template <class... Facts> inline constexpr bool copy_has_two_tensors = false;
template <class... Facts> inline constexpr bool mappings_correspond = false;
template <class... Facts> inline constexpr bool parameter_is_constant = false;
template <class... Facts> inline constexpr bool output_is_not_replicated = false;
template <class... Facts> inline constexpr bool one_writer = false;
template <class... Facts> inline constexpr bool nobody_reads_what_another_writes = false;
template <class... Facts> inline constexpr bool overlap_can_be_decided = false;
template <class... Facts> inline constexpr bool written_before_read = false;
template <class... Facts> inline constexpr bool outputs_are_written = false;
template <class... Facts> inline constexpr bool parts_can_be_followed = false;
template <class... Facts> inline constexpr bool predicate_is_uniform = false;
template <class... Facts> inline constexpr bool predicate_is_integer = false;
template <class... Facts> inline constexpr bool tile_memory_fits = false;

/// Proof 3: the first class of tiles whose capacity does not hold what is live on it, with the largest single item.
template <record_counts N>
constexpr finding find_overflow(program_view const& p, exchange_plan<N> const& exchange,
                                liveness_plan<N> const& liveness, memory_plan<N> const& memory) {
  for (int c = 0; c < memory.classes; ++c) {
    if (memory.tile_bytes[c] <= p.target.bytes_per_tile) continue;
    tile_class const tiles = memory.tile_bytes_tiles[c];
    resident_row const most = largest_resident<N>(p, exchange, liveness, tiles, memory.tile_bytes_step[c]);
    finding f;
    f.what = check::tile_memory_fits;
    f.step = memory.tile_bytes_step[c];
    f.tile_a = tiles.first;
    f.needed = memory.tile_bytes[c];
    f.available = p.target.bytes_per_tile;
    f.item_kind = static_cast<int>(most.kind);
    f.item_bytes = most.bytes;
    if (most.kind == resident_kind::tensor) f.tensor_index = most.index;
    else if (most.kind == resident_kind::buffer) f.tensor_index = p.accesses[most.index].tensor;
    else f.execute_a = most.index;
    return f;
  }
  return {};
}

/// The first mistake of a program, in the order in which proofs build on each other. P has `view()`.
template <class P>
struct first_finding {
  static constexpr program_view view() { return P::view(); }
  static constexpr finding bounds = find_outside(P::view(), summaries_of<P>.view());
  static constexpr finding rules = bounds.found() ? bounds : find_nonuniform(P::view());
  static constexpr finding value = [] {
    if constexpr (rules.found()) return rules;
    else if constexpr (race_of<P>.found()) return race_of<P>;
    else return unwritten_of<P>;
  }();
};

namespace detail {

// Facts of a finding S::value as words. Aliases, so that only those a message wants are looked up.

template <class S, int I> inline constexpr char const* tensor_text = S::view().tensors[I].name;
template <class S, int I>
inline constexpr auto tensor_label = label_of<length_of(tensor_text<S, I>) + 1>(tensor_text<S, I>);
template <class S> using tensor_word = words::tensor_named<tensor_label<S, S::value.tensor_index>>;
template <class S> using beside_word = words::beside_tensor<tensor_label<S, S::value.other_tensor>>;

template <class S, int Execute>
inline constexpr char const* vertex_text = S::view().kernels[S::view().executes[Execute].kernel].name;
template <class S, int Execute>
inline constexpr auto vertex_label = label_of<length_of(vertex_text<S, Execute>) + 1>(vertex_text<S, Execute>);
template <class S> using vertex_word = words::vertex_named<vertex_label<S, S::value.execute_a>>;
template <class S> using beside_vertex_word = words::beside_vertex<vertex_label<S, S::value.execute_b>>;

template <class S> using step_word = words::in_step<S::value.step>;
template <class S> using tile_word = words::tile_number<S::value.tile_a>;
template <class S> using pair_word = words::on_tiles_pair<S::value.tile_a, S::value.tile_b>;

/// The dimensions of a tensor, or more where a box names more.
template <class S>
constexpr int dimensions_named() {
  int n = S::view().tensors[S::value.tensor_index].rank;
  for (int d = n; d < max_rank; ++d)
    if (S::value.box[d] != span{0, 1}) n = d + 1;
  return n;
}
template <class S, int Dimensions = dimensions_named<S>()>
struct box_of {
  static constexpr region r = S::value.box;
  using rows = words::rows_range<r[0].first, r[0].last>;
  using cols = words::cols_range<r[1].first, r[1].last>;
  using third = words::third_range<r[2].first, r[2].last>;
  using type = words::in_box<rows, cols, third, words::fourth_range<r[3].first, r[3].last>>;
};
template <class S> struct box_of<S, 1> { using type = words::in_box<typename box_of<S, 4>::rows>; };
template <class S> struct box_of<S, 2> {
  using type = words::in_box<typename box_of<S, 4>::rows, typename box_of<S, 4>::cols>;
};
template <class S> struct box_of<S, 3> {
  using type = words::in_box<typename box_of<S, 4>::rows, typename box_of<S, 4>::cols, typename box_of<S, 4>::third>;
};
template <class S> using box_word = typename box_of<S>::type;

template <template <int...> class Word, class S, int Tensor, class Dimensions>
struct extents_of;
template <template <int...> class Word, class S, int Tensor, int... D>
struct extents_of<Word, S, Tensor, std::integer_sequence<int, D...>> {
  using extents = Word<S::view().tensors[Tensor].extent[D]...>;
  using grid = Word<S::view().tensors[Tensor].map.grid[D]...>;
};
template <class S, int Tensor> using dimensions = std::make_integer_sequence<int, S::view().tensors[Tensor].rank>;
template <template <int...> class Word, class S, int Tensor>
using extents_word = typename extents_of<Word, S, Tensor, dimensions<S, Tensor>>::extents;
template <template <int...> class Word, class S, int Tensor>
using grid_word = typename extents_of<Word, S, Tensor, dimensions<S, Tensor>>::grid;

template <class S, int Tensor> inline constexpr char const* element_text = name_of(S::view().tensors[Tensor].type);
template <class S, int Tensor>
using element_word = words::element_named<label_of<length_of(element_text<S, Tensor>) + 1>(element_text<S, Tensor>)>;

template <class S>
using where_word = std::conditional_t<(S::value.tile_a >= 0), words::tile_number<S::value.tile_a>, words::every_tile>;

template <class S, resident_kind Kind = static_cast<resident_kind>(S::value.item_kind)>
struct item_of;
template <class S> struct item_of<S, resident_kind::tensor> {
  using type = words::largest_item<words::variable, tensor_word<S>>;
};
template <class S> struct item_of<S, resident_kind::buffer> {
  using type = words::largest_item<words::exchange_buffer, tensor_word<S>>;
};
template <class S> struct item_of<S, resident_kind::scratch> {
  using type = words::largest_item<words::scratch_memory, vertex_word<S>>;
};
template <class S> struct item_of<S, resident_kind::state> {
  using type = words::largest_item<words::vertex_state, vertex_word<S>>;
};

template <check What>
struct rule {};

/// The message of a finding: one overload a rule. Functions, since both compilers go on after a false static_assert in
/// one as if nothing had happened.
template <class S>
constexpr bool obeys(rule<check::none>) {
  return true;
}
template <class S>
constexpr bool obeys(rule<check::mapping_fits_machine>) {
  static_assert(mapping_fits_machine<tensor_word<S>, words::tiles_of_mapping<S::value.needed>,
                                     words::tiles_of_machine<S::value.available>>,
                "tessera: a mapping uses tiles that the machine does not have; take a machine with more tiles or a "
                "smaller grid (docs/errors/mapping_fits_machine.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::mapping_fits_rank>) {
  static_assert(mapping_fits_rank<tensor_word<S>, extents_word<words::tensor_extents, S, S::value.tensor_index>>,
                "tessera: a mapping splits a dimension that the tensor does not have; map it by_rows, or give it more "
                "dimensions (docs/errors/mapping_fits_rank.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::range_inside_machine>) {
  static_assert(range_inside_machine<vertex_word<S>, words::on_tiles_range<S::value.tile_a, S::value.tile_b>,
                                     words::tiles_of_machine<S::value.available>, step_word<S>>,
                "tessera: on<first, last> names tiles that the machine does not have; tiles are counted from 0 "
                "(docs/errors/range_inside_machine.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::block_inside_grid>) {
  static_assert(block_inside_grid<tensor_word<S>, words::grid_coordinates<int(S::value.needed)>,
                                  words::blocks_of_grid<S::value.available>, vertex_word<S>, step_word<S>>,
                "tessera: block<i, j> names a block beyond the grid of the tensor's mapping "
                "(docs/errors/block_inside_grid.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::wrap_fits_tensor>) {
  static_assert(wrap_fits_tensor<tensor_word<S>, words::halo_radius<S::value.needed>,
                                 words::extent_of_tensor<S::value.available>, vertex_word<S>, step_word<S>>,
                "tessera: a halo with edge::wrap goes round the tensor more than once; take a smaller radius "
                "(docs/errors/wrap_fits_tensor.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::access_inside_tensor>) {
  static_assert(access_inside_tensor<tensor_word<S>, extents_word<words::tensor_extents, S, S::value.tensor_index>,
                                     tile_word<S>, box_word<S>, vertex_word<S>, step_word<S>>,
                "tessera: on this tile an access leaves its tensor; cut the box at the tensor's end, or use halo with "
                "an edge rule (docs/errors/access_inside_tensor.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::copy_has_two_tensors>) {
  static_assert(copy_has_two_tensors<tensor_word<S>, step_word<S>>,
                "tessera: a copy of a tensor to itself does nothing; name two tensors "
                "(docs/errors/copy_has_two_tensors.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::copies_match>) {
  static_assert(
      copies_match<words::source_tensor<tensor_label<S, S::value.tensor_index>>,
                   extents_word<words::source_extents, S, S::value.tensor_index>,
                   element_word<S, S::value.tensor_index>,
                   words::destination_tensor<tensor_label<S, S::value.other_tensor>>,
                   extents_word<words::destination_extents, S, S::value.other_tensor>,
                   element_word<S, S::value.other_tensor>, step_word<S>>,
      "tessera: copy(source, destination) wants the same shape and element type (docs/errors/copies_match.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::mappings_correspond>) {
  constexpr int first_tile = S::view().tensors[S::value.tensor_index].map.first_tile;
  static_assert(mappings_correspond<vertex_word<S>, tensor_word<S>,
                                    grid_word<words::grid_of_tensor, S, S::value.tensor_index>,
                                    words::first_tile_of_tensor<first_tile>, beside_word<S>,
                                    grid_word<words::grid_beside, S, S::value.other_tensor>,
                                    words::first_tile_beside<S::view().tensors[S::value.other_tensor].map.first_tile>,
                                    step_word<S>>,
                "tessera: the two tensors lie on tiles by different grids, so a tile's blocks do not belong together; "
                "copy() one to a tensor that is mapped like the other, or name the part with whole() or at() "
                "(docs/errors/mappings_correspond.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::parameter_is_constant>) {
  static_assert(parameter_is_constant<tensor_word<S>, step_word<S>>,
                "tessera: a step writes a tensor that parameters() lists; list it in inputs(), or write another one "
                "(docs/errors/parameter_is_constant.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::output_is_not_replicated>) {
  static_assert(output_is_not_replicated<tensor_word<S>, vertex_word<S>, step_word<S>>,
                "tessera: a vertex writes a replicated tensor, whose copies would differ; write a tensor with another "
                "mapping and copy() it (docs/errors/output_is_not_replicated.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::one_writer>) {
  static_assert(one_writer<tensor_word<S>, pair_word<S>, box_word<S>, vertex_word<S>, beside_vertex_word<S>,
                           step_word<S>>,
                "tessera: two vertices of a compute set write these elements; give each its own box, or use two "
                "compute sets (docs/errors/one_writer.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::nobody_reads_what_another_writes>) {
  static_assert(nobody_reads_what_another_writes<tensor_word<S>, pair_word<S>, box_word<S>, vertex_word<S>,
                                                 beside_vertex_word<S>, step_word<S>>,
                "tessera: a vertex on the first tile writes what a vertex on the second reads in the same compute set; "
                "write a second tensor, or use two compute sets (docs/errors/nobody_reads_what_another_writes.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::overlap_can_be_decided>) {
  static_assert(overlap_can_be_decided<tensor_word<S>, vertex_word<S>, beside_vertex_word<S>,
                                       words::boxes_compared<S::value.available>, step_word<S>>,
                "tessera: too many boxes to compare one by one; let each vertex write (a) its own block, (b) a box "
                "inside it, or (c) boxes in reading order or on a grid (docs/errors/overlap_can_be_decided.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::written_before_read>) {
  static_assert(written_before_read<tensor_word<S>, where_word<S>, box_word<S>, step_word<S>>,
                "tessera: nothing has written these elements yet; write them in an earlier step, or list the tensor in "
                "inputs() (docs/errors/written_before_read.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::outputs_are_written>) {
  static_assert(outputs_are_written<tensor_word<S>, tile_word<S>, box_word<S>>,
                "tessera: the program may end without having written these elements of an output; write them on every "
                "path, or list the tensor in inputs() too (docs/errors/outputs_are_written.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::parts_can_be_followed>) {
  static_assert(parts_can_be_followed<tensor_word<S>, words::boxes_followed<S::value.available>>,
                "tessera: the written part of a tensor consists of too many boxes to follow; write own blocks, or "
                "write the whole tensor first (docs/errors/parts_can_be_followed.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::predicate_is_uniform>) {
  static_assert(predicate_is_uniform<tensor_word<S>, words::elements_needed<S::value.needed>,
                                     words::elements_given<S::value.available>,
                                     words::tiles_of_mapping<S::view().tensors[S::value.tensor_index].map.tiles()>,
                                     step_word<S>>,
                "tessera: all tiles must take the same branch; let the predicate be one element on_tile<k> or "
                "replicated, and reduce to it (docs/errors/predicate_is_uniform.md)");
  return false;
}
template <class S>
constexpr bool obeys(rule<check::predicate_is_integer>) {
  static_assert(predicate_is_integer<tensor_word<S>, element_word<S, S::value.tensor_index>, step_word<S>>,
                "tessera: a predicate is bool, int32 or int64; let a vertex compare and write the result "
                "(docs/errors/predicate_is_integer.md)");
  return false;
}

template <class S>
constexpr bool obeys(rule<check::tile_memory_fits>) {
  static_assert(tile_memory_fits<tile_word<S>, words::bytes_needed<S::value.needed>,
                                 words::bytes_available<S::value.available>,
                                 words::bytes_over_budget<S::value.needed - S::value.available>,
                                 typename item_of<S>::type, words::bytes_of_item<S::value.item_bytes>, step_word<S>>,
                "tessera: what is live on a tile in this step exceeds its memory; use more tiles, smaller blocks or "
                "fewer tensors at a time (docs/errors/tile_memory_fits.md)");
  return false;
}

}  // namespace detail

/// Whether a program obeys all rules but that of memory. Where not, a static_assert says which one is broken.
template <class P>
constexpr bool program_is_valid() {
  return detail::obeys<first_finding<P>>(detail::rule<first_finding<P>::value.what>{});
}

/// A program's plan with `exchange`, `liveness` and `memory`, as far as memory may be at fault.
template <class P, class Plan>
struct memory_finding {
  static constexpr program_view view() { return P::view(); }
  static constexpr finding value = find_overflow(P::view(), Plan::exchange, Plan::liveness, Plan::memory);
};

/// Whether every tile's capacity holds what is live on it. Where not, a static_assert names tile, step and bytes.
template <class P, class Plan>
constexpr bool memory_is_valid() {
  return detail::obeys<memory_finding<P, Plan>>(detail::rule<memory_finding<P, Plan>::value.what>{});
}

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <type_traits>

#include <tessera/plan/check.hpp>

#include "handmade.hpp"

using namespace tessera;
using handmade_programs::handmade;

namespace {

constexpr direction out = direction::out;
constexpr direction inout = direction::inout;

/// A program with the counts that its records have, as passes want it.
template <class Written>
struct exact {
  static constexpr handmade source = Written::records;
  static constexpr record_counts counts{source.tensors, source.accesses, source.executes, source.steps, 1};
  static constexpr program_records<counts> records = [] {
    program_records<counts> r;
    r.target = source.records.target;
    for (int i = 0; i < counts.tensors; ++i) r.tensors[i] = source.records.tensors[i];
    for (int i = 0; i < counts.accesses; ++i) r.accesses[i] = source.records.accesses[i];
    for (int i = 0; i < counts.executes; ++i) r.executes[i] = source.records.executes[i];
    for (int i = 0; i < counts.steps; ++i) r.steps[i] = source.records.steps[i];
    r.kernels[0] = source.records.kernels[0];
    return r;
  }();
  static constexpr program_view view() { return records.view(); }
};

template <class P>
struct plan_of {
  static constexpr exchange_plan<P::counts> exchange = plan_exchange<P::counts>(P::view());
  static constexpr liveness_plan<P::counts> liveness = plan_liveness<P::counts>(P::view(), exchange);
  static constexpr memory_plan<P::counts> memory = plan_memory<P::counts>(P::view(), exchange, liveness);
};

/// Rows of 64 bytes: 16 on each of 4 tiles are 1 KiB.
struct stencil {
  static constexpr handmade records = [] {
    handmade h(4);
    h.records.target.shared = false;
    h.records.target.bytes_per_tile = 4096;
    int const u = h.tensor("u", {64, 16}, by_rows::record(2, 4));
    int const v = h.tensor("v", {64, 16}, by_rows::record(2, 4));
    h.records.tensors[u].input = h.records.tensors[u].output = true;
    h.compute(h.execute({h.halo(u, 1), h.own(v, out)}));
    h.compute(h.execute({h.halo(v, 1), h.own(u, out)}));
    return h;
  }();
};
/// The same on tiles that are too small.
struct tight_stencil {
  static constexpr handmade records = [] {
    handmade h = stencil::records;
    h.records.target.bytes_per_tile = 2048;
    return h;
  }();
};
/// Breaks several rules: reported is the one on which the others build.
struct several_mistakes {
  static constexpr handmade records = [] {
    handmade h(4);
    int const u = h.tensor("u", {64, 16}, by_rows::record(2, 4));
    int const v = h.tensor("v", {64, 16}, by_cols::record(2, 4));
    h.compute(h.execute({h.halo(u, 1), h.own(u, inout)}));
    h.compute(h.execute({h.own(u), h.own(v, out)}));
    h.tensor("w", {64, 16}, by_rows::record(2, 5));
    return h;
  }();
};
template <int Repaired>
struct repaired {
  static constexpr handmade records = [] {
    handmade h = several_mistakes::records;
    if (Repaired >= 1) h.records.tensors[2].map = by_rows::record(2, 4);
    if (Repaired >= 2) h.records.tensors[1].map = by_rows::record(2, 4);
    if (Repaired >= 3) h.records.accesses[0].dim[0].radius = 0;
    if (Repaired >= 4) h.records.tensors[0].input = true;
    return h;
  }();
};

}  // namespace

TEST_CASE("A program that is right has no finding") {
  CHECK_FALSE(first_finding<exact<stencil>>::value.found());
  CHECK(program_is_valid<exact<stencil>>());
  CHECK(memory_is_valid<exact<stencil>, plan_of<exact<stencil>>>());
}

TEST_CASE("Rules are checked in the order in which they build on each other") {
  CHECK(first_finding<exact<several_mistakes>>::value.what == check::mapping_fits_machine);
  CHECK(first_finding<exact<repaired<1>>>::value.what == check::mappings_correspond);
  CHECK(first_finding<exact<repaired<2>>>::value.what == check::nobody_reads_what_another_writes);
  CHECK(first_finding<exact<repaired<3>>>::value.what == check::written_before_read);
  CHECK_FALSE(first_finding<exact<repaired<4>>>::value.found());
}

TEST_CASE("What does not fit is reported with the largest item") {
  using finding_of = memory_finding<exact<tight_stencil>, plan_of<exact<tight_stencil>>>;
  finding const f = finding_of::value;
  CHECK(f.what == check::tile_memory_fits);
  CHECK(f.available == 2048);
  CHECK(f.needed > 3072);                            // u and v with 1 KiB each and a buffer with a halo
  CHECK(f.item_kind == static_cast<int>(resident_kind::buffer));
  CHECK(f.item_bytes > 1024);
  CHECK(f.step == 0);
}

TEST_CASE("Names in records become template arguments") {
  using source = first_finding<exact<repaired<2>>>;
  CHECK(std::is_same_v<detail::tensor_word<source>, words::tensor_named<"u">>);
  CHECK(std::is_same_v<detail::vertex_word<source>, words::vertex_named<"vertex">>);
  CHECK(std::is_same_v<detail::pair_word<source>, words::on_tiles_pair<1, 0>>);
  CHECK(std::is_same_v<detail::box_word<source>,
                       words::in_box<words::rows_range<16, 17>, words::cols_range<0, 16>>>);
  CHECK(std::is_same_v<detail::extents_word<words::tensor_extents, source, 0>, words::tensor_extents<64, 16>>);
  CHECK(std::is_same_v<detail::element_word<source, 0>, words::element_named<"float32">>);
}

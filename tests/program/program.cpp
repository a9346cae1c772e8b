// SPDX-License-Identifier: Apache-2.0
// Typed steps become records: one a step, brackets that know their partners, distinct tensors and vertices once.
#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>

#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

struct move_on {
  ts::input<int> a;
  ts::output<int> b;
  TESSERA_FIELDS(move_on, a, b);
  void compute() const {}
};
struct turn {
  ts::inout<int> a;
  TESSERA_FIELDS(turn, a);
  void compute() const {}
};

constexpr ts::tensor<"a", int, ts::shape<9>, ts::by_rows> a;
constexpr ts::tensor<"b", int, ts::shape<9>, ts::by_rows> b;
constexpr ts::tensor<"p", bool, ts::shape<1>, ts::on_tile<0>> p;
constexpr ts::tensor<"k", int, ts::shape<9>, ts::replicated> k;

constexpr auto program = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(a, p), ts::parameters(k), ts::outputs(b),
      ts::repeat<3>(ts::execute<move_on>(ts::halo<2>(a, ts::edge::wrap), b), ts::copy(b, a)),
      ts::if_(p, ts::execute<turn>(a), ts::execute<turn>(b)),
      ts::block<"end">(ts::compute_set(ts::on<0, 1>(ts::execute<turn>(a)), ts::on<1, 3, 2>(ts::execute<move_on>(k, b)))));
});
using type = std::remove_const_t<decltype(program)>;
constexpr ts::program_view view = type::view();

}  // namespace

TEST_CASE("a program is an empty object") {
  static_assert(std::is_empty_v<type>);
}

TEST_CASE("tensors and vertices are recorded once") {
  CHECK(view.tensor_count == 4);
  CHECK(view.kernel_count == 2);
  CHECK(view.execute_count == 5);
  int const number = type::tensor_number(b);
  REQUIRE(number >= 0);
  CHECK(std::string_view(view.tensors[number].name) == "b");
  CHECK(view.tensors[number].output);
  CHECK_FALSE(view.tensors[number].input);
  CHECK(view.tensors[type::tensor_number(k)].parameter);
  CHECK(view.tensors[type::tensor_number(a)].input);
  CHECK(type::tensor_number(ts::tensor<"z", int, ts::shape<9>, ts::by_rows>{}) == -1);
}

TEST_CASE("steps in order, with brackets that find each other") {
  using enum ts::step_kind;
  ts::step_kind const kinds[] = {repeat_begin, compute, copy,        repeat_end, if_begin, compute,
                                 if_else,      compute, if_end,      block_begin, compute, block_end};
  REQUIRE(view.step_count == 12);
  for (int i = 0; i < 12; ++i) CHECK(view.steps[i].kind == kinds[i]);
  CHECK(view.steps[0].count == 3);
  CHECK(view.steps[0].other == 3);
  CHECK(view.steps[3].other == 0);
  CHECK(view.steps[4].tensor == type::tensor_number(p));
  CHECK(view.steps[4].other == 6);
  CHECK(view.steps[6].other == 8);
  CHECK(view.steps[8].other == 4);
  CHECK(std::string_view(view.steps[9].name) == "end");
  CHECK(view.steps[10].count == 2);
}

TEST_CASE("executes know their tiles and accesses") {
  ts::execute_record const& first = view.executes[view.steps[10].first];
  CHECK(first.first_tile == 0);
  CHECK(first.last_tile == 1);
  ts::execute_record const& second = view.executes[view.steps[10].first + 1];
  CHECK(second.stride == 2);
  CHECK(second.accesses == 2);
  CHECK_FALSE(second.has_tile(2));
  CHECK(second.has_tile(3));
  ts::access_record const& halo = view.accesses[view.executes[0].first_access];
  CHECK(halo.kind == ts::access_kind::halo);
  CHECK(halo.edge == ts::edge_rule::wrap);
  CHECK(halo.dim[0].radius == 2);
  CHECK(halo.dir == ts::direction::in);
}

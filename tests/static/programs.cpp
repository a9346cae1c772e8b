// SPDX-License-Identifier: Apache-2.0
// Programs that are accepted: only the type of the steps matters, and boxes are judged on tiles where vertices run.
#include <tessera/plan/planned.hpp>

#include <cstdio>
#include <type_traits>

namespace ts = tessera;

namespace {

struct twice {
  ts::input<int> u;
  ts::output<int> v;
  TESSERA_FIELDS(twice, u, v);
  void compute() const {}
};
constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;
using machine = ts::machines::host<4>;

template <class P>
constexpr bool accepted = !std::is_same_v<std::remove_const_t<P>, ts::refused_program>;

// A helper that is not constexpr.
auto body() { return ts::execute<twice>(u, v); }
[[maybe_unused]] auto const helped = ts::program<machine>([] { return ts::sequence(ts::inputs(u), ts::outputs(v), body()); });
static_assert(accepted<decltype(helped)>);

// The lambda is never called.
[[maybe_unused]] auto const printing = ts::program<machine>([] {
  std::puts("never");
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(u, v));
});
static_assert(accepted<decltype(printing)>);

// Tile 0's box is empty, so what else it says does not matter, there and on the tiles after it.
constexpr auto empty_first = ts::program<machine>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(ts::at(u, [](ts::tile t) {
    return t.index == 0 ? ts::box{.rows = {0, 0}, .cols = {5, 6}} : ts::box{.rows = {2 * t.index, 2 * t.index + 2}};
  }), v));
});
static_assert(accepted<decltype(empty_first)>);

// The only column of a vector may be named.
constexpr auto only_column = ts::program<machine>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(ts::at(u, [](ts::tile t) {
    return ts::box{.rows = {2 * t.index, 2 * t.index + 2}, .cols = {0, 1}};
  }), v));
});
static_assert(accepted<decltype(only_column)>);

}  // namespace

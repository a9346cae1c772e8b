// SPDX-License-Identifier: Apache-2.0
// With TESSERA_CHECKED every view access has bounds, and memory that nothing has written is poisoned.
#define TESSERA_CHECKED 1
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

constexpr ts::tensor<"x", float, ts::shape<10, 4>, ts::by_rows> x;
constexpr ts::tensor<"y", float, ts::shape<10, 4>, ts::by_rows> y;

struct where {
  int row = 0, col = 0, kind = 0;
};

}  // namespace

/// Touches one element that may be outside of its field. Not in the unnamed namespace: messages show its name.
struct touch {
  ts::input<float, 2> a;
  ts::output<float, 2> b;
  ts::scratch<float, 3> s;
  where at;
  TESSERA_FIELDS(touch, a, b, s, at);
  void compute() const {
    for (int i = 0; i < b.rows(); ++i)
      for (int j = 0; j < b.cols(); ++j) b(i, j) = a(i, j);
    switch (at.kind) {
      case 0: b(0, 0) = a(at.row, at.col); break;
      case 1: b(at.row, at.col) = 1.0f; break;
      case 2: b(0, 0) = a.row(at.row)[at.col]; break;
      case 3: s[at.row] = 1.0f; break;
      default: break;
    }
  }
};

namespace {

template <where At>
std::string error_of() {
  constexpr auto program = ts::program<ts::machines::host<4>>(
      [] { return ts::sequence(ts::inputs(x), ts::outputs(y), ts::execute<touch>(x, y, ts::value<At>)); });
  ts::engine engine{program, {.threads = 2}};
  engine.write(x, std::vector<float>(40, 1.0f));
  try {
    engine.run();
  } catch (ts::run_error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("accesses outside of a field are errors") {
  CHECK(error_of<where{0, 0, 0}>() == "");
  CHECK(error_of<where{1, 3, 0}>() == "");
  CHECK(error_of<where{2, 0, 0}>() == "tessera: index 2 of a field is outside [0, 2) (vertex touch on tile 0)");
  CHECK(error_of<where{0, 4, 0}>() == "tessera: index 4 of a field is outside [0, 4) (vertex touch on tile 0)");
  CHECK(error_of<where{-1, 0, 0}>() == "tessera: index -1 of a field is outside [0, 2) (vertex touch on tile 0)");
  CHECK(error_of<where{0, 4, 1}>() == "tessera: index 4 of a field is outside [0, 4) (vertex touch on tile 0)");
  CHECK(error_of<where{0, -1, 2}>() == "tessera: index -1 of a field is outside [0, 4) (vertex touch on tile 0)");
  CHECK(error_of<where{2, 0, 3}>() == "");
  CHECK(error_of<where{3, 0, 3}>() == "tessera: index 3 of a field is outside [0, 3) (vertex touch on tile 0)");
}

TEST_CASE("memory that nothing has written is not a number") {
  ts::arena const a(64);
  float first = 0.0f;
  std::memcpy(&first, a.data(), sizeof first);
  CHECK(std::isnan(first));
}

// SPDX-License-Identifier: Apache-2.0
// run(), write() and read() into a span allocate nothing: every operator new is counted.
#include "laws/counted_allocations.hpp"

#include <doctest/doctest.h>

#include <new>
#include <span>
#include <vector>

#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

constexpr ts::tensor<"a", float, ts::shape<40, 24>, ts::by_blocks<4, 2>> a;
constexpr ts::tensor<"b", float, ts::shape<40, 24>, ts::by_blocks<4, 2>> b;
constexpr ts::tensor<"c", float, ts::shape<40, 24>, ts::by_cols> c;
constexpr ts::tensor<"ids", int, ts::shape<8>, ts::by_rows> ids;
constexpr ts::tensor<"picked", float, ts::shape<8>, ts::by_rows> picked;
constexpr ts::tensor<"left", int, ts::shape<1>, ts::on_tile<0>> left;

struct everything {
  ts::input<float, 2, ts::panels<16>> cols;
  ts::input<float, 2> halo;
  ts::scratch<float, 7> memory;
  ts::output<float, 2> v;
  TESSERA_FIELDS(everything, cols, halo, memory, v);
  void compute() const {
    memory[0] = cols(0, 0) + halo(0, 0);
    for (int i = 0; i < v.rows(); ++i)
      for (int j = 0; j < v.cols(); ++j) v(i, j) = memory[0];
  }
};
struct first_of_rows {
  ts::input<float, 2> rows;
  ts::output<float> v;
  TESSERA_FIELDS(first_of_rows, rows, v);
  void compute() const {
    for (int i = 0; i < v.rows(); ++i) v(i) = rows(i, 0);
  }
};
struct one_less {
  ts::inout<int> n;
  TESSERA_FIELDS(one_less, n);
  void compute() const { --n(0); }
};

template <class M>
void count() {
  constexpr auto program = ts::program<M>([] {
    return ts::sequence(
        ts::inputs(a, ids, left), ts::outputs(a, c, picked),
        ts::repeat_while(left, ts::execute<everything>(ts::cols(a), ts::halo<1, 1>(a, ts::edge::clamp), b),
                         ts::copy(b, a), ts::execute<one_less>(left)),
        ts::copy(a, c), ts::execute<first_of_rows>(ts::gather(a, ids), picked));
  });
  std::vector<float> values(960, 1.0f), result(960);
  std::vector<int> const rows{1, 2, 3, 4, 5, 6, 7, 39}, rounds{3};
  for (int threads : {1, 2, 4}) {
    ts::engine engine{program, {.threads = threads}};
    long const before = laws::allocations;
    for (int i = 0; i < 3; ++i) {
      engine.write(a, std::span<float const>(values));
      engine.write(ids, std::span<int const>(rows));
      engine.write(left, std::span<int const>(rounds));
      engine.run();
      engine.read(c, std::span<float>(result));
    }
    CHECK(laws::allocations == before);
    CHECK(result[0] == 8.0f);
  }
}

}  // namespace

TEST_CASE("a run allocates nothing") {
  long const before = laws::allocations;
  ::operator delete(::operator new(sizeof(int)));   // a call: compilers may leave a new expression out
  REQUIRE(laws::allocations == before + (laws::counts_allocations ? 1 : 0));
  count<ts::machines::host<8>>();
  count<ts::machines::gc2>();
}

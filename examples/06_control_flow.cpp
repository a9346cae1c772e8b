// SPDX-License-Identifier: Apache-2.0
// Control flow that depends on values: a number is halved where it is even, else tripled and one added, until it is 1.
//
// A predicate is a tensor of one element that vertices write; all tiles look at the same element, so all take the same
// branch. That this holds is checked when the program is compiled.
#include <tessera/tile.hpp>

#include <cstdio>

namespace ts = tessera;

struct halve {
  ts::inout<int> x;
  TESSERA_FIELDS(halve, x);
  void compute() const { x(0) /= 2; }
};

struct triple {
  ts::inout<int> x;
  TESSERA_FIELDS(triple, x);
  void compute() const { x(0) = 3 * x(0) + 1; }
};

struct compare {
  ts::input<int> x;
  ts::output<bool> odd;
  ts::output<bool> more;
  TESSERA_FIELDS(compare, x, odd, more);
  void compute() const {
    odd(0) = x(0) % 2 != 0;
    more(0) = x(0) != 1;
  }
};

struct count {
  ts::inout<int> rounds;
  TESSERA_FIELDS(count, rounds);
  void compute() const { ++rounds(0); }
};

using one = ts::shape<1>;
constexpr ts::tensor<"x", int, one, ts::on_tile<0>> x;
constexpr ts::tensor<"odd", bool, one, ts::on_tile<0>> odd;
constexpr ts::tensor<"more", bool, one, ts::on_tile<0>> more;
constexpr ts::tensor<"rounds", int, one, ts::on_tile<1>> rounds;

constexpr auto collatz = ts::program<ts::machines::host<2>>([] {
  return ts::sequence(ts::inputs(x, rounds), ts::outputs(x, rounds),
                      ts::execute<compare>(x, odd, more),
                      ts::repeat_while(more,
                                       ts::if_(odd, ts::execute<triple>(x), ts::execute<halve>(x)),
                                       ts::execute<compare>(x, odd, more),
                                       ts::execute<count>(rounds)));
});

int main() {
  ts::engine engine{collatz};
  for (int start : {1, 6, 7, 27}) {
    engine.write(x, {start});
    engine.write(rounds, {0});
    engine.run();
    std::printf("%2d reaches %d after %d rounds\n", start, engine.read(x)[0], engine.read(rounds)[0]);
  }
}

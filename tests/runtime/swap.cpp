// SPDX-License-Identifier: Apache-2.0
// Views of tensors that exchange their memory: they follow it across failed runs and reset().
#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

/// y = x + 1.
struct increment {
  ts::input<int> x;
  ts::output<int> y;
  TESSERA_FIELDS(increment, x, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i) y(i) = x(i) + 1;
  }
};
bool throws = false;
/// x = 10 x in place, unless it throws.
struct tenfold {
  ts::inout<int> x;
  TESSERA_FIELDS(tenfold, x);
  void compute() const {
    if (throws) throw std::runtime_error("asked to");
    for (int i = 0; i < x.rows(); ++i) x(i) *= 10;
  }
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;
constexpr ts::tensor<"c", bool, ts::shape<1>, ts::on_tile<0>> c;

template <class P>
constexpr bool swaps(P) {
  for (int s = 0; s < P::counts.steps; ++s)
    if (ts::planned<P>::swaps.swap[s]) return true;
  return false;
}

}  // namespace

TEST_CASE("after a failed run views are where the memory is") {
  constexpr auto p = ts::program<ts::machines::host<4>>([] {
    return ts::sequence(ts::inputs(u), ts::outputs(u),
                        ts::repeat<1>(ts::execute<increment>(u, v), ts::copy(v, u), ts::execute<tenfold>(u)));
  });
  static_assert(swaps(p));
  for (int threads : {1, 2}) {
    ts::engine engine{p, {.threads = threads}};
    std::vector<int> const start(8, 1);
    engine.write(u, start);
    throws = true;
    CHECK_THROWS_AS(engine.run(), std::runtime_error);
    throws = false;
    for (int run = 0; run < 3; ++run) {
      engine.write(u, start);
      engine.run();
      CHECK(engine.read(u) == std::vector<int>(8, 20));
    }
  }
}

TEST_CASE("after reset() views are where the memory is") {
  constexpr auto p = ts::program<ts::machines::host<4>>([] {
    return ts::sequence(ts::inputs(u, c), ts::outputs(u), ts::execute<increment>(u, v),
                        ts::if_(c, ts::copy(v, u), ts::execute<tenfold>(u)), ts::execute<tenfold>(u));
  });
  for (int threads : {1, 2}) {
    ts::engine engine{p, {.threads = threads}};
    auto run = [&](bool branch) {
      engine.write(u, std::vector<int>(8, 1));
      engine.write(c, std::vector<std::uint8_t>(1, branch));
      engine.run();
      return engine.read(u)[5];
    };
    CHECK(run(true) == 20);
    engine.reset();
    CHECK(run(false) == 100);
    CHECK(run(true) == 20);
    CHECK(run(true) == 20);
    engine.reset();
    CHECK(run(false) == 100);
  }
}

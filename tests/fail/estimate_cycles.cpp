// EXPECT: static assertion failed.*cycles|estimate\(heat\)\.cycles
// SPDX-License-Identifier: Apache-2.0
// Proof 7: the program takes more cycles than its author allows.
#include <tessera/plan/estimate.hpp>

namespace ts = tessera;

struct sweep {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(sweep, u, v);
  static constexpr ts::work cost(ts::extents around, ts::extents own) {
    return {4 * own.volume(), 4 * (around.volume() + own.volume())};
  }
  void compute() const {}
};

constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

#ifdef TESSERA_MUST_FAIL
constexpr int repeats = 1000;
#else
constexpr int repeats = 10;
#endif

constexpr auto heat = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(u), ts::outputs(u),
      ts::repeat<repeats>(ts::execute<sweep>(ts::halo<1>(u), v), ts::execute<sweep>(ts::halo<1>(v), u)));
});

static_assert(ts::estimate(heat).cycles < 100'000);

// EXPECT: static assertion failed.*guessed|estimate\(heat\)\.guessed
// SPDX-License-Identifier: Apache-2.0
// Proof 7: an estimate of a vertex that does not state its cost is a guess, and says so.
#include <tessera/plan/estimate.hpp>

namespace ts = tessera;

struct sweep {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(sweep, u, v);
#ifndef TESSERA_MUST_FAIL
  static constexpr ts::work cost(ts::extents around, ts::extents own) {
    return {4 * own.volume(), 4 * (around.volume() + own.volume())};
  }
#endif
  void compute() const {}
};

constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

constexpr auto heat = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(u), ts::outputs(u),
      ts::repeat<10>(ts::execute<sweep>(ts::halo<1>(u), v), ts::execute<sweep>(ts::halo<1>(v), u)));
});

static_assert(!ts::estimate(heat).guessed);

// EXPECT: static assertion failed.*advice|advice\(wrong\)\.empty\(\)
// SPDX-License-Identifier: Apache-2.0
// Proof 7: a step writes what nothing reads.
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

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(u),
#ifndef TESSERA_MUST_FAIL
      ts::outputs(v),
#endif
      ts::execute<sweep>(ts::halo<1>(u), v));
});

static_assert(ts::advice(wrong).empty());

// EXPECT: static assertion failed.*advice|advice\(wrong\)\.empty\(\)
// SPDX-License-Identifier: Apache-2.0
// Proof 7: one tile of four works.
#include <tessera/plan/estimate.hpp>

namespace ts = tessera;

#ifdef TESSERA_MUST_FAIL
using place = ts::on_tile<0>;
#else
using place = ts::by_rows;
#endif

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
constexpr ts::tensor<"v", float, ts::shape<64, 16>, place> v;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(u), ts::outputs(v), ts::execute<sweep>(ts::whole(u), v));
});

static_assert(ts::advice(wrong).empty());

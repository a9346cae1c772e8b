// EXPECT: static assertion failed.*tile_bytes|estimate\(heat\)\.tile_bytes
// SPDX-License-Identifier: Apache-2.0
// Proof 7: a tile holds more bytes than its author allows.
#include <tessera/plan/estimate.hpp>

namespace ts = tessera;

#ifdef TESSERA_MUST_FAIL
constexpr int rows = 1024;
#else
constexpr int rows = 64;
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

constexpr ts::tensor<"u", float, ts::shape<rows, 16>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<rows, 16>, ts::by_rows> v;

constexpr auto heat = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(u), ts::outputs(u),
      ts::repeat<10>(ts::execute<sweep>(ts::halo<1>(u), v), ts::execute<sweep>(ts::halo<1>(v), u)));
});

static_assert(ts::estimate(heat).tile_bytes <= 8192);

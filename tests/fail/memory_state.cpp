// EXPECT: tile_memory_fits<.*bytes_available<20480>.*largest_item<.*vertex_state.*"accumulate"
// SPDX-License-Identifier: Apache-2.0
// Proof 3: a vertex's state, which every tile keeps, is too large.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

/// Four tiles with memories of their own, of 20 KiB.
struct small_tiles {
  static constexpr ts::machine value = [] {
    ts::machine m;
    m.tiles = 4;
    m.bytes_per_tile = m.working_set = 20480;
    return m;
  }();
};

#ifdef TESSERA_MUST_FAIL
constexpr int bins = 6000;
#else
constexpr int bins = 600;
#endif
struct histogram {
  int count[bins] = {};
};
struct accumulate {
  ts::inout<float, 2> u;
  histogram seen;
  TESSERA_FIELDS(accumulate, u, seen);
  void compute() const {}
};
constexpr ts::tensor<"u", float, ts::shape<16, 256>, ts::by_rows> u;

constexpr auto wrong = ts::program<small_tiles>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(u), ts::execute<accumulate>(u));
});

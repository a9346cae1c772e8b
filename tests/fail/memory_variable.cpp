// EXPECT: tile_memory_fits<.*tile_number<0>.*bytes_needed<24576>.*bytes_available<20480>.*variable.*"u"
// SPDX-License-Identifier: Apache-2.0
// Proof 3: two tensors of which one tile's parts are too large together.
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

struct scale {
  ts::inout<float, 2> u;
  TESSERA_FIELDS(scale, u);
  void compute() const {}
};

#ifdef TESSERA_MUST_FAIL
constexpr int rows = 96;   // 24 KiB a tile
#else
constexpr int rows = 64;   // 16 KiB
#endif
constexpr ts::tensor<"u", float, ts::shape<rows, 256>, ts::by_rows> u;

constexpr auto wrong = ts::program<small_tiles>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(u), ts::execute<scale>(u));
});

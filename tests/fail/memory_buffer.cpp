// EXPECT: tile_memory_fits<.*bytes_available<20480>.*largest_item<.*exchange_buffer.*"u"
// SPDX-License-Identifier: Apache-2.0
// Proof 3: the tensors fit, the buffer of a wide halo does not.
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

struct stencil {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(stencil, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", float, ts::shape<32, 128>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<32, 128>, ts::by_rows> v;

#ifdef TESSERA_MUST_FAIL
constexpr int radius = 12;   // 4 + 4 KiB of u and v, and 16 KiB
#else
constexpr int radius = 4;    // 8 KiB
#endif

constexpr auto wrong = ts::program<small_tiles>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<stencil>(ts::halo<radius>(u), v));
});

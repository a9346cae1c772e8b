// EXPECT: tile_memory_fits<.*bytes_available<20480>
// SPDX-License-Identifier: Apache-2.0
// Proof 3: three tensors of 8 KiB a tile. Two are live at a time, unless the first is wanted again at the end.
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

struct step {
  ts::input<float, 2> from;
  ts::output<float, 2> to;
  TESSERA_FIELDS(step, from, to);
  void compute() const {}
};
struct join {
  ts::input<float, 2> a;
  ts::input<float, 2> b;
  ts::output<float, 2> to;
  TESSERA_FIELDS(join, a, b, to);
  void compute() const {}
};

constexpr ts::tensor<"a", float, ts::shape<32, 256>, ts::by_rows> a;
constexpr ts::tensor<"b", float, ts::shape<32, 256>, ts::by_rows> b;
constexpr ts::tensor<"c", float, ts::shape<32, 256>, ts::by_rows> c;
constexpr ts::tensor<"d", float, ts::shape<32, 256>, ts::by_rows> d;

#ifdef TESSERA_MUST_FAIL
constexpr auto last = ts::execute<join>(a, b, c);   // a, b and c at once: 24 KiB
#else
constexpr auto last = ts::execute<step>(b, c);      // a's memory is c's: 16 KiB
#endif


struct start {
  ts::output<float, 2> to;
  TESSERA_FIELDS(start, to);
  void compute() const {}
};
struct finish {
  ts::input<float, 2> from;
  ts::output<float> sum;
  TESSERA_FIELDS(finish, from, sum);
  void compute() const {}
};
constexpr ts::tensor<"sum", float, ts::shape<4>, ts::by_rows> sum;

constexpr auto wrong = ts::program<small_tiles>([] {
  return ts::sequence(
      ts::execute<start>(a), ts::execute<step>(a, b), last, ts::execute<step>(c, d), ts::execute<finish>(d, sum),
      ts::outputs(sum));
});

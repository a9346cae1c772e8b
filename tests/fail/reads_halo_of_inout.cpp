// EXPECT: nobody_reads_what_another_writes<.*"u".*on_tiles_pair<1, 0>.*rows_range<16, 17>.*in_step<0>
// SPDX-License-Identifier: Apache-2.0
// Proof 1: a vertex changes its block while its neighbour reads the edge of it.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct relax {
  ts::input<float, 2> around;
  ts::inout<float, 2> u;
  TESSERA_FIELDS(relax, around, u);
  void compute() const {}
};

constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;

#ifdef TESSERA_MUST_FAIL
constexpr auto around = ts::halo<1>(u);
#else
constexpr auto around = u;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(u), ts::execute<relax>(around, u));
});

// EXPECT: one_writer<.*"v".*on_tiles_pair<0, 1>.*rows_range<0, 64>
// SPDX-License-Identifier: Apache-2.0
// Proof 1: every tile writes all of v.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct stencil {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(stencil, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

#ifdef TESSERA_MUST_FAIL
constexpr auto written = ts::whole(v);
#else
constexpr auto written = v;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<stencil>(u, written));
});

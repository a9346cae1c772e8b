// EXPECT: one_writer<.*"v".*on_tiles_pair<0, 1>.*rows_range<16, 17>, .*cols_range<0, 16>.*in_step<0>
// SPDX-License-Identifier: Apache-2.0
// Proof 1: every tile writes one row of the next tile's, too.
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
constexpr int extra = 1;
#else
constexpr int extra = 0;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(u), ts::outputs(v),
      ts::execute<stencil>(u, ts::at(v, [](ts::tile t) {
        int const last = 16 * t.index + 16 + extra;
        return ts::box{.rows = {16 * t.index, last < 64 ? last : 64}};
      })));
});

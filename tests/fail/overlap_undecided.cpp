// EXPECT: overlap_can_be_decided<.*"v".*boxes_compared<128>
// SPDX-License-Identifier: Apache-2.0
// Proof 1: boxes of 256 tiles that are neither in order nor on a grid nor the tiles' own.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct fill {
  ts::output<float, 2> v;
  TESSERA_FIELDS(fill, v);
  void compute() const {}
};

constexpr ts::tensor<"v", float, ts::shape<256, 16>, ts::by_rows> v;

#ifdef TESSERA_MUST_FAIL
constexpr int step = 7;
#else
constexpr int step = 1;
#endif

constexpr auto wrong = ts::program<ts::machines::host<256>>([] {
  return ts::sequence(
      ts::outputs(v), ts::execute<fill>(ts::at(v, [](ts::tile t) {
        int const row = t.index * step % 256;
        return ts::box{.rows = {row, row + 1}};
      })));
});

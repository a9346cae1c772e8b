// EXPECT: one_writer<.*"v".*on_tiles_pair<0, 0>
// SPDX-License-Identifier: Apache-2.0
// Proof 1: two fields of one vertex write the same block.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct split {
  ts::output<float, 2> low;
  ts::output<float, 2> high;
  TESSERA_FIELDS(split, low, high);
  void compute() const {}
};

constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;
constexpr ts::tensor<"w", float, ts::shape<64, 16>, ts::by_rows> w;

#ifdef TESSERA_MUST_FAIL
constexpr auto high = v;
#else
constexpr auto high = w;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::outputs(v), ts::execute<split>(v, high));
});

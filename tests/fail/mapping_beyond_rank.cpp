// EXPECT: mapping_fits_rank<.*"x".*tensor_extents<64>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: a vector on a two-dimensional grid.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct fill {
  ts::output<float> x;
  TESSERA_FIELDS(fill, x);
  void compute() const {}
};

#ifdef TESSERA_MUST_FAIL
constexpr ts::tensor<"x", float, ts::shape<64>, ts::by_blocks<2, 2>> x;
#else
constexpr ts::tensor<"x", float, ts::shape<64>, ts::by_rows> x;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::outputs(x), ts::execute<fill>(x));
});

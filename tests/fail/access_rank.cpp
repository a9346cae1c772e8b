// EXPECT: access_fits_rank<.*tensor_named<.*"x".*rank_of_tensor<1>.*rank_of_access<2>
// SPDX-License-Identifier: Apache-2.0
// A halo in two dimensions of a vector.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct smooth {
  ts::input<float> x;
  ts::output<float> y;
  TESSERA_FIELDS(smooth, x, y);
  void compute() const { y(0) = x(0); }
};

constexpr ts::tensor<"x", float, ts::shape<64>, ts::by_rows> x;
constexpr ts::tensor<"y", float, ts::shape<64>, ts::by_rows> y;

constexpr auto program = ts::program<ts::machines::host<8>>([] {
#ifdef TESSERA_MUST_FAIL
  return ts::sequence(ts::inputs(x), ts::outputs(y), ts::execute<smooth>(ts::halo<1, 1>(x), y));
#else
  return ts::sequence(ts::inputs(x), ts::outputs(y), ts::execute<smooth>(ts::halo<1>(x), y));
#endif
});

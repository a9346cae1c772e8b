// EXPECT: tensor_names_differ<.*tensor_named<.*"x"
// SPDX-License-Identifier: Apache-2.0
// Two tensors that are called x.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct copy_all {
  ts::input<float> x;
  ts::output<float> y;
  TESSERA_FIELDS(copy_all, x, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i) y(i) = x(i);
  }
};

constexpr ts::tensor<"x", float, ts::shape<64>, ts::by_rows> x;
#ifdef TESSERA_MUST_FAIL
constexpr ts::tensor<"x", float, ts::shape<64>, ts::by_blocks<8, 1>> y;
#else
constexpr ts::tensor<"y", float, ts::shape<64>, ts::by_blocks<8, 1>> y;
#endif

constexpr auto program = ts::program<ts::machines::host<8>>([] {
  return ts::sequence(ts::inputs(x), ts::outputs(y), ts::execute<copy_all>(x, y));
});

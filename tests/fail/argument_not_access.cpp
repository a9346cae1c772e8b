// EXPECT: argument_is_access<.*scale.*"v".*argument_type<int>
// SPDX-License-Identifier: Apache-2.0
// A number where a tensor is wanted.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct scale {
  ts::inout<float, 2> v;
  float factor = 1;
  TESSERA_FIELDS(scale, v, factor);
  void compute() const {}
};
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

#ifdef TESSERA_MUST_FAIL
constexpr int argument = 3;
#else
constexpr auto argument = v;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(v), ts::outputs(v), ts::execute<scale>(argument));
});

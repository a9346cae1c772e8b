// EXPECT: program_accepts_step<.*step_type<int>
// SPDX-License-Identifier: Apache-2.0
// A program whose lambda returns something else than a step.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct scale {
  ts::inout<float, 2> v;
  float factor = 1;
  TESSERA_FIELDS(scale, v, factor);
  void compute() const {}
};
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
#ifdef TESSERA_MUST_FAIL
  return 3;
#else
  return ts::sequence(ts::inputs(v), ts::outputs(v), ts::execute<scale>(v));
#endif
});

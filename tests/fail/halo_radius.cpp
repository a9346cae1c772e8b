// EXPECT: radius is 0 to 127
// SPDX-License-Identifier: Apache-2.0
// A halo of 200 rows.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct twice {
  ts::input<int> u;
  ts::output<int> v;
  TESSERA_FIELDS(twice, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

constexpr auto program = ts::program<ts::machines::host<4>>([] {
#ifdef TESSERA_MUST_FAIL
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(ts::halo<200>(u), v));
#else
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(ts::halo<2>(u), v));
#endif
});

// EXPECT: a compute set holds execute\(\) and on<…>\(execute\(\)\)
// SPDX-License-Identifier: Apache-2.0
// A copy in a compute set.
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
constexpr ts::tensor<"w", int, ts::shape<8>, ts::by_rows> w;

constexpr auto program = ts::program<ts::machines::host<4>>([] {
#ifdef TESSERA_MUST_FAIL
  return ts::sequence(ts::inputs(u), ts::outputs(v, w), ts::compute_set(ts::execute<twice>(u, v), ts::copy(u, w)));
#else
  return ts::sequence(ts::inputs(u), ts::outputs(v, w), ts::compute_set(ts::execute<twice>(u, v)), ts::copy(u, w));
#endif
});

// EXPECT: one index a dimension
// SPDX-License-Identifier: Apache-2.0
// Two indices for a vector.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct twice {
  ts::input<int> u;
  ts::output<int> v;
  TESSERA_FIELDS(twice, u, v);
  void compute() const {
#ifdef TESSERA_MUST_FAIL
    v(0) = u(0, 0);
#else
    v(0) = u(0);
#endif
  }
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

constexpr auto program = ts::program<ts::machines::host<4>>(
    [] { return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(u, v)); });

// EXPECT: layouts other than row_major are of rank 2
// SPDX-License-Identifier: Apache-2.0
// Panels of a vector.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct twice {
#ifdef TESSERA_MUST_FAIL
  ts::input<int, 1, ts::panels<4>> u;
#else
  ts::input<int, 1> u;
#endif
  ts::output<int> v;
  TESSERA_FIELDS(twice, u, v);
  void compute() const { v(0) = u.row()[0]; }
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

constexpr auto program = ts::program<ts::machines::host<4>>(
    [] { return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(u, v)); });

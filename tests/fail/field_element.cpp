// EXPECT: elements are float, double
// SPDX-License-Identifier: Apache-2.0
// An element type that tensors do not hold.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct twice {
#ifdef TESSERA_MUST_FAIL
  ts::input<long long> u;
#else
  ts::input<int> u;
#endif
  ts::output<int> v;
  TESSERA_FIELDS(twice, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

constexpr auto program = ts::program<ts::machines::host<4>>(
    [] { return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(u, v)); });

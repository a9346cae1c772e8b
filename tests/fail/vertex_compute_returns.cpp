// EXPECT: vertex_has_compute<.*twice
// SPDX-License-Identifier: Apache-2.0
// A compute() that returns something, or nothing though it says so.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct twice {
  ts::input<int> u;
  ts::output<int> v;
  TESSERA_FIELDS(twice, u, v);
#ifdef TESSERA_MUST_FAIL
  float compute() const { return 0; }
#else
  void compute() const {}
#endif
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

constexpr auto program = ts::program<ts::machines::host<4>>(
    [] { return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(u, v)); });

// EXPECT: a neighbour is -32767 to 32767 steps away
// SPDX-License-Identifier: Apache-2.0
// A number of steps that a record cannot hold: it would be the own block.
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
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(ts::neighbour<65536>(u), v));
#else
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(ts::neighbour<1>(u), v));
#endif
});

// EXPECT: beyond the edge of the grid there is nothing
// SPDX-License-Identifier: Apache-2.0
// A neighbour with an edge rule of halos.
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
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(ts::neighbour<1>(u, ts::edge::zero), v));
#else
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(ts::neighbour<1>(u, ts::edge::wrap), v));
#endif
});

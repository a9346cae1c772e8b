// EXPECT: holds N >= 1 trivial elements
// SPDX-License-Identifier: Apache-2.0
// Scratch memory of no elements.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct twice {
  ts::input<int> u;
  ts::output<int> v;
#ifdef TESSERA_MUST_FAIL
  ts::scratch<float, 0> space;
#else
  ts::scratch<float, 1> space;
#endif
  TESSERA_FIELDS(twice, u, v, space);
  void compute() const {}
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

constexpr auto program = ts::program<ts::machines::host<4>>(
    [] { return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(u, v)); });

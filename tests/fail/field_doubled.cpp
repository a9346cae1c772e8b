// EXPECT: accesses_not_too_many<.*stencil.*fields_declared<2>.*accesses_given<3>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: the first field gets two arguments.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct stencil {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(stencil, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

constexpr auto step() {
#ifdef TESSERA_MUST_FAIL
  return ts::execute<stencil>(u, u, v);
#else
  return ts::execute<stencil>(u, v);
#endif
}

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), step());
});

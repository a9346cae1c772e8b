// EXPECT: every_field_connected<.*stencil.*"v".*fields_declared<2>.*fields_connected<1>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: the second field gets no argument.
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
  return ts::execute<stencil>(u);
#else
  return ts::execute<stencil>(u, v);
#endif
}

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), step());
});

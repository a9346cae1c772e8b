// EXPECT: parameter_is_constant<.*"u".*in_step<0>
// SPDX-License-Identifier: Apache-2.0
// Proof 4: a step writes a parameter.
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

#ifdef TESSERA_MUST_FAIL
constexpr auto step = ts::execute<stencil>(v, u);
#else
constexpr auto step = ts::execute<stencil>(u, v);
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::parameters(u), ts::inputs(v), step);
});

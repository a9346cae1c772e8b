// EXPECT: output_is_not_replicated<.*"r".*"stencil".*in_step<0>
// SPDX-License-Identifier: Apache-2.0
// Proof 1: a vertex writes a tensor of which every tile has a copy.
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

constexpr ts::tensor<"r", float, ts::shape<64, 16>, ts::replicated> r;

#ifdef TESSERA_MUST_FAIL
constexpr auto written = r;
#else
constexpr auto written = v;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::execute<stencil>(u, written));
});

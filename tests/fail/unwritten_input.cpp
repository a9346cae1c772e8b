// EXPECT: written_before_read<.*"u".*tile_number<0>.*rows_range<0, 17>.*in_step<0>
// SPDX-License-Identifier: Apache-2.0
// Proof 4: the first step reads a tensor that is not an input.
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

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
#ifndef TESSERA_MUST_FAIL
      ts::inputs(u),
#endif
      ts::outputs(v), ts::execute<stencil>(ts::halo<1>(u), v));
});

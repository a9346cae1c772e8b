// EXPECT: outputs_are_written<.*"v".*tile_number<3>.*rows_range<48, 64>
// SPDX-License-Identifier: Apache-2.0
// Proof 4: an output of which one tile never writes its part.
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
constexpr int last = 2;
#else
constexpr int last = 3;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::on<0, last>(ts::execute<stencil>(u, v)));
});

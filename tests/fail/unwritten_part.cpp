// EXPECT: written_before_read<.*"v".*tile_number<1>.*rows_range<15, 33>.*in_step<1>
// SPDX-License-Identifier: Apache-2.0
// Proof 4: tiles 0 and 1 write; the halo of tile 1 reaches into tile 2.
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
constexpr int last = 1;
#else
constexpr int last = 0;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(u), ts::on<0, 1>(ts::execute<stencil>(u, v)),
      ts::on<0, last>(ts::execute<stencil>(ts::halo<1>(v), u)));
});

// EXPECT: mappings_correspond<.*"m".*first_tile_of_tensor<2>.*"v".*first_tile_beside<0>
// SPDX-License-Identifier: Apache-2.0
// Proof 5: two tensors on different tiles; whole() names what is wanted.
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

constexpr ts::tensor<"m", float, ts::shape<64, 16>, ts::on_tiles<2, 3, ts::by_rows>> m;

#ifdef TESSERA_MUST_FAIL
constexpr auto source = m;
#else
constexpr auto source = ts::whole(m);
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(m), ts::outputs(v), ts::execute<stencil>(source, v));
});

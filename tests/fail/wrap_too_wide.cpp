// EXPECT: wrap_fits_tensor<.*"u".*halo_radius<65>.*extent_of_tensor<64>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: a wrapped halo that is wider than the tensor.
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
constexpr int radius = 65;
#else
constexpr int radius = 64;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<stencil>(ts::halo<radius>(u, ts::edge::wrap), v));
});

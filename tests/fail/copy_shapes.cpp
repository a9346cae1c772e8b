// EXPECT: copies_match<.*"u".*"w"
// SPDX-License-Identifier: Apache-2.0
// Proof 2: a copy between tensors of different shapes.
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

constexpr ts::tensor<"w", float, ts::shape<16, 64>, ts::by_rows> w;

constexpr auto step() {
#ifdef TESSERA_MUST_FAIL
  return ts::copy(u, w);
#else
  return ts::copy(u, v);
#endif
}

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), step());
});

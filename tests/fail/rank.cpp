// EXPECT: ranks_match<.*stencil.*"u".*rank_of_field<2>.*"z".*rank_of_tensor<1>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: a vector where a field wants a matrix.
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

constexpr ts::tensor<"z", float, ts::shape<64>, ts::by_rows> z;

#ifdef TESSERA_MUST_FAIL
constexpr auto source = z;
#else
constexpr auto source = u;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<stencil>(source, v));
});

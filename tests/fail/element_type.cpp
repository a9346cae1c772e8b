// EXPECT: element_types_match<.*stencil.*"u".*element_of_field<float>.*"w".*element_of_tensor<double>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: a double tensor where a field wants float.
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

constexpr ts::tensor<"w", double, ts::shape<64, 16>, ts::by_rows> w;

#ifdef TESSERA_MUST_FAIL
constexpr auto source = w;
#else
constexpr auto source = u;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<stencil>(source, v));
});

// EXPECT: predicate_is_uniform<.*"go".*elements_given<1>.*tiles_of_mapping<4>
// SPDX-License-Identifier: Apache-2.0
// Proof 6: one element spread over four tiles: which of them has it?
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
constexpr ts::tensor<"go", bool, ts::shape<1>, ts::by_rows> go;
#else
constexpr ts::tensor<"go", bool, ts::shape<1>, ts::replicated> go;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u, go), ts::repeat_while(go, ts::execute<stencil>(u, v)));
});

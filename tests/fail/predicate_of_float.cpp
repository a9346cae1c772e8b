// EXPECT: predicate_is_integer<.*"error".*"float32"
// SPDX-License-Identifier: Apache-2.0
// Proof 6: a loop until an error is exactly zero, as float.
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
constexpr ts::tensor<"error", float, ts::shape<1>, ts::on_tile<0>> error;
#else
constexpr ts::tensor<"error", std::int32_t, ts::shape<1>, ts::on_tile<0>> error;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u, error), ts::repeat_while(error, ts::execute<stencil>(u, v)));
});

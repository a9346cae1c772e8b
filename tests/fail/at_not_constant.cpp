// EXPECT: box_is_constant<.*tensor_named<.*"x"
// SPDX-License-Identifier: Apache-2.0
// A box that depends on a variable.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct copy_one {
  ts::input<float> x;
  ts::output<float> y;
  TESSERA_FIELDS(copy_one, x, y);
  void compute() const { y(0) = x(0); }
};

constexpr ts::tensor<"x", float, ts::shape<8>, ts::by_rows> x;
constexpr ts::tensor<"y", float, ts::shape<8>, ts::by_rows> y;
inline int offset = 0;

constexpr auto program = ts::program<ts::machines::host<8>>([] {
  return ts::sequence(ts::inputs(x), ts::outputs(y),
#ifdef TESSERA_MUST_FAIL
                      ts::execute<copy_one>(ts::at(x, [](ts::tile t) { return ts::box{.rows = {t.index + offset, t.index + offset + 1}}; }), y));
#else
                      ts::execute<copy_one>(ts::at(x, [](ts::tile t) { return ts::box{.rows = {t.index, t.index + 1}}; }), y));
#endif
});

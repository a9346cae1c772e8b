// EXPECT: tensor_is_input<.*"w"
// SPDX-License-Identifier: Apache-2.0
// The host writes a tensor that is not in inputs().
#include <type_traits>
#include <vector>

#include <tessera/tile.hpp>

namespace ts = tessera;

constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;
constexpr ts::tensor<"w", float, ts::shape<64, 16>, ts::by_rows> w;
constexpr ts::tensor<"z", float, ts::shape<64, 16>, ts::by_rows> z;

struct double_of {
  ts::input<float, 2> v;
  ts::output<float, 2> w;
  TESSERA_FIELDS(double_of, v, w);
  void compute() const {}
};
constexpr auto doubled = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(v), ts::outputs(w), ts::execute<double_of>(v, w));
});

void run(ts::engine<std::remove_const_t<decltype(doubled)>>& engine, std::vector<float> const& values) {
#ifdef TESSERA_MUST_FAIL
  engine.write(w, values);
#else
  engine.write(v, values);
#endif
}

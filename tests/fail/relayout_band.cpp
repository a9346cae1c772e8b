// EXPECT: mappings_correspond<.*"a".*grid_of_tensor<4, 1>.*"c".*grid_beside<2, 2>
// SPDX-License-Identifier: Apache-2.0
// Proof 5: the band of rows follows another grid than the block that is written.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct product {
  ts::input<float, 2> a;
  ts::input<float, 2> b;
  ts::output<float, 2> c;
  TESSERA_FIELDS(product, a, b, c);
  void compute() const {}
};

#ifdef TESSERA_MUST_FAIL
using left = ts::by_rows;
#else
using left = ts::by_blocks<2, 2>;
#endif
constexpr ts::tensor<"a", float, ts::shape<64, 64>, left> a;
constexpr ts::tensor<"b", float, ts::shape<64, 64>, ts::by_blocks<2, 2>> b;
constexpr ts::tensor<"c", float, ts::shape<64, 64>, ts::by_blocks<2, 2>> c;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(a, b), ts::outputs(c), ts::execute<product>(ts::rows(a), ts::cols(b), c));
});

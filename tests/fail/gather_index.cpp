// EXPECT: index_is_integer_vector<.*"ids".*element_of_tensor<float>.*rank_of_tensor<1>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: row numbers that are not integers.
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
using index_type = float;
#else
using index_type = std::int32_t;
#endif
constexpr ts::tensor<"ids", index_type, ts::shape<64>, ts::by_rows> ids;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u, ids), ts::outputs(v), ts::execute<stencil>(ts::gather(u, ids), v));
});

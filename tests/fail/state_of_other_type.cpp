// EXPECT: state_type_matches<.*scale.*"factor".*field_type<float>
// SPDX-License-Identifier: Apache-2.0
// State of a type that does not convert to the field's.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct scale {
  ts::inout<float, 2> v;
  float factor = 1;
  TESSERA_FIELDS(scale, v, factor);
  void compute() const {}
};
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

struct options {
  int level = 3;
};

#ifdef TESSERA_MUST_FAIL
constexpr auto state = ts::value<options{}>;
#else
constexpr auto state = ts::value<0.5f>;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(v), ts::outputs(v), ts::execute<scale>(v, state));
});

// EXPECT: vertex_has_fields<.*broken
// SPDX-License-Identifier: Apache-2.0
// A vertex that does not list its fields.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct broken {
  ts::output<float, 2> v;
#ifndef TESSERA_MUST_FAIL
  TESSERA_FIELDS(broken, v);
#endif
  void compute() const {}
};
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::outputs(v), ts::execute<broken>(v));
});

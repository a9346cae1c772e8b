// EXPECT: vertex_has_compute<.*broken
// SPDX-License-Identifier: Apache-2.0
// A vertex that does nothing.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct broken {
  ts::output<float, 2> v;
  TESSERA_FIELDS(broken, v);
#ifndef TESSERA_MUST_FAIL
  void compute() const {}
#endif
};
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::outputs(v), ts::execute<broken>(v));
});

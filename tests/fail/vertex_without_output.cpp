// EXPECT: vertex_writes_something<.*broken
// SPDX-License-Identifier: Apache-2.0
// A vertex that writes nothing runs nowhere.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct broken {
#ifdef TESSERA_MUST_FAIL
  ts::input<float, 2> v;
#else
  ts::inout<float, 2> v;
#endif
  TESSERA_FIELDS(broken, v);
  void compute() const {}
};
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(v), ts::execute<broken>(v));
});

// EXPECT: state_is_trivially_copyable<.*named
// SPDX-License-Identifier: Apache-2.0
// State that owns memory.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct owner {
  float* data = nullptr;
#ifdef TESSERA_MUST_FAIL
  ~owner() { delete data; }
#endif
};
struct named {
  ts::inout<float, 2> v;
  owner state;
  TESSERA_FIELDS(named, v, state);
  void compute() const {}
};
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(v), ts::outputs(v), ts::execute<named>(v));
});

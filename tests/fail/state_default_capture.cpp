// EXPECT: per_tile wants a function of ts::tile without captures
// SPDX-License-Identifier: Apache-2.0
// A function of the tile that could capture, though it does not.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct shift {
  ts::input<int> u;
  ts::output<int> v;
  int by = 0;
  TESSERA_FIELDS(shift, u, v, by);
  void compute() const {}
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

int main() {
  auto program = ts::program<ts::machines::host<4>>([] {
#ifdef TESSERA_MUST_FAIL
    return ts::sequence(ts::inputs(u), ts::outputs(v),
                        ts::execute<shift>(u, v, ts::per_tile([=](ts::tile t) { return t.index; })));
#else
    return ts::sequence(ts::inputs(u), ts::outputs(v),
                        ts::execute<shift>(u, v, ts::per_tile([](ts::tile t) { return t.index; })));
#endif
  });
  static_cast<void>(program);
}

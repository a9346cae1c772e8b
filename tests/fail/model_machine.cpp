// EXPECT: machine_has_shared_memory<.*gc200
// SPDX-License-Identifier: Apache-2.0
// A model on a machine whose tiles have memories of their own.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct twice {
  static constexpr void build(ts::graph& g) {
    auto a = g.input<float>("a", {8, 6});
    g.output("sum", ts::add(g, a, a));
  }
};

int main() {
#ifdef TESSERA_MUST_FAIL
  ts::model<twice, ts::machines::gc200> m;
#else
  ts::model<twice, ts::machines::host<>> m;
#endif
  m.run();
}

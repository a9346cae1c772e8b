// EXPECT: every_input_given<.*names_of_model<.*"a".*"b".*names_of_model<.*"a"
// SPDX-License-Identifier: Apache-2.0
// A run without one of the inputs.
#include <tessera/graph.hpp>

#include <vector>

namespace ts = tessera;

struct sum {
  static constexpr void build(ts::graph& g) {
    auto const n = g.run_time_length("rows", 8);
    auto a = g.input<float>("a", {n, 6});
    auto b = g.input<float>("b", {6});
    g.output("total", ts::add(g, a, b));
  }
};

int main() {
  ts::model<sum> m;
  std::vector<float> const a(48, 1.0f), b(6, 2.0f);
#ifdef TESSERA_MUST_FAIL
  m.run(ts::in<"a">(a));
#else
  m.run(ts::in<"a">(a), ts::in<"b">(b));
#endif
}

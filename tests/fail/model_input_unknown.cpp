// EXPECT: input_is_known<.*name_wanted<.*"bias".*names_of_model<.*"a".*"b"
// SPDX-License-Identifier: Apache-2.0
// An input that the model has not.
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
#ifdef TESSERA_MUST_FAIL
  m.input<"bias">()[0] = 1.0f;
#else
  m.input<"b">()[0] = 1.0f;
#endif
}

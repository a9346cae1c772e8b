// EXPECT: output_is_known<.*name_wanted<.*"sum".*names_of_model<.*"total"
// SPDX-License-Identifier: Apache-2.0
// An output that the model has not.
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
  auto const y = m.output<"sum">();
#else
  auto const y = m.output<"total">();
#endif
}

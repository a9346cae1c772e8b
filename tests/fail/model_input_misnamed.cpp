// EXPECT: input_is_known<.*name_wanted<.*"c".*names_of_model<.*"a".*"b"
// SPDX-License-Identifier: Apache-2.0
// A run with an input that the model has not.
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
  m.run(ts::in<"a">(a), ts::in<"c">(b));
#else
  m.run(ts::in<"a">(a), ts::in<"b">(b));
#endif
}

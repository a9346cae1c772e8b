// EXPECT: input_type_matches<.*name_wanted<.*"b".*element_of_field<double>.*element_of_tensor<float>
// SPDX-License-Identifier: Apache-2.0
// Values of another type than the input.
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
  std::vector<float> const a(48, 1.0f);
#ifdef TESSERA_MUST_FAIL
  std::vector<double> const b(6, 2.0);
  m.run(ts::in<"a">(a), ts::in<"b">(b));
#else
  std::vector<float> const b(6, 2.0f);
  m.run(ts::in<"a">(a), ts::in<"b">(b));
#endif
}

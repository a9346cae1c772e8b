// EXPECT: operand_type_fits<.*given_name<.*"w".*first_shape<4>
// SPDX-License-Identifier: Apache-2.0
// A parameter of whole numbers.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
#ifdef TESSERA_MUST_FAIL
    g.output("y", g.parameter("w", {4}, ts::element::int32));
#else
    g.output("y", g.parameter("w", {4}, ts::element::float32));
#endif
  }
};

struct zeros {
  void read_float32(std::string_view, std::span<std::int64_t const>, std::span<float> values) const {
    for (float& value : values) value = 0;
  }
};

int main() {
  ts::model<wrong_model> m{zeros{}};
  m.run();
}

// EXPECT: graph_is_small_enough<.*given_name<.*encoder
// SPDX-License-Identifier: Apache-2.0
// A name of more characters than a name may have.
#include <tessera/graph.hpp>

namespace ts = tessera;

struct wrong_model {
  static constexpr void build(ts::graph& g) {
    auto x = g.input<float>("x", {4, 6});
#ifdef TESSERA_MUST_FAIL
    auto const prefix = ts::name("encoder.decoder.encoder.decoder.encoder.", "decoder.encoder.decoder.encoder.decoder.");
#else
    auto const prefix = ts::name("encoder.");
#endif
    g.output(ts::name(prefix, "layer.", 12345, ".output"), ts::relu(g, x));
  }
};

int main() {
  ts::model<wrong_model> m;
  m.run();
}

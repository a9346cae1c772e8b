// EXPECT: parameters_agree<.*narrow.*wide
// SPDX-License-Identifier: Apache-2.0
// A model that takes over parameters which are not its own.
#include <tessera/graph.hpp>

namespace ts = tessera;

template <int Cols>
struct scaled {
  static constexpr void build(ts::graph& g) {
    auto a = g.input<float>("a", {8, Cols});
    g.output("product", ts::mul(g, a, g.parameter("scale", {Cols})));
  }
};
struct narrow : scaled<4> {};
struct wide : scaled<6> {};
struct as_wide : scaled<6> {};

int share(ts::model<wide> const& first) {
#ifdef TESSERA_MUST_FAIL
  ts::model<narrow> second{first};
#else
  ts::model<as_wide> second{first};
#endif
  return second.threads();
}

// EXPECT: mapping_fits_machine<.*"g".*tiles_of_mapping<6>.*tiles_of_machine<4>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: a grid of 2 x 3 tiles on a machine of 4.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct fill {
  ts::output<float, 2> g;
  TESSERA_FIELDS(fill, g);
  void compute() const {}
};

#ifdef TESSERA_MUST_FAIL
constexpr ts::tensor<"g", float, ts::shape<64, 16>, ts::by_blocks<2, 3>> g;
#else
constexpr ts::tensor<"g", float, ts::shape<64, 16>, ts::by_blocks<2, 2>> g;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::outputs(g), ts::execute<fill>(g));
});

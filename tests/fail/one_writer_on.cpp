// EXPECT: one_writer<.*"v".*on_tiles_pair<2, 2>.*vertex_named<.*"stencil".*beside_vertex<.*"fill"
// SPDX-License-Identifier: Apache-2.0
// Proof 1: two vertices of a compute set sit on tile 2 and write its block.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct stencil {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(stencil, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;

struct fill {
  ts::output<float, 2> v;
  TESSERA_FIELDS(fill, v);
  void compute() const {}
};

#ifdef TESSERA_MUST_FAIL
constexpr int first = 2;
#else
constexpr int first = 3;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(u), ts::outputs(v),
      ts::compute_set(ts::on<0, 2>(ts::execute<stencil>(u, v)), ts::on<first, 3>(ts::execute<fill>(v))));
});

// EXPECT: nobody_reads_what_another_writes<.*"u".*on_tiles_pair<
// SPDX-License-Identifier: Apache-2.0
// Proof 1: one vertex reads all of u while vertices on other tiles write their blocks of it.
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

#ifdef TESSERA_MUST_FAIL
constexpr auto source = u;
#else
constexpr auto source = v;
#endif

struct sum {
  ts::input<float, 2> all;
  ts::output<float> total;
  TESSERA_FIELDS(sum, all, total);
  void compute() const {}
};
constexpr ts::tensor<"total", float, ts::shape<1>, ts::on_tile<0>> total;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(u, v), ts::outputs(u, total),
      ts::compute_set(ts::on<0, 3>(ts::execute<stencil>(v, u)), ts::on<0>(ts::execute<sum>(ts::whole(source), total))));
});

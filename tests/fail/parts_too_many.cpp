// EXPECT: parts_can_be_followed<.*"v".*boxes_followed<64>
// SPDX-License-Identifier: Apache-2.0
// Proof 4: a tensor is written in 128 boxes that do not join, and nothing shows that they are all of what is read.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct stencil {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(stencil, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<128, 16>, ts::by_rows> v;

struct mark {
  ts::output<float, 2> v;
  TESSERA_FIELDS(mark, v);
  void compute() const {}
};
constexpr ts::tensor<"w", float, ts::shape<128, 16>, ts::by_rows> w;

#ifdef TESSERA_MUST_FAIL
constexpr auto step = ts::execute<mark>(ts::at(v, [](ts::tile t) {
  return ts::box{.rows = {t.index, t.index + 1}, .cols = {t.index % 5, t.index % 5 + 1}};
}));
#else
constexpr auto step = ts::execute<mark>(v);
#endif

constexpr auto wrong = ts::program<ts::machines::host<128>>([] {
  return ts::sequence(step, ts::execute<stencil>(v, w));
});

// EXPECT: nobody_reads_what_another_writes<.*"table".*on_tiles_pair<0, 1>
// SPDX-License-Identifier: Apache-2.0
// Proof 1: rows of a table are gathered while other tiles write the table.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct lookup {
  ts::input<float, 2> rows;
  ts::inout<float, 2> table;
  TESSERA_FIELDS(lookup, rows, table);
  void compute() const {}
};

constexpr ts::tensor<"table", float, ts::shape<64, 16>, ts::by_rows> table;
constexpr ts::tensor<"copied", float, ts::shape<64, 16>, ts::by_rows> copied;
constexpr ts::tensor<"ids", std::int32_t, ts::shape<64>, ts::by_rows> ids;

#ifdef TESSERA_MUST_FAIL
constexpr auto source = table;
#else
constexpr auto source = copied;
#endif

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(
      ts::inputs(table, ids), ts::outputs(table), ts::copy(table, copied),
      ts::execute<lookup>(ts::gather(source, ids), table));
});

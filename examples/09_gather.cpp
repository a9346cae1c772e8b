// SPDX-License-Identifier: Apache-2.0
// Rows by number: gather(table, ids) hands each tile the rows of a table that its own block of ids names. The numbers
// are known at run time only, so they are checked then.
#include <tessera/tile.hpp>

#include <cstdio>

namespace ts = tessera;

struct sum_of_row {
  ts::input<int, 2> rows;   // row i is the table's row ids(i)
  ts::output<int> sums;
  TESSERA_FIELDS(sum_of_row, rows, sums);

  void compute() const {
    for (int i = 0; i < sums.rows(); ++i) {
      int sum = 0;
      for (int value : rows.row(i)) sum += value;
      sums(i) = sum;
    }
  }
};

constexpr ts::tensor<"table", int, ts::shape<5, 3>, ts::by_rows> table;
constexpr ts::tensor<"ids", int, ts::shape<6>, ts::by_rows> ids;
constexpr ts::tensor<"sums", int, ts::shape<6>, ts::by_rows> sums;

constexpr auto lookup = ts::program<ts::machines::host<3>>([] {
  return ts::sequence(ts::inputs(table, ids), ts::outputs(sums), ts::execute<sum_of_row>(ts::gather(table, ids), sums));
});

int main() {
  ts::engine engine{lookup};
  engine.write(table, {0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5});
  engine.write(ids, {4, 0, 0, 2, 3, 1});
  engine.run();
  for (int sum : engine.read(sums)) std::printf(" %d", sum);
  std::printf("\n");

  engine.write(ids, {4, 0, 7, 2, 3, 1});
  try {
    engine.run();
  } catch (ts::run_error const& error) {
    std::printf("%s\n(tensor %s, tile %d)\n", error.what(), error.tensor().c_str(), error.tile());
  }
  engine.write(ids, {4, 0, 1, 2, 3, 1});   // the engine is as good as before
  engine.run();
  for (int sum : engine.read(sums)) std::printf(" %d", sum);
  std::printf("\n");
}

// SPDX-License-Identifier: Apache-2.0
#include <tessera/tile.hpp>

#include <cstdio>

namespace ts = tessera;

struct produce {
  ts::inout<int> n;
  ts::output<int> item;
  TESSERA_FIELDS(produce, n, item);
  void compute() const { item(0) = ++n(0); }
};

struct square {
  ts::input<int> item;
  ts::output<int> result;
  TESSERA_FIELDS(square, item, result);
  void compute() const { result(0) = item(0) * item(0); }
};

struct collect {
  ts::input<int> result;
  ts::inout<int> sum;
  TESSERA_FIELDS(collect, result, sum);
  void compute() const { sum(0) += result(0); }
};

using one = ts::shape<1>;
constexpr ts::tensor<"n", int, one, ts::on_tile<0>> n;
constexpr ts::tensor<"item 0", int, one, ts::on_tile<0>> item0;
constexpr ts::tensor<"item 1", int, one, ts::on_tile<0>> item1;
constexpr ts::tensor<"result 0", int, one, ts::on_tile<1>> result0;
constexpr ts::tensor<"result 1", int, one, ts::on_tile<1>> result1;
constexpr ts::tensor<"sum", int, one, ts::on_tile<2>> sum;

constexpr auto pipeline = ts::program<ts::machines::host<3>>([] {
  return ts::sequence(ts::inputs(n, item1, result1, sum), ts::outputs(sum),
                      ts::repeat<5>(
                          ts::compute_set(ts::on<0>(ts::execute<produce>(n, item0)),
                                          ts::on<1>(ts::execute<square>(ts::whole(item1), result0)),
                                          ts::on<2>(ts::execute<collect>(ts::whole(result1), sum))),
                          ts::compute_set(ts::on<0>(ts::execute<produce>(n, item1)),
                                          ts::on<1>(ts::execute<square>(ts::whole(item0), result1)),
                                          ts::on<2>(ts::execute<collect>(ts::whole(result0), sum)))));
});

int main() {
  ts::engine engine{pipeline, {.threads = 3}};
  engine.write(n, {0});
  engine.write(item1, {0});
  engine.write(result1, {0});
  engine.write(sum, {0});
  engine.run();
  std::printf("the squares of 1 to 8 have arrived: %d\n", engine.read(sum)[0]);
}

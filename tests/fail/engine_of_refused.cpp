// EXPECT: written_before_read<.*"u".*tile_number<0>.*rows_range<0, 2>.*in_step<0>
// SPDX-License-Identifier: Apache-2.0
// An engine and a report of a program with a mistake are silent, however they are used: the mistake is the only message.
#include <tessera/report.hpp>
#include <tessera/tile.hpp>

namespace ts = tessera;

struct twice {
  ts::input<int> u;
  ts::output<int> v;
  TESSERA_FIELDS(twice, u, v);
  void compute() const {}
};

constexpr ts::tensor<"u", int, ts::shape<8>, ts::by_rows> u;
constexpr ts::tensor<"v", int, ts::shape<8>, ts::by_rows> v;

constexpr auto wrong = ts::program<ts::machines::host<4>>([] {
#ifdef TESSERA_MUST_FAIL
  return ts::sequence(ts::outputs(v), ts::execute<twice>(u, v));
#else
  return ts::sequence(ts::inputs(u), ts::outputs(v), ts::execute<twice>(u, v));
#endif
});

static_assert(ts::estimate(wrong).cycles >= 0 && ts::advice(wrong).size() >= 0);

int main() {
  ts::engine engine{wrong, {.threads = 2}};
  std::vector<int> values(8);
  engine.write(u, values);
  engine.write(u, std::span<int const>(values));
  engine.write(u, {1, 2, 3, 4, 5, 6, 7, 8});
  engine.run();
  engine.reset();
  engine.read(v, std::span<int>(values));
  values = engine.read(v);
  std::string const report = ts::report::text(wrong) + ts::report::json(wrong) + ts::report::html(engine);
  return static_cast<int>(report.size()) + engine.threads() + static_cast<int>(engine.bytes()) + engine.read(v)[0];
}

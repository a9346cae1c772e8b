// SPDX-License-Identifier: Apache-2.0
// Times of runs: every step is counted as often as it ran, and the work is what the vertices state.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include <tessera/report/profile.hpp>
#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

struct twice {
  ts::input<float> x;
  ts::output<float> y;
  TESSERA_FIELDS(twice, x, y);
  static constexpr ts::work cost(ts::extents x, ts::extents y) {
    return {.flops = 3.0 * y.volume(), .bytes = 4.0 * (x.volume() + y.volume())};
  }
  void compute() const {
    for (int i = 0; i < y.size(); ++i) y(i) = 2 * x(i);
  }
};
constexpr ts::tensor<"x", float, ts::shape<100>, ts::by_rows> x;
constexpr ts::tensor<"y", float, ts::shape<100>, ts::by_rows> y;
constexpr auto program = ts::program<ts::machines::host<8>>([] {
  return ts::sequence(ts::inputs(x), ts::outputs(x),
                      ts::repeat<5>(ts::execute<twice>(x, y), ts::execute<twice>(ts::whole(y), x)));
});

}  // namespace

TEST_CASE("every step is counted as often as it ran") {
  for (int threads : {1, 3}) {
    ts::engine engine{program, {.threads = threads}};
    engine.write(x, std::vector<float>(100, 0.0f));
    engine.run();
    for (ts::step_profile const& step : engine.profile()) CHECK(step.runs == 0);   // not timed
    engine.profile(true);
    engine.run();
    engine.run();
    std::vector<ts::step_profile> const times = engine.profile();
    int computed = 0;
    for (std::size_t s = 0; s < times.size(); ++s) {
      if (engine.plan().program.steps[s].kind != ts::step_kind::compute) continue;
      ++computed;
      CHECK(times[s].runs == 10);
      CHECK(times[s].flops == 10 * 300);
      CHECK(times[s].bytes == 10 * 4 * (computed == 1 ? 100 + 100 : 8 * 100 + 100));
      CHECK(times[s].seconds > 0);
      CHECK(times[s].waited >= 0);
    }
    CHECK(computed == 2);
    engine.profile(true);   // from zero again
    for (ts::step_profile const& step : engine.profile()) CHECK(step.runs == 0);
    engine.run();
    engine.profile(false);
    engine.run();
    CHECK(engine.profile()[1].runs == 5);   // what was timed is still there
  }
}

TEST_CASE("the table has a row for each vertex type and each step") {
  ts::engine engine{program};
  engine.profile(true);
  engine.write(x, std::vector<float>(100, 0.0f));
  engine.run();
  std::string const text = ts::report::profile(engine, 10);
  INFO(text);
  std::istringstream lines(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  CHECK(all[0].find("% peak") != std::string::npos);
  CHECK(all[1].find("twice") != std::string::npos);
  CHECK(all[1].substr(0, 8) == "      10");
  CHECK(text.find("8 tiles of 13") != std::string::npos);
  CHECK(ts::report::profile(engine).find("% peak") == std::string::npos);
}

TEST_CASE("names are shown without the library's namespaces") {
  using ts::report::detail::short_name;
  CHECK(short_name("tessera::v4::codelets::dense<tessera::activation::none, true>") ==
        "codelets::dense<activation::none, true>");
  CHECK(short_name("tessera::v3_checked::codelets::tanh, twice") == "codelets::tanh, twice");
  CHECK(short_name("mine::v4::scale<my_tessera::v2::x, tessera::neon::half>") == "mine::v4::scale<my_tessera::v2::x, half>");
  CHECK(short_name("") == "");
}

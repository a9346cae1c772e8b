// SPDX-License-Identifier: Apache-2.0
// Reports of programs as users write them, and as files.
#include <tessera/report.hpp>
#include <tessera/tile.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

namespace ts = tessera;

namespace {

struct copy_rows {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(copy_rows, u, v);
  void compute() const {
    for (int i = 0; i < v.rows(); ++i)
      for (int j = 0; j < v.cols(); ++j) v(i, j) = u(i, j);
  }
};

constexpr ts::tensor<"u", float, ts::shape<64, 16>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<64, 16>, ts::by_rows> v;
constexpr auto turns = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(u),
                      ts::repeat<3>(ts::execute<copy_rows>(u, v), ts::execute<copy_rows>(v, u)));
});

static_assert(ts::estimate(turns).cycles > 0 && ts::estimate(turns).sync == 0);
static_assert(ts::advice(turns).empty());

}  // namespace

TEST_CASE("programs and engines have the same report") {
  ts::engine const engine{turns};
  CHECK(ts::report::text(turns) == ts::report::text(engine));
  CHECK(ts::report::json(turns) == ts::report::json(engine));
  CHECK(ts::report::text(turns).find("repeat 3 times") != std::string::npos);
}

TEST_CASE("a report is written completely, or there is an error") {
  auto const folder = std::filesystem::temp_directory_path() / "tessera_report_test";
  std::filesystem::create_directories(folder);
  std::string const path = (folder / "turns.html").string();
  ts::report::html(turns, path);
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  CHECK(content.str() == ts::report::html(turns));
  CHECK_THROWS_AS(ts::report::html(turns, (folder / "missing" / "turns.html").string()), ts::io_error);
  std::filesystem::remove_all(folder);
}

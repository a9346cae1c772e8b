// SPDX-License-Identifier: Apache-2.0
#include "../../benchmarks/contender.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using nlohmann::json;
using tessera::benchmarks::contender;

// The lines that answer `lines`; the first says that it is ready.
std::vector<json> answers(contender const& c, std::string const& lines) {
  std::istringstream in(lines);
  std::stringstream out;
  c.obey(in, out, {{"setup_s", 0.5}});
  std::vector<json> read;
  for (std::string line; std::getline(out, line);) read.push_back(json::parse(line));
  return read;
}

}  // namespace

TEST_CASE("a round makes passes until its time is up, at least one") {
  int passes = 0;
  contender const c([&] { ++passes; });
  auto const read = answers(c, "round 0\nround 0.01\n");
  REQUIRE(read.size() == 3);
  CHECK(read[0] == json{{"setup_s", 0.5}});
  CHECK(read[1]["ms"].size() == 1);
  CHECK(read[1]["share"].size() == 1);
  CHECK(read[2]["ms"].size() > 1);
  CHECK(read[2]["ms"].size() == read[2]["share"].size());
  CHECK(read[1]["ms"].size() + read[2]["ms"].size() == static_cast<std::size_t>(passes));
}

TEST_CASE("a pass that sleeps has little CPU time") {
  contender const c([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  json const round = answers(c, "round 0")[1];
  CHECK(round["ms"][0].get<double>() >= 20);
  CHECK(round["share"][0].get<double>() < 0.5);
}

TEST_CASE("other commands get the rest of their line; a wrong one and one that throws are answered") {
  contender c([] {});
  c.on("save", [](std::string const& path) { return json{{"path", path}}; });
  c.on("fail", [](std::string const&) -> json { throw std::runtime_error("no space"); });
  auto const read = answers(c, "save a file.npy\nfail\nsing\n");
  CHECK(read[1] == json{{"path", "a file.npy"}});
  CHECK(read[2] == json{{"error", "no space"}});
  CHECK(read[3] == json{{"error", "no such command: sing"}});
}

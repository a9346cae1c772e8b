// SPDX-License-Identifier: Apache-2.0
#include "plan/random_program.hpp"
#include <tessera/report.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

using namespace plan_test;

namespace {

struct heat {
  constexpr void operator()(builder& b) const {
    b.target = private_machine(4);
    int const u = b.rows("u<&\"'>", 64, 64), v = b.rows("v", 64, 64), dead = b.rows("dead", 4, 16);
    int const k = b.kernel("jacobi");
    b.input(u);
    b.output(u);
    b.repeat(50);
    b.compute(k, {halo(u), out(v)});
    b.copy(v, u);
    b.end_repeat();
    b.compute(k, {own(u), out(dead)});
  }
};
using plans = planned_records<heat>;

report::data const& heat_report() {
  static report::data const made =
      report::make<plans::counts>(plans::view(), plans::exchange, plans::memory, plans::swaps, plans::sync,
                                  plans::liveness, plans::cost, plans::advice);
  return made;
}

}  // namespace

TEST_CASE("a report says what each step is and costs") {
  report::data const& d = heat_report();
  REQUIRE(d.steps.size() == 5);
  CHECK(d.steps[0].title == "repeat 50 times");
  CHECK(d.steps[1].depth == 1);
  CHECK(d.steps[2].kind == "swap");
  CHECK(d.steps[2].title == "swap v and u<&\"'>");
  CHECK(d.steps[1].vertices[0].fields[0].access == "halo(1, 0)");
  CHECK(d.steps[1].vertices[0].fields[0].form == "gathered");
  CHECK(d.steps[1].cost.times == 50);
  CHECK(d.swaps == 1);
  REQUIRE(d.advice.size() == 1);
  CHECK(d.advice[0].find("dead") != std::string::npos);
}

TEST_CASE("text shows the tree, the exchange and the live ranges") {
  std::string const text = report::text(heat_report());
  INFO(text);
  CHECK(text.find("4 tiles, private memory") != std::string::npos);
  CHECK(text.find("repeat 50 times") != std::string::npos);
  CHECK(text.find("u<&\"'>: halo(1, 0) is gathered, 4 x 4608 B") != std::string::npos);
  CHECK(text.find(".#....") != std::string::npos);
  CHECK(text.find("advice: step 4 (jacobi) writes dead") != std::string::npos);
}

TEST_CASE("JSON can be read back") {
  nlohmann::json const read = nlohmann::json::parse(report::json(heat_report()));
  CHECK(read["machine"]["tiles"] == 4);
  CHECK(read["steps"][1]["vertices"][0]["fields"][0]["tensor"] == "u<&\"'>");
  CHECK(read["steps"][1]["cost"]["times"] == 50);
  CHECK(read["memory"][0]["arena_bytes"] == plans::memory.arena_bytes[0]);
  CHECK(read["advice"].size() == 1);
}

TEST_CASE("HTML escapes names and balances its tags") {
  std::string const page = report::html(heat_report());
  CHECK(page.find("<title>Program report</title>") != std::string::npos);
  report::data named = heat_report();
  named.title = "heat <2>";
  CHECK(report::html(named).find("<h1>heat &lt;2&gt;</h1>") != std::string::npos);
  CHECK(page.find("u<&") == std::string::npos);
  CHECK(page.find("u&lt;&amp;&quot;&#39;&gt;") != std::string::npos);
  for (std::string const tag : {"table", "tr", "td", "div", "svg", "rect", "p", "ul", "li", "span", "title"}) {
    auto const count = [&](std::string const& text) {
      int n = 0;
      for (std::size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) ++n;
      return n;
    };
    INFO(tag);
    CHECK(count("<" + tag + ">") + count("<" + tag + " ") == count("</" + tag + ">"));
  }
}

TEST_CASE("reports of random programs hold together") {
  constexpr record_counts n = random_program::capacity;
  for (int seed = 0; seed < 60; ++seed) {
    random_program const random(seed);
    auto const planned = std::make_unique<run_time_plans>(random.view());
    report::data const d = report::make<n>(random.view(), planned->exchange, planned->memory, planned->swaps,
                                           planned->sync, planned->liveness, planned->cost, planned->advice);
    double sum = 0;
    for (report::step_line const& line : d.steps) {
      CHECK(line.depth >= 0);
      if (line.cost.counted) sum += line.cost.times * line.cost.cycles();
    }
    CHECK(sum == doctest::Approx(d.cycles));
    CHECK(nlohmann::json::parse(report::json(d))["steps"].size() == d.steps.size());
    CHECK(!report::text(d).empty());
    CHECK(!report::html(d).empty());
  }
}

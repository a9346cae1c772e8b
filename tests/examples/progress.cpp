// SPDX-License-Identifier: Apache-2.0
#include "../../examples/models/detail/progress.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string>

namespace {

std::string written(std::FILE* file) {
  std::fflush(file);
  std::rewind(file);
  std::array<char, 4096> text;
  return {text.data(), std::fread(text.data(), 1, text.size(), file)};
}

}  // namespace

TEST_CASE("the line, its rate limit, and that it goes away") {
  using namespace std::chrono_literals;
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  auto const now = cli::progress::clock::now();
  {
    cli::progress progress("sentences", 200, file, true);
    progress.advance(32, now);
    progress.advance(32, now + 50ms);  // too early to be shown
    progress.advance(36, now + 150ms);
    CHECK(progress.line(now + 10s).starts_with("sentences 100/200, 50 %, "));
  }
  CHECK(written(file) == "\r\033[Ksentences 32/200, 16 %\r\033[Ksentences 100/200, 50 %\r\033[K");
  std::fclose(file);
}

TEST_CASE("nothing is written where there is no terminal") {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  CHECK(!cli::progress::is_terminal(file));
  {
    cli::progress progress("sentences", 0, file, false);
    progress.advance(5);
    CHECK(progress.line() == "sentences 5");
  }
  CHECK(written(file).empty());
  std::fclose(file);
}

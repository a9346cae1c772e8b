// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tessera/base/error.hpp>

#include <string>

TEST_CASE("every error is caught as ts::error and keeps its fields") {
  try {
    throw tessera::run_error("gather: index 12 of tensor ids is outside [0, 11)", "ids", 3);
  } catch (tessera::error const& e) {
    auto const* run = dynamic_cast<tessera::run_error const*>(&e);
    REQUIRE(run != nullptr);
    CHECK(run->tensor() == "ids");
    CHECK(run->tile() == 3);
    CHECK(std::string(e.what()) == "gather: index 12 of tensor ids is outside [0, 11)");
  }
  CHECK(tessera::io_error("a.npy: no such file", "a.npy").path() == "a.npy");
  CHECK(tessera::input_error("x has 3 elements, 4 expected", "x").subject() == "x");
  CHECK(tessera::run_error("stopped").tile() == -1);
}

// SPDX-License-Identifier: Apache-2.0
// The law that a result belongs to the program: the number of threads, how they share the tiles, the machine and the
// number of its tiles change nothing, not even a bit.
//
//   struct doubled {
//     template <class M> static std::vector<float> run(ts::engine_options const& options);   // the program on machine M
//   };
//   laws::check_invariant<doubled>();
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <string_view>
#include <vector>

#include <tessera/program/machine.hpp>
#include <tessera/runtime/engine.hpp>

namespace laws {

namespace ts = tessera;

/// Whether Program computes `want` on machine M with any number of threads.
template <class Program, class M>
void check_on(std::string_view machine, std::vector<float> const& want) {
  CAPTURE(machine);
  for (int threads : {1, 2, 3, 8})
    for (bool cyclic : {false, true}) {
      CAPTURE(threads);
      CAPTURE(cyclic);
      std::vector<float> const got = Program::template run<M>({.threads = threads, .cyclic = cyclic});
      REQUIRE(got.size() == want.size());
      CHECK(std::memcmp(got.data(), want.data(), got.size() * sizeof(float)) == 0);
    }
}

/// One tile, several, more than there are rows; memory shared and private.
template <class Program>
void check_invariant() {
  std::vector<float> const want = Program::template run<ts::machines::host<1>>({});
  REQUIRE_FALSE(want.empty());
  check_on<Program, ts::machines::host<1>>("host<1>", want);
  check_on<Program, ts::machines::host<5>>("host<5>", want);
  check_on<Program, ts::machines::host<64>>("host<64>", want);
  check_on<Program, ts::machines::bow>("bow", want);
}

}  // namespace laws

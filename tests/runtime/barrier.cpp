// SPDX-License-Identifier: Apache-2.0
// A barrier holds everybody until the last one arrives, round after round, spinning or sleeping.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <tessera/runtime/barrier.hpp>

namespace ts = tessera;

TEST_CASE("nobody passes before all have arrived, and all see what was written before") {
  for (bool spin : {false, true})
    for (int threads : {1, 2, 3, 5}) {
      CAPTURE(threads);
      CAPTURE(spin);
      constexpr int rounds = 300;
      ts::barrier meeting(threads, spin);
      std::vector<int> last(static_cast<std::size_t>(threads), -1);   // written without atomics: the barrier orders it
      std::atomic<int> wrong{0};
      std::vector<std::thread> team;
      for (int k = 0; k < threads; ++k)
        team.emplace_back([&, k] {
          for (int round = 0; round < rounds; ++round) {
            last[static_cast<std::size_t>(k)] = round;
            meeting.wait();
            for (int other : last)
              if (other != round) ++wrong;
            meeting.wait();
          }
        });
      for (std::thread& t : team) t.join();
      CHECK(wrong == 0);
    }
}

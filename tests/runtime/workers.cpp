// SPDX-License-Identifier: Apache-2.0
// A team of threads runs a job once on each thread and is done when all are.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <tessera/runtime/workers.hpp>

namespace ts = tessera;

TEST_CASE("every job runs once on every thread, the caller being the first") {
  for (int threads : {1, 2, 4, 9}) {
    ts::workers team(threads, true);
    CHECK(team.size() == threads);
    struct job {
      std::vector<std::atomic<int>> calls;
      std::thread::id first;
    } work{std::vector<std::atomic<int>>(static_cast<std::size_t>(threads)), {}};
    for (int round = 1; round <= 100; ++round) {
      team.run(
          [](void* context, int thread) {
            job& j = *static_cast<job*>(context);
            ++j.calls[static_cast<std::size_t>(thread)];
            if (thread == 0) j.first = std::this_thread::get_id();
          },
          &work);
      for (auto const& n : work.calls) REQUIRE(n == round);
    }
    CHECK(work.first == std::this_thread::get_id());
  }
}

TEST_CASE("a team that never works ends") {
  for (int i = 0; i < 20; ++i) ts::workers team(3, true);
}

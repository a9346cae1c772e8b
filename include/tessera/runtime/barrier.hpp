// SPDX-License-Identifier: Apache-2.0
// The barrier between supersteps: all threads of an engine meet.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <tessera/base/config.hpp>

namespace tessera {
TESSERA_ISA_BEGIN

namespace runtime_detail {
/// Tells the core that this thread is waiting for another.
inline void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
}  // namespace runtime_detail

/// A reusable barrier on acquire/release atomics. It spins for at most two microseconds, then sleeps; with `spin` false
/// (more threads than cores) it sleeps at once.
class barrier {
 public:
  barrier(int threads, bool spin) : threads_(threads), spin_(spin) {}

  /// Returns when all threads have called it. What each wrote before is visible to all after.
  void wait() {
    if (threads_ == 1) return;
    std::uint32_t const round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      // Sequentially consistent, as notify_all() looks for sleepers next: with release alone that look may come first,
      // find none, and leave a thread asleep that is just going to bed with the old round in its hand.
      round_.store(round + 1, std::memory_order_seq_cst);
      round_.notify_all();
      return;
    }
    if (spin_) {
      auto const give_up = std::chrono::steady_clock::now() + std::chrono::microseconds(2);
      do {
        for (int i = 0; i < 64; ++i) {
          if (round_.load(std::memory_order_acquire) != round) return;
          runtime_detail::pause();
        }
      } while (std::chrono::steady_clock::now() < give_up);
    }
    while (round_.load(std::memory_order_acquire) == round) round_.wait(round, std::memory_order_acquire);
  }

 private:
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
  int const threads_;
  bool const spin_;
};

TESSERA_ISA_END
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// A team of threads that does one thing at a time: the caller is thread 0, the others wait for work.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <tessera/base/config.hpp>
#include <tessera/base/error.hpp>
#include <tessera/runtime/barrier.hpp>

namespace tessera {
TESSERA_ISA_BEGIN

/// `threads` threads, the calling one included. Not to be used by two threads at once.
class workers {
 public:
  /// @param spin  whether a waiting thread may keep its core for some microseconds (there is a core for each)
  /// @throws run_error if the system does not give that many threads
  workers(int threads, bool spin) : spins_(spin ? 2000 : 0) {
    try {
      for (int k = 1; k < threads; ++k) threads_.emplace_back([this, k] { serve(k); });
    } catch (std::system_error const& e) {
      stop();
      throw run_error("tessera: cannot start " + std::to_string(threads) + " threads: " + e.what());
    }
  }
  workers(workers const&) = delete;
  workers& operator=(workers const&) = delete;
  ~workers() { stop(); }
  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls job(context, thread) once on every thread and returns when all have returned. Job must not throw.
  void run(void (*job)(void* context, int thread), void* context) {
    if (!threads_.empty()) {
      job_ = job;
      context_ = context;
      running_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
      start();
    }
    job(context, 0);
    for (int left = running_.load(std::memory_order_acquire); left != 0;
         left = running_.load(std::memory_order_acquire))
      running_.wait(left, std::memory_order_acquire);
  }

 private:
  void stop() {
    job_ = nullptr;
    start();
    for (auto& t : threads_) t.join();
  }
  void start() {
    round_.fetch_add(1, std::memory_order_seq_cst);   // before notify_all() looks for sleepers; see barrier.hpp
    round_.notify_all();
  }
  void serve(int k) {
    std::uint32_t seen = 0;
    for (;;) {
      std::uint32_t now = round_.load(std::memory_order_acquire);
      for (int spin = 0; now == seen && spin < spins_; ++spin) {
        runtime_detail::pause();
        now = round_.load(std::memory_order_acquire);
      }
      while (now == seen) {
        round_.wait(seen, std::memory_order_acquire);
        now = round_.load(std::memory_order_acquire);
      }
      seen = now;
      if (job_ == nullptr) return;
      job_(context_, k);
      if (running_.fetch_sub(1, std::memory_order_seq_cst) == 1) running_.notify_all();
    }
  }

  int const spins_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<int> running_{0};
  void (*job_)(void*, int) = nullptr;
  void* context_ = nullptr;
};

TESSERA_ISA_END
}  // namespace tessera

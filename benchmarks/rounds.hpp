// SPDX-License-Identifier: Apache-2.0
// Two ways to do one thing, timed in turn: A B A B …, so that the machine's drift meets both alike.
//
//   auto const r = tessera::benchmarks::alternate(11, [&] { ours(); }, [&] { theirs(); });   r.ratio is ours ÷ theirs
#pragma once

#include <tessera/simd/peak.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include <sys/resource.h>

namespace tessera::benchmarks {

/// Seconds of one call.
template <class Work>
double seconds(Work&& work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// How often another process has taken a core from this one.
inline long preemptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

/// Medians of the rounds; the ratio is the median of the rounds' ratios.
struct alternated {
  double ours = 0;
  double theirs = 0;
  double ratio = 0;
};

/// Times both `rounds` times, after one call of each that does not count.
template <class Ours, class Theirs>
alternated alternate(int rounds, Ours&& ours, Theirs&& theirs) {
  ours();
  theirs();
  std::vector<double> a, b, ratio;
  for (int i = 0; i < rounds; ++i) {
    a.push_back(seconds(ours));
    b.push_back(seconds(theirs));
    ratio.push_back(a.back() / b.back());
  }
  return {median(a), median(b), median(ratio)};
}

/// Calls `round` until `wanted` rounds were clean or `most` have passed, and `keep(peak)` after each clean one. In a
/// clean one nothing else ran on the core, and the multiply-add peak before and after was the machine's best so far;
/// `peak` is the mean of the two, GFLOP/s of one core.
/// @return how many were clean
template <class Round, class Keep>
std::size_t clean_rounds(Round&& round, Keep&& keep, std::size_t wanted = 25, int most = 400) {
  double best = 0;
  std::size_t clean = 0;
  for (int i = 0; i < most && clean < wanted; ++i) {
    long const before = preemptions();
    double const first = simd::fma_peak(3);
    round();
    double const second = simd::fma_peak(3);
    best = std::max({best, first, second});
    if (preemptions() != before || std::min(first, second) < 0.97 * best) continue;
    ++clean;
    keep((first + second) / 2);
  }
  return clean;
}

/// Speed of some work, by its clean rounds.
struct clean_speed {
  double gflops = 0;
  double percent = 0;      ///< of the multiply-add peak that was measured before and after
  std::size_t rounds = 0;
};

/// Times `work`, which takes `flops`. Medians.
template <class Work>
clean_speed speed_of(double flops, int threads, Work&& work) {
  double gflops = 0;
  std::vector<double> percent, speed;
  clean_rounds([&] { gflops = 1e-9 * flops / seconds(work); },
               [&](double peak) {
                 speed.push_back(gflops);
                 percent.push_back(100.0 * gflops / (peak * threads));
               });
  if (speed.empty()) return {};
  return {median(speed), median(percent), speed.size()};
}

}  // namespace tessera::benchmarks

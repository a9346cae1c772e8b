// SPDX-License-Identifier: Apache-2.0
#include "../reference/loops.hpp"
#include <tessera/simd/tail.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace simd = tessera::simd;

TEST_CASE_TEMPLATE("loops with tails touch the range and nothing else", T, float, double, std::int32_t) {
  for (int n = 0; n <= 4 * simd::lanes<T> + 1; ++n) {
    auto const size = static_cast<std::size_t>(n);
    // exactly n elements on the heap: a sanitizer sees any access beyond
    auto const from = std::make_unique<T[]>(size), to = std::make_unique<T[]>(size);
    for (int i = 0; i < n; ++i) from[static_cast<std::size_t>(i)] = static_cast<T>(i + 1);
    int calls = 0, partial = 0;
    simd::for_each_batch<T>(n, [&](int i, auto count) {
      ++calls;
      partial += count < simd::lanes<T> ? 1 : 0;
      auto const x = simd::load(from.get() + i, count);
      simd::store(to.get() + i, x + x, count);
    });
    CHECK(calls == (n + simd::lanes<T> - 1) / simd::lanes<T>);
    CHECK(partial == (n % simd::lanes<T> == 0 ? 0 : 1));
    for (int i = 0; i < n; ++i) CHECK(to[static_cast<std::size_t>(i)] == static_cast<T>(2 * (i + 1)));
  }
}

TEST_CASE_TEMPLATE("a partial load fills with zero, a partial store leaves the rest", T, float, double, std::int32_t) {
  constexpr int lanes = simd::lanes<T>;
  T from[lanes], to[lanes];
  for (int i = 0; i < lanes; ++i) from[i] = static_cast<T>(i + 1);
  for (int count = 0; count <= lanes; ++count) {
    simd::store(to, simd::load(from, count));
    for (int i = 0; i < lanes; ++i) CHECK(to[i] == (i < count ? from[i] : T{0}));
    for (T& value : to) value = static_cast<T>(-1);
    simd::store(to, simd::load(from), count);
    for (int i = 0; i < lanes; ++i) CHECK(to[i] == (i < count ? from[i] : static_cast<T>(-1)));
    simd::store(to, simd::keep(simd::load(from), count, static_cast<T>(-7)));
    for (int i = 0; i < lanes; ++i) CHECK(to[i] == (i < count ? from[i] : static_cast<T>(-7)));
  }
}

TEST_CASE_TEMPLATE("reductions over lanes", T, float, double, std::int32_t) {
  constexpr int lanes = simd::lanes<T>;
  T values[lanes];
  for (int position = 0; position < lanes; ++position) {
    for (int i = 0; i < lanes; ++i) values[i] = static_cast<T>(i == position ? 100 : -i);
    T sum{};
    for (T value : values) sum = static_cast<T>(sum + value);
    CHECK(simd::hsum(simd::load(values)) == sum);
    CHECK(simd::hmax(simd::load(values)) == static_cast<T>(100));
  }
}

TEST_CASE_TEMPLATE("multiply-add, minimum and maximum", T, float, double) {
  auto const first = [](simd::batch<T> const& x) {
    T lane[simd::lanes<T>];
    simd::store(lane, x);
    return lane[0];
  };
  auto const b = [](T x) { return simd::broadcast(x); };
  T const nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(first(simd::fma(b(2), b(3), b(4))) == 10);
  CHECK(first(simd::fnma(b(2), b(3), b(4))) == -2);
  CHECK(first(simd::min(b(2), b(3))) == 2);
  CHECK(first(simd::max(b(2), b(3))) == 3);
  CHECK(first(simd::min(b(nan), b(3))) == 3);
  CHECK(first(simd::max(b(nan), b(3))) == 3);
  CHECK(std::isnan(first(simd::min(b(3), b(nan)))));
  CHECK(std::isnan(first(simd::max(b(3), b(nan)))));
  CHECK(first(simd::div(b(1), b(3))) == T{1} / T{3});
  CHECK(first(simd::sqrt(b(2))) == std::sqrt(T{2}));
#if defined(__FMA__) || defined(__aarch64__)
  // rounded once: (1 + e)² - (1 + 2e) = e² survives
  T const e = std::numeric_limits<T>::epsilon();
  CHECK(first(simd::fma(b(1 + e), b(1 + e), b(-(1 + 2 * e)))) == e * e);
#endif
}

// SPDX-License-Identifier: Apache-2.0
#include "../reference/loops.hpp"
#include <tessera/simd/math.hpp>
#include <tessera/simd/tail.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace simd = tessera::simd;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

enum class unit { ulp, of_argument };  // of_argument: 2^-24 |x|, one denormal at least

// The largest error over every `step`-th float of both signs, all exponents, infinities and NaN included.
template <class Function, class Exact>
double largest_error(Function function, Exact exact, unit measure, std::uint64_t step = 977) {
  double worst = 0.0;
  constexpr int block = 1024;
  std::vector<float> x(block), y(block);
  for (std::uint64_t base = 0; base < 0x100000000u; base += block * step) {
    for (std::uint64_t i = 0; i < block; ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(base + i * step));
    simd::for_each_batch<float>(
        block, [&](int i, auto count) { simd::store(y.data() + i, function(simd::load(x.data() + i, count)), count); });
    for (std::size_t i = 0; i < block; ++i) {
      double const want = exact(double{x[i]});
      if (std::isnan(want)) {
        if (!std::isnan(y[i])) return infinity;
      } else if (std::isinf(static_cast<float>(want)) || std::isinf(y[i])) {
        if (static_cast<float>(want) != y[i]) return infinity;
      } else if (std::isnan(y[i])) {
        return infinity;
      } else {
        double const size = measure == unit::ulp ? reference::ulp(want) : std::abs(double{x[i]}) * 0x1p-24 + 0x1p-149;
        worst = std::max(worst, std::abs(double{y[i]} - want) / size);
      }
    }
  }
  return worst;
}

template <class Function>
float one(Function function, float x) {
  float lane[simd::lanes<float>];
  simd::store(lane, function(simd::broadcast(x)));
  return lane[0];
}

}  // namespace

TEST_CASE("elementary functions stay within two units in the last place") {
  auto const exp = [](auto x) { return simd::exp(x); };
  auto const exp2 = [](auto x) { return simd::exp2(x); };
  auto const tanh = [](auto x) { return simd::tanh(x); };
  auto const erf = [](auto x) { return simd::erf(x); };
  auto const rsqrt = [](auto x) { return simd::rsqrt(x); };
  auto const log = [](auto x) { return simd::log(x); };
  CHECK(largest_error(exp, [](double x) { return std::exp(x); }, unit::ulp) <= 2.0);
  CHECK(largest_error(exp2, [](double x) { return std::exp2(x); }, unit::ulp) <= 2.0);
  CHECK(largest_error(tanh, [](double x) { return std::tanh(x); }, unit::ulp) <= 2.0);
  CHECK(largest_error(erf, [](double x) { return std::erf(x); }, unit::ulp) <= 2.0);
  CHECK(largest_error(rsqrt, [](double x) { return 1.0 / std::sqrt(x); }, unit::ulp) <= 2.0);
  CHECK(largest_error(log, [](double x) { return std::log(x); }, unit::ulp) <= 2.0);
}

TEST_CASE("activations stay within their stated bounds") {
  auto const at_infinity = [](double x, double limit, auto exact) {
    return std::isinf(x) && x < 0.0 ? limit : exact(x);
  };
  CHECK(largest_error([](auto x) { return simd::sigmoid(x); }, reference::sigmoid, unit::ulp) <= 3.0);
  CHECK(largest_error([](auto x) { return simd::gelu_erf(x); },
                      [&](double x) { return at_infinity(x, 0.0, reference::gelu_erf); }, unit::of_argument) <= 2.0);
  CHECK(largest_error([](auto x) { return simd::gelu_tanh(x); },
                      [&](double x) { return at_infinity(x, not_a_number, reference::gelu_tanh); },
                      unit::of_argument) <= 3.0);
}

TEST_CASE("special arguments") {
  auto const exp = [](auto x) { return simd::exp(x); };
  CHECK(one(exp, 0.0f) == 1.0f);
  CHECK(one(exp, -0.0f) == 1.0f);
  CHECK(one(exp, infinity) == infinity);
  CHECK(one(exp, -infinity) == 0.0f);
  CHECK(std::isnan(one(exp, not_a_number)));
  // ln of the largest float lies between these neighbours
  CHECK(one(exp, 0x1.62e42ep6f) < infinity);
  CHECK(one(exp, 0x1.62e430p6f) == infinity);
  CHECK(one(exp, -103.0f) == 0x1p-149f);  // e^-103 is 1.45 times the smallest denormal
  CHECK(one(exp, -104.0f) == 0.0f);

  auto const exp2 = [](auto x) { return simd::exp2(x); };
  CHECK(one(exp2, 10.0f) == 1024.0f);
  CHECK(one(exp2, infinity) == infinity);
  CHECK(one(exp2, -infinity) == 0.0f);
  CHECK(std::isnan(one(exp2, not_a_number)));
  CHECK(one(exp2, 128.0f) == infinity);
  CHECK(one(exp2, -149.0f) == 0x1p-149f);
  CHECK(one(exp2, -151.0f) == 0.0f);

  auto const tanh = [](auto x) { return simd::tanh(x); };
  CHECK(one(tanh, infinity) == 1.0f);
  CHECK(one(tanh, -infinity) == -1.0f);
  CHECK(std::signbit(one(tanh, -0.0f)));
  CHECK(one(tanh, 0x1p-149f) == 0x1p-149f);
  CHECK(std::isnan(one(tanh, not_a_number)));

  auto const erf = [](auto x) { return simd::erf(x); };
  CHECK(one(erf, infinity) == 1.0f);
  CHECK(one(erf, -infinity) == -1.0f);
  CHECK(std::signbit(one(erf, -0.0f)));
  CHECK(std::isnan(one(erf, not_a_number)));

  auto const rsqrt = [](auto x) { return simd::rsqrt(x); };
  CHECK(one(rsqrt, 4.0f) == 0.5f);
  CHECK(one(rsqrt, 0.0f) == infinity);
  CHECK(one(rsqrt, -0.0f) == -infinity);
  CHECK(one(rsqrt, infinity) == 0.0f);
  CHECK(std::isnan(one(rsqrt, -1.0f)));

  auto const log = [](auto x) { return simd::log(x); };
  CHECK(one(log, 1.0f) == 0.0f);
  CHECK(one(log, 0.0f) == -infinity);
  CHECK(one(log, -0.0f) == -infinity);
  CHECK(one(log, infinity) == infinity);
  CHECK(std::isnan(one(log, -1.0f)));
  CHECK(std::isnan(one(log, not_a_number)));

  CHECK(one([](auto x) { return simd::sigmoid(x); }, -90.0f) > 0.0f);  // a denormal
  CHECK(one([](auto x) { return simd::gelu_erf(x); }, infinity) == infinity);
  CHECK(one([](auto x) { return simd::gelu_erf(x); }, -infinity) == 0.0f);
  CHECK(std::isnan(one([](auto x) { return simd::gelu_erf(x); }, not_a_number)));
  CHECK(one([](auto x) { return simd::gelu_tanh(x); }, infinity) == infinity);
}

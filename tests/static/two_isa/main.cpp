// SPDX-License-Identifier: Apache-2.0
// Objects compiled for three instruction sets from one source, in one program: each does its own work.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

std::vector<float> kernel_v2(std::vector<float> const& values, int* lanes);
std::vector<float> kernel_v3(std::vector<float> const& values, int* lanes);
std::vector<float> kernel_v4(std::vector<float> const& values, int* lanes);

int main() {
  std::vector<float> values(1003);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 79) * 0.25f - 9.0f;
  int failures = 0;
  auto check = [&](char const* isa, bool runs, std::vector<float> (*kernel)(std::vector<float> const&, int*), int expected) {
    if (!runs) {
      std::printf("%s: not on this CPU\n", isa);
      return;
    }
    int lanes = 0;
    std::vector<float> const result = kernel(values, &lanes);
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      double const exact = 2 * std::exp(double(values[i]));
      worst = std::fmax(worst, std::fabs(double(result[i]) - exact) / exact);
    }
    std::printf("%s: %d lanes (%d expected), relative error %.3g\n", isa, lanes, expected, worst);
    if (lanes != expected || !(worst < 4e-7)) ++failures;
  };
  check("v2", __builtin_cpu_supports("sse4.2"), kernel_v2, 4);
  check("v3", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), kernel_v3, 8);
  check("v4", __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"), kernel_v4, 16);
  return failures == 0 ? 0 : 1;
}

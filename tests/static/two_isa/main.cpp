// SPDX-License-Identifier: Apache-2.0
// Objects compiled for three instruction sets from one source, in one program: each does its own work.
#include <cmath>
#include <cstdio>
#include <vector>

int kernel_v2(float const* values, int count, float* sum);
int kernel_v3(float const* values, int count, float* sum);
int kernel_v4(float const* values, int count, float* sum);

int main() {
  std::vector<float> values(1003);
  double expected = 0;
  for (int i = 0; i < 1003; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<float>(i % 7) * 0.25f;
    expected += std::exp(double(values[static_cast<std::size_t>(i)]));
  }
  int failures = 0;
  auto check = [&](char const* isa, bool runs, int (*kernel)(float const*, int, float*), int lanes) {
    if (!runs) {
      std::printf("%s: not on this CPU\n", isa);
      return;
    }
    float sum = 0;
    int const got = kernel(values.data(), static_cast<int>(values.size()), &sum);
    std::printf("%s: %d lanes (%d expected), sum %.9g (%.9g expected)\n", isa, got, lanes, double(sum), expected);
    if (got != lanes || !(std::fabs(double(sum) - expected) <= 1e-6 * expected)) ++failures;
  };
  check("v2", __builtin_cpu_supports("sse4.2"), kernel_v2, 4);
  check("v3", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), kernel_v3, 8);
  check("v4", __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"), kernel_v4, 16);
  return failures == 0 ? 0 : 1;
}

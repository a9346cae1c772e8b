// SPDX-License-Identifier: Apache-2.0
// Objects compiled for three instruction sets from one source, in one program: each does its own work.
#include <cstdio>
#include <vector>

int kernel_v2(float const* values, int count);
int kernel_v3(float const* values, int count);
int kernel_v4(float const* values, int count);

int main() {
  std::vector<float> const ones(1000, 1.0f);
  int failures = 0;
  auto check = [&](char const* isa, bool runs, int (*kernel)(float const*, int), int lanes) {
    if (!runs) {
      std::printf("%s: not on this CPU\n", isa);
      return;
    }
    int const got = kernel(ones.data(), static_cast<int>(ones.size()));
    std::printf("%s: %d lanes, %d expected\n", isa, got, lanes);
    if (got != lanes) ++failures;
  };
  check("v2", __builtin_cpu_supports("sse4.2"), kernel_v2, 4);
  check("v3", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), kernel_v3, 8);
  check("v4", __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"), kernel_v4, 16);
  return failures == 0 ? 0 : 1;
}

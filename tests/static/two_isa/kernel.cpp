// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set, with KERNEL as the name of what it exports. Everything from simd/ up lies in a
// namespace named after the ISA, so the copies do not collide and each keeps its own instructions.
#include <tessera/simd.hpp>

namespace simd = tessera::simd;

namespace tessera {
TESSERA_ISA_BEGIN

// Not inlined and a template: without the namespace the linker would keep one of the three for all.
template <class T>
TESSERA_NOINLINE T sum_of_exponentials(T const* values, int count) {
  auto sum = simd::broadcast(T(0));
  int i = 0;
  for (; i + simd::lanes<T> <= count; i += simd::lanes<T>) sum = sum + simd::exp(simd::load(values + i));
  T result = simd::hsum(sum);
  for (; i < count; ++i) {
    T lanes[simd::lanes<T>];
    simd::store(lanes, simd::exp(simd::broadcast(values[i])));
    result += lanes[0];
  }
  return result;
}

TESSERA_ISA_END
}  // namespace tessera

/// The lanes of a batch here; writes the sum of exp(values) to `sum`.
int KERNEL(float const* values, int count, float* sum) {
  *sum = tessera::sum_of_exponentials(values, count);
  return simd::lanes<float>;
}

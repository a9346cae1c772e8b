// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set, with KERNEL as the name of what it exports. Everything from simd/ up lies in a
// namespace named after the ISA, so the copies do not collide and each keeps its own instructions.
#include <tessera/base/config.hpp>
#if __has_include(<tessera/tessera.hpp>)
#include <tessera/tessera.hpp>
#endif

namespace tessera {
TESSERA_ISA_BEGIN

/// Bytes of the vector register that the compiler may use here.
template <class T>
TESSERA_NOINLINE int lanes(T const* values, int count) {
#if defined(__AVX512F__)
  constexpr int bytes = 64;
#elif defined(__AVX2__)
  constexpr int bytes = 32;
#else
  constexpr int bytes = 16;
#endif
  T sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum == T(count) ? bytes / static_cast<int>(sizeof(T)) : -1;
}

TESSERA_ISA_END
}  // namespace tessera

int KERNEL(float const* values, int count) { return tessera::lanes(values, count); }

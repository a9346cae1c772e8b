// SPDX-License-Identifier: Apache-2.0
// Counts every operator new of a program. Include it in one file: it replaces the global operators, except under
// ThreadSanitizer, whose own must stay; then `laws::allocations` remains 0 and `laws::counts_allocations` is false.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#define LAWS_COUNTS_ALLOCATIONS 1
#if defined(__SANITIZE_THREAD__)
#undef LAWS_COUNTS_ALLOCATIONS
#define LAWS_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef LAWS_COUNTS_ALLOCATIONS
#define LAWS_COUNTS_ALLOCATIONS 0
#endif
#endif

namespace laws {

inline std::atomic<long> allocations{0};

inline constexpr bool counts_allocations = LAWS_COUNTS_ALLOCATIONS == 1;

inline void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* const p = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace laws

#if LAWS_COUNTS_ALLOCATIONS
// Not inlined: GCC would see malloc() and delete, or new and free(), and warn.
void* operator new(std::size_t bytes) { return laws::counted(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return laws::counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t a) { return laws::counted(bytes, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return laws::counted(bytes, static_cast<std::size_t>(a)); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
#endif

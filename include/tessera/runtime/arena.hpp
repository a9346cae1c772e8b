// SPDX-License-Identifier: Apache-2.0
// Memory for tiles: one aligned block, zeroed, in large pages where the system gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <sys/mman.h>

#include <tessera/base/config.hpp>
#include <tessera/base/error.hpp>

namespace tessera {
TESSERA_ISA_BEGIN

/// When the pages of an arena become memory of this process.
enum class arena_pages {
  at_once,           ///< so that the first run is as fast as every other
  when_written       ///< so that what they are filled from, a page at a time, can go as they come
};

/// A block of memory aligned to 64 bytes; zero, or all bits set (NaN) where TESSERA_CHECKED is 1.
class arena {
 public:
  arena() = default;
  /// @throws run_error if there is not so much memory
  explicit arena(std::int64_t bytes, arena_pages pages = arena_pages::at_once) : bytes_(bytes) {
    if (bytes == 0) return;
    auto const size = static_cast<std::size_t>(bytes);
    std::size_t const alignment = size >= large_page ? large_page : 64;
    std::size_t const rounded = (size + alignment - 1) / alignment * alignment;
    if (pages == arena_pages::when_written && alignment == large_page && !TESSERA_CHECKED) {
      data_ = mapped(rounded);
    } else {
      data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
    }
    if (data_ == nullptr) throw run_error("tessera: no " + std::to_string(rounded) + " bytes of memory");
    if (alignment == large_page) ::madvise(data_.get(), rounded, MADV_HUGEPAGE);
    if (data_.get_deleter().mapped == 0) std::memset(data_.get(), TESSERA_CHECKED ? 0xff : 0, rounded);
  }
  std::byte* data() const { return data_.get(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t large_page = std::size_t{1} << 21;

  struct release {
    std::size_t mapped;   ///< bytes of a mapping; 0 for memory of the heap
    void operator()(std::byte* p) const {
      if (mapped != 0) ::munmap(p, mapped);
      else std::free(p);
    }
  };
  using block = std::unique_ptr<std::byte, release>;

  /// Fresh pages, which are zero, from an address for large ones; null if there are not so many.
  static block mapped(std::size_t bytes) {
    void* const all = ::mmap(nullptr, bytes + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return {};
    auto* const begin = static_cast<std::byte*>(all);
    std::size_t const before = (large_page - reinterpret_cast<std::uintptr_t>(begin) % large_page) % large_page;
    if (before != 0) ::munmap(begin, before);
    ::munmap(begin + before + bytes, large_page - before);   // never empty
    return block(begin + before, release{bytes});
  }

  block data_;
  std::int64_t bytes_ = 0;
};

TESSERA_ISA_END
}  // namespace tessera

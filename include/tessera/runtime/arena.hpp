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

/// A block of memory aligned to 64 bytes; zero, or all bits set (NaN) where TESSERA_CHECKED is 1.
class arena {
 public:
  arena() = default;
  /// @throws run_error if there is not so much memory
  explicit arena(std::int64_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    std::size_t const large_page = std::size_t{1} << 21;
    auto const size = static_cast<std::size_t>(bytes);
    std::size_t const alignment = size >= large_page ? large_page : 64;
    std::size_t const rounded = (size + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
    if (data_ == nullptr) throw run_error("tessera: no " + std::to_string(rounded) + " bytes of memory");
    if (alignment == large_page) ::madvise(data_.get(), rounded, MADV_HUGEPAGE);
    std::memset(data_.get(), TESSERA_CHECKED ? 0xff : 0, rounded);
  }
  std::byte* data() const { return data_.get(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  struct release {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, release> data_;
  std::int64_t bytes_ = 0;
};

TESSERA_ISA_END
}  // namespace tessera

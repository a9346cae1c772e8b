// SPDX-License-Identifier: Apache-2.0
// A file's bytes as memory: mapped read-only, nothing copied, pages read when they are touched.
//
//   auto file = ts::mapped_file::open("model.safetensors");   file.bytes().size()  ->  90868376
//
// Another process that shortens the file while it is mapped kills the reader (SIGBUS); no reader of mapped files can
// prevent that. Files written with atomic_file are replaced, never shortened.
#pragma once

#include <tessera/base/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tessera {

/// Owns the read-only mapping of one regular file; movable, not copyable.
class mapped_file {
 public:
  /// Maps nothing; bytes() is empty.
  mapped_file() = default;

  /// Maps the whole file.
  /// @throws io_error  if it cannot be opened, is no regular file (a directory, a pipe) or cannot be mapped
  static mapped_file open(std::string path) {
    int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) throw io_error(path + ": cannot be opened: " + std::strerror(errno), path);
    struct closer {
      int descriptor;
      ~closer() { ::close(descriptor); }
    } const close_at_end{descriptor};
    struct stat status{};
    if (::fstat(descriptor, &status) != 0) throw io_error(path + ": cannot be read: " + std::strerror(errno), path);
    if (!S_ISREG(status.st_mode)) throw io_error(path + ": is not a regular file", path);
    mapped_file result;
    result.size_ = static_cast<std::size_t>(status.st_size);
    if (result.size_ != 0) {  // mmap refuses an empty range
      void* const memory = ::mmap(nullptr, result.size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (memory == MAP_FAILED) throw io_error(path + ": cannot be mapped: " + std::strerror(errno), path);
      result.memory_ = static_cast<std::byte*>(memory);
    }
    result.path_ = std::move(path);
    return result;
  }

  mapped_file(mapped_file&& other) noexcept
      : path_(std::move(other.path_)),
        memory_(std::exchange(other.memory_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  mapped_file& operator=(mapped_file&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~mapped_file() {
    if (memory_ != nullptr) ::munmap(memory_, size_);
  }

  /// The content; valid as long as this object (or the one it was moved into) lives.
  std::span<std::byte const> bytes() const noexcept { return {memory_, size_}; }
  /// The path it was opened with.
  std::string const& path() const noexcept { return path_; }

  /// Gives the pages with `part` (a piece of bytes()) back to the system: they stop counting as this process's memory
  /// and are read again if touched again, as are the neighbours on its first and last page. Call it when a tensor has
  /// been packed.
  void release(std::span<std::byte const> part) const noexcept {
    auto const page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    auto const begin = reinterpret_cast<std::uintptr_t>(part.data()) / page * page;
    auto const stop = reinterpret_cast<std::uintptr_t>(part.data() + part.size());
    if (!part.empty()) ::madvise(reinterpret_cast<void*>(begin), stop - begin, MADV_DONTNEED);
  }

 private:
  std::string path_;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Writing a file so that it is there completely or not at all.
//
//   ts::atomic_file file("out/y.npy");   file.write(header);   file.write(data);   file.commit();
//
// The bytes go to a new file beside the target; commit() flushes it to the disk and renames it. Without commit(), after
// an exception for instance, the target is untouched and the other file is gone.
#pragma once

#include <tessera/base/error.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tessera {

/// A file being written; it takes its name at commit(). Neither movable nor copyable.
class atomic_file {
 public:
  /// Creates the file beside `path`. A symbolic link is followed; an existing target keeps its permissions.
  /// @throws io_error  if the folder is missing or not writable, or the target exists and is no writable regular file
  explicit atomic_file(std::string path) : path_(std::move(path)), target_(path_) {
    if (path_.empty()) throw io_error("a file to be written needs a name");
    ::mode_t mode = 0666;
    struct stat status{};
    if (::lstat(target_.c_str(), &status) == 0) {
      if (S_ISLNK(status.st_mode)) {
        std::error_code failure;
        target_ = std::filesystem::canonical(path_, failure).string();
        if (failure) throw io_error(path_ + ": is a link that leads nowhere", path_);
        if (::stat(target_.c_str(), &status) != 0) fail("cannot be written");
      }
      if (!S_ISREG(status.st_mode)) throw io_error(path_ + ": exists and is not a regular file", path_);
      if (::access(target_.c_str(), W_OK) != 0) fail("cannot be written");
      mode = status.st_mode & 07777;
      replaces_ = true;
    }
    static std::atomic<unsigned> serial{0};
    do {  // the name is free unless a process of the same number died here
      temporary_ = target_ + "." + std::to_string(::getpid()) + "." + std::to_string(serial++) + ".part";
      descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail("cannot be written");
    if (replaces_ && ::fchmod(descriptor_, mode) != 0) abandon("cannot be given its permissions");
  }
  atomic_file(atomic_file const&) = delete;
  atomic_file& operator=(atomic_file const&) = delete;
  ~atomic_file() { discard(); }

  /// Appends bytes.
  /// @throws io_error  if the disk is full or fails; the file is then given up
  void write(std::span<std::byte const> bytes) {
    if (descriptor_ < 0) throw io_error(path_ + ": is no longer open for writing", path_);
    while (!bytes.empty()) {
      ::ssize_t const count = ::write(descriptor_, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) abandon("cannot be written");
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }
  /// Appends text.
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

  /// Flushes everything to the disk and gives the file its name, replacing what had it.
  /// @throws io_error  if that fails; the target is then as it was before
  void commit() {
    if (descriptor_ < 0) throw io_error(path_ + ": is no longer open for writing", path_);
    // EINVAL: the file system has nothing to flush to.
    if (::fsync(descriptor_) != 0 && errno != EINVAL) abandon("cannot be flushed to the disk");
    if (::close(std::exchange(descriptor_, -1)) != 0) abandon("cannot be written");
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) abandon("cannot be put in place");
    temporary_.clear();
    auto folder = std::filesystem::path(target_).parent_path();
    if (folder.empty()) folder = ".";
    // The rename itself reaches the disk with the folder. The file is whole either way, hence no error from here on.
    if (int const descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); descriptor >= 0) {
      ::fsync(descriptor);
      ::close(descriptor);
    }
  }

 private:
  [[noreturn]] void fail(char const* what) const {
    throw io_error(path_ + ": " + what + ": " + std::strerror(errno), path_);
  }
  [[noreturn]] void abandon(char const* what) {
    int const cause = errno;
    discard();
    errno = cause;
    fail(what);
  }
  void discard() noexcept {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
  }

  std::string path_;    // as given: what messages name
  std::string target_;  // behind links
  std::string temporary_;
  int descriptor_ = -1;
  bool replaces_ = false;
};

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// A text file or the standard input, line by line, in bounded memory.
//
//   ts::text_lines lines("sentences.txt");   while (auto line = lines.next()) use(*line);
//
// A line is handed out as soon as it is complete, so that a terminal or a pipe can be answered line by line.
#pragma once

#include <tessera/base/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace tessera {

/// Reads lines that end in "\n" or "\r\n"; the last one may end with the file. Neither movable nor copyable.
class text_lines {
 public:
  /// Opens `path`, or the standard input for "-".
  /// @param longest  bytes of the longest line accepted
  /// @throws io_error  if it cannot be opened
  explicit text_lines(std::string path, std::size_t longest = std::size_t{1} << 20)
      : path_(path == "-" ? "standard input" : path), longest_(longest) {
    if (path == "-") {
      descriptor_ = STDIN_FILENO;
      return;
    }
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw io_error(path_ + ": cannot be opened: " + std::strerror(errno), path_);
  }
  text_lines(text_lines const&) = delete;
  text_lines& operator=(text_lines const&) = delete;
  ~text_lines() {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  /// The next line without its end, or nothing at the end of the file; valid until the next call.
  /// @throws io_error  if reading fails or the line is too long
  std::optional<std::string_view> next() {
    for (std::size_t searched = used_;;) {
      std::size_t const stop = buffer_.find('\n', searched);
      if (stop != std::string::npos || (at_end_ && used_ < buffer_.size())) {
        std::string_view line = std::string_view(buffer_).substr(used_, std::min(stop, buffer_.size()) - used_);
        used_ = stop == std::string::npos ? buffer_.size() : stop + 1;
        if (line.ends_with('\r')) line.remove_suffix(1);
        ++number_;
        if (line.size() > longest_) fail_too_long(number_);
        return line;
      }
      if (at_end_) return std::nullopt;
      buffer_.erase(0, std::exchange(used_, 0));  // once per read, not per line: lines may be short
      if (buffer_.size() > longest_ + 1) fail_too_long(number_ + 1);
      searched = buffer_.size();
      read_more();
    }
  }
  /// The number, from 1, of the line handed out last.
  std::size_t number() const noexcept { return number_; }
  /// What messages call the source: the path, or "standard input".
  std::string const& path() const noexcept { return path_; }

 private:
  [[noreturn]] void fail_too_long(std::size_t line) const {
    throw io_error(path_ + ": line " + std::to_string(line) + " is longer than " + std::to_string(longest_) + " bytes",
                   path_);
  }
  void read_more() {
    constexpr std::size_t piece = 65536;
    std::size_t const before = buffer_.size();
    buffer_.resize(before + piece);
    ::ssize_t count;
    do count = ::read(descriptor_, buffer_.data() + before, piece);
    while (count < 0 && errno == EINTR);
    int const cause = errno;
    buffer_.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count < 0) throw io_error(path_ + ": cannot be read: " + std::strerror(cause), path_);
    at_end_ = count == 0;
  }

  std::string path_;
  std::size_t longest_;
  int descriptor_ = -1;
  std::string buffer_;  // `used_` bytes handed out, then what is still to come
  std::size_t used_ = 0, number_ = 0;
  bool at_end_ = false;
};

}  // namespace tessera

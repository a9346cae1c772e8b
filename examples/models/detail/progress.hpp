// SPDX-License-Identifier: Apache-2.0
// How far a program is, on a terminal.
//
//   cli::progress progress("sentences", 1000);   progress.advance(32);  ->  sentences 32/1000, 3 %, 410/s
//
// Writes to the standard error, and only if that is a terminal: logs and pipes stay clean. Own code because the library
// made for it, indicators, is in no Debian release, and one line that is written over takes thirty lines.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace cli {

/// One line that counts up and goes away with the object.
class progress {
 public:
  using clock = std::chrono::steady_clock;

  /// @param noun   what is counted
  /// @param total  how many there will be; 0 if that is not known
  /// @param to     where it is written
  /// @param shown  whether it is written at all
  explicit progress(std::string noun, std::uint64_t total = 0, std::FILE* to = stderr, bool shown = is_terminal(stderr))
      : noun_(std::move(noun)), total_(total), to_(to), shown_(shown) {}
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  ~progress() { clear(); }

  /// Whether lines written over and over make sense there.
  static bool is_terminal(std::FILE* file) {
    char const* const kind = std::getenv("TERM");
    return ::isatty(::fileno(file)) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
  }

  /// Counts `more`, and rewrites the line unless that was done less than a tenth of a second ago.
  void advance(std::uint64_t more = 1, clock::time_point now = clock::now()) {
    done_ += more;
    if (!shown_ || (drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
    drawn_ = true;
    last_ = now;
    std::fprintf(to_, "\r\033[K%s", line(now).c_str());
    std::fflush(to_);
  }
  /// Takes the line away, so that something else can be printed.
  void clear() {
    if (!drawn_) return;
    drawn_ = false;
    std::fputs("\r\033[K", to_);
    std::fflush(to_);
  }
  /// The line as it stands; at most 79 columns if the noun is short.
  std::string line(clock::time_point now = clock::now()) const {
    std::string text = noun_ + " " + std::to_string(done_);
    if (total_ != 0) {
      auto const percent = 100.0 * static_cast<double>(std::min(done_, total_)) / static_cast<double>(total_);
      text += "/" + std::to_string(total_) + ", " + std::to_string(static_cast<int>(percent)) + " %";
    }
    auto const seconds = std::chrono::duration<double>(now - begin_).count();
    if (seconds > 0.5) {  // a rate over less says nothing
      auto const rate = static_cast<std::uint64_t>(static_cast<double>(done_) / seconds);
      text += ", " + std::to_string(rate) + "/s";
    }
    return text;
  }

 private:
  std::string noun_;
  std::uint64_t total_, done_ = 0;
  std::FILE* to_;
  bool shown_, drawn_ = false;
  clock::time_point begin_ = clock::now(), last_{};
};

}  // namespace cli

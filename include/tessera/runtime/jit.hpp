// SPDX-License-Identifier: Apache-2.0
// Compiling on demand: a generated source becomes code of this process, once, and comes from a cache afterwards.
//
//   std::string const source = "#include <tessera/tile.hpp>\n… TESSERA_ENTRY void run(float*) {…}";
//   ts::jit::library const code = ts::jit::compile(source, "run", {.title = "the model of 7 layers"});
//   code.entry<void(float*)>()(values);
//
// A source holds numbers and enumerators that were parsed, never text that a user gave. It marks its one entry, a
// function that throws nothing, with TESSERA_ENTRY; all else in it stays hidden.
#pragma once

#include <tessera/base/config.hpp>
#include <tessera/base/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <spawn.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#define TESSERA_DETAIL_TEXT_(x) #x
#define TESSERA_DETAIL_TEXT(x) TESSERA_DETAIL_TEXT_(x)

namespace tessera::jit {
TESSERA_ISA_BEGIN

/// How sources are compiled. What is empty is found out.
struct options {
  std::string title = "a program";   ///< what the source is, for messages
  std::string compiler = {};         ///< a GCC or clang, arguments may follow; empty: $CXX, else c++
  std::vector<std::string> flags = {};   ///< after those of the library (C++20, -O3, this program's instruction set)
  std::string headers = {};          ///< the folder with tessera/tile.hpp; empty: $TESSERA_INCLUDE, else this header's
  std::string cache = {};            ///< empty: $XDG_CACHE_HOME/tessera, else ~/.cache/tessera
  bool allowed = true;               ///< whether a compiler may run; if not, only the cache is looked at
  std::function<void(std::string const&)> progress = {};   ///< called with a line before a compiler runs
};

/// Compiled code with one entry. Copies share it; it stays in memory until the last one is gone.
class library {
 public:
  /// @param path  a shared object that has `entry`
  /// @throws io_error if it cannot be loaded
  library(std::string const& path, char const* entry)
      : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
          if (handle != nullptr) ::dlclose(handle);
        }) {
    if (handle_ == nullptr) throw io_error(path + ": cannot be loaded: " + ::dlerror(), path);
    entry_ = ::dlsym(handle_.get(), entry);
    if (entry_ == nullptr) throw io_error(path + ": has no " + std::string(entry), path);
  }
  /// The entry as a function of type F, which the source must have given it.
  template <class F>
  F* entry() const {
    return reinterpret_cast<F*>(entry_);
  }

 private:
  std::shared_ptr<void> handle_;
  void* entry_ = nullptr;
};

namespace detail {

inline std::string variable(char const* name) {
  char const* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

inline std::vector<std::string> words_of(std::string const& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

inline std::string content_of(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// FNV-1a (Fowler, Noll, Vo), twice with different beginnings: 128 bits.
class fingerprint {
 public:
  void add(std::string_view text) {
    for (char const c : text) add(static_cast<unsigned char>(c));
    add(0);   // "ab", "c" is not "a", "bc"
  }
  std::string hex() const {
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(a_),
                  static_cast<unsigned long long>(b_));
    return text;
  }

 private:
  void add(unsigned char c) {
    a_ = (a_ ^ c) * 0x100000001b3u;
    b_ = (b_ ^ c) * 0x100000001b3u;
  }
  std::uint64_t a_ = 0xcbf29ce484222325u, b_ = 0x84222325cbf29ce4u;
};

/// Runs a command without a shell, its input empty, and returns its exit status; what it prints goes to the file `log`.
/// 127: there is no such program. -1: a signal ended it.
inline int run(std::vector<std::string> const& command, std::string const& log) {
  std::vector<char*> arguments;
  for (std::string const& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&files, 1, 2);
  ::pid_t child = 0;
  int const failure = ::posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (failure != 0) return 127;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The folder of compiled code: this user's, and closed to others, since what lies in it is run.
inline std::filesystem::path cache_folder(std::string const& wanted) {
  namespace fs = std::filesystem;
  fs::path folder = wanted;
  if (folder.empty()) {
    fs::path base = variable("XDG_CACHE_HOME");
    if (!base.is_absolute()) {   // the XDG rule: relative ones are ignored
      fs::path const home = variable("HOME");
      if (!home.is_absolute())
        throw io_error("no folder for compiled programs: neither XDG_CACHE_HOME nor HOME is set");
      base = home / ".cache";
    }
    folder = base / "tessera";
  }
  std::error_code failure;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), failure);
  std::string const name = folder.string();
  if (::mkdir(name.c_str(), 0700) != 0 && errno != EEXIST)
    throw io_error(name + ": cannot be made a folder: " + std::strerror(errno), name);
  struct stat status{};
  if (::lstat(name.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) throw io_error(name + ": is no folder", name);
  if (status.st_uid != ::geteuid()) throw io_error(name + ": belongs to another user", name);
  if ((status.st_mode & 077) != 0 && ::chmod(name.c_str(), 0700) != 0)
    throw io_error(name + ": cannot be closed to other users: " + std::strerror(errno), name);
  return fs::absolute(folder);
}

/// A new folder in another one, which goes with all that is in it.
class temporary_folder {
 public:
  explicit temporary_folder(std::filesystem::path const& parent) {
    std::string name = (parent / "build.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw io_error(parent.string() + ": cannot be written: " + std::strerror(errno), parent.string());
    path_ = name;
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(char const* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path header_folder(std::string const& wanted) {
  namespace fs = std::filesystem;
  fs::path folder = wanted;
  if (folder.empty()) folder = variable("TESSERA_INCLUDE");
  if (folder.empty()) folder = fs::path(__FILE__).parent_path().parent_path().parent_path();
  std::error_code failure;
  if (!fs::is_regular_file(folder / "tessera/tile.hpp", failure))
    throw io_error(folder.string() + ": the headers of tessera are not there; TESSERA_INCLUDE says where they are",
                   folder.string());
  return fs::absolute(folder);
}

/// The library's headers, in an order that does not depend on the file system.
inline std::vector<std::filesystem::path> headers_in(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> headers;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder / "tessera"))
    if (entry.path().extension() == ".hpp") headers.push_back(entry.path());
  std::sort(headers.begin(), headers.end());
  return headers;
}

/// What this processor can do, as the kernel lists it.
inline std::string processor_features() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags") || line.starts_with("Features")) return line;
  return "";
}

inline std::vector<std::string> library_flags() {
  std::vector<std::string> flags{"-std=c++20",  "-O3", "-fPIC", "-shared", "-fvisibility=hidden",
                                 "-DTESSERA_CHECKED=" + std::to_string(TESSERA_CHECKED),
                                 "-DTESSERA_ENTRY=extern \"C\" __attribute__((visibility(\"default\")))"};
#if defined(__x86_64__)
  std::string const isa = TESSERA_DETAIL_TEXT(TESSERA_ISA);   // v2, v3, v4, baseline
  flags.push_back("-march=x86-64" + (isa == "baseline" ? "" : "-" + isa));
#endif
  return flags;
}

/// The first line of a compiler's output that names an error, else its first line.
inline std::string first_error(std::string const& output) {
  std::istringstream stream(output);
  std::string first, line;
  while (std::getline(stream, line)) {
    if (first.empty()) first = line;
    if (line.find("error") != std::string::npos) return line;
  }
  return first;
}

}  // namespace detail

/// Code for `source`, whose entry is the function `entry`: from the cache, or compiled now. The cache knows a source by
/// its text, the library's headers, the compiler's version, all flags and what the processor can do. Processes may
/// compile the same source at once.
/// @throws run_error  if there is no compiler, it may not run, or it refuses the source
/// @throws io_error   if the cache or the headers cannot be used
inline library compile(std::string_view source, char const* entry, options const& how = {}) {
  namespace fs = std::filesystem;
  fs::path const cache = detail::cache_folder(how.cache);
  fs::path const headers = detail::header_folder(how.headers);
  std::string compiler = how.compiler.empty() ? detail::variable("CXX") : how.compiler;
  if (compiler.empty()) compiler = "c++";
  std::vector<std::string> command = detail::words_of(compiler);   // "ccache g++"

  detail::temporary_folder const work(cache);
  std::vector<std::string> ask = command;
  ask.push_back("--version");
  bool const found = detail::run(ask, work.file("version")) == 0;
  std::string const version = found ? detail::content_of(work.file("version")) : "";

  std::vector<std::string> flags = detail::library_flags();
  flags.push_back("-I" + headers.string());
  flags.insert(flags.end(), how.flags.begin(), how.flags.end());

  detail::fingerprint key;
  key.add(source);
  key.add(version);
  for (std::string const& flag : flags) key.add(flag);
  key.add(detail::processor_features());
  for (fs::path const& header : detail::headers_in(headers)) {
    key.add(header.lexically_relative(headers).string());
    key.add(detail::content_of(header));
  }
  fs::path const object = cache / (key.hex() + ".so");
  std::error_code failure;
  if (found && fs::exists(object, failure)) return library(object.string(), entry);

  auto const refuse = [&](std::string const& why) {
    throw run_error("tessera: " + how.title + " is not compiled yet, and " + why);
  };
  if (!how.allowed) refuse("no compiler may be run");
  if (!found) refuse("there is no compiler \"" + compiler + "\" to compile it with: install one, or set CXX");
  if (how.progress) how.progress("compiling " + how.title + " with " + version.substr(0, version.find('\n')) + ", once");

  {
    std::ofstream file(work.file("source.cpp"), std::ios::binary);
    file << source;
    file.close();
    if (!file) throw io_error(cache.string() + ": cannot be written: " + std::strerror(errno), cache.string());
  }
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", work.file("code.so"), work.file("source.cpp")});
  if (detail::run(command, work.file("log")) != 0)
    refuse(compiler + " cannot compile it: " + detail::first_error(detail::content_of(work.file("log"))));
  library const code(work.file("code.so"), entry);   // before it is kept: it loads, and has the entry
  fs::rename(work.file("code.so"), object, failure);
  if (failure) throw io_error(object.string() + ": cannot be written: " + failure.message(), object.string());
  return code;
}

TESSERA_ISA_END
}  // namespace tessera::jit

#undef TESSERA_DETAIL_TEXT
#undef TESSERA_DETAIL_TEXT_

// SPDX-License-Identifier: Apache-2.0
// What the tests of files have in common: a folder that goes away, bytes in and out, and the shared reference data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace test {

// A new folder below the system's temporary folder, removed with everything in it.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::filesystem::filesystem_error("mkdtemp", std::error_code());
    path_ = name;
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  std::filesystem::path const& path() const { return path_; }
  // Number of files in it.
  std::size_t size() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline void write_bytes(std::string const& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
inline std::string read_bytes(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline std::span<std::byte const> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
// `value` as `Bytes` bytes, little endian.
template <int Bytes>
std::string little(std::uint64_t value) {
  std::string result;
  for (int i = 0; i < Bytes; ++i) result += static_cast<char>(value >> (8 * i) & 0xff);
  return result;
}

// The folder of reference data that lies beside the project, or an empty path: $TESSERA_SHARED, else ../shared.
inline std::filesystem::path shared() {
  std::filesystem::path result = std::filesystem::path(__FILE__).parent_path() / "../../../shared";
  if (char const* const given = std::getenv("TESSERA_SHARED")) result = given;
  return std::filesystem::is_directory(result / "conformance") ? result : std::filesystem::path();
}

}  // namespace test

// The message of the exception `Type` that `expression` throws, or which other thing happened.
#define MESSAGE_OF(Type, expression) \
  ([&]() -> std::string {            \
    try {                            \
      static_cast<void>(expression); \
    } catch (Type const& caught) {   \
      return caught.what();          \
    } catch (...) {                  \
      return "another exception";    \
    }                                \
    return "no exception";           \
  }())

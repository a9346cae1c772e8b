// SPDX-License-Identifier: Apache-2.0
// Arrays in NumPy's .npy format, versions 1.0 and 2.0.
//
//   ts::npy::array x = ts::npy::read<float>("x.npy");   x.shape  ->  {2, 3}      x.values<float>()  ->  six floats
//   ts::npy::write("y.npy", std::span<float const>(y), {2, 3});
//
// Read: little endian, C order, float32, float64, int32, int64, bool, float16. Everything else is refused with an
// io_error that names the file. Source of the format: NEP 1, "A simple file format for NumPy arrays".
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/io/atomic_file.hpp>
#include <tessera/io/detail/describe.hpp>
#include <tessera/io/detail/npy_header.hpp>
#include <tessera/io/mapped_file.hpp>
#include <tessera/tensor/element.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::npy {

static_assert(std::endian::native == std::endian::little, "npy files are read as they lie in memory: little endian");

/// An array as it lies in the file: row-major, little endian.
struct array {
  tessera::element element = tessera::element::none;
  std::vector<std::int64_t> shape;  ///< empty for a scalar
  std::vector<std::byte> bytes;

  /// Number of elements.
  std::size_t size() const { return bytes.size() / static_cast<std::size_t>(std::max(bytes_of(element), 1)); }
  /// The elements in row-major order.
  /// @throws input_error  if the array does not hold `T`
  template <Element T>
  std::span<T const> values() const {
    if (element != element_of<T>) {
      throw input_error(std::string("the array holds ") + name_of(element) + ", not " + name_of(element_of<T>));
    }
    return {reinterpret_cast<T const*>(bytes.data()), size()};  // vector's memory is aligned for every element type
  }
};

/// Reads an array from memory that holds a whole .npy file.
/// @param origin  what messages call it; the path if it came from a file
/// @throws io_error  if the bytes are not exactly one array of the kinds above
inline array parse(std::span<std::byte const> file, std::string const& origin = "npy data") {
  auto const header = io_detail::read_npy_header(file, origin);
  auto const width = static_cast<std::size_t>(bytes_of(header.element));
  auto const expected = io_detail::checked_product(header.shape, width);
  if (!expected) {
    throw io_error(origin + ": the shape " + io_detail::shape_text(header.shape) + " is too large to exist", origin);
  }
  auto const data = file.subspan(header.size);
  if (data.size() != *expected) {
    throw io_error(origin + ": " + (data.size() < *expected ? "is truncated" : "is too long") + ": " +
                       name_of(header.element) + " " + io_detail::shape_text(header.shape) + " takes " +
                       std::to_string(*expected) + " bytes, the file has " + std::to_string(data.size()),
                   origin);
  }
  if (header.element == element::boolean) {  // any other byte would make a bool that is neither true nor false
    auto const bad = std::find_if(data.begin(), data.end(), [](std::byte b) { return b > std::byte{1}; });
    if (bad != data.end()) {
      throw io_error(origin + ": the bool at index " + std::to_string(bad - data.begin()) + " is neither 0 nor 1",
                     origin);
    }
  }
  return {header.element, header.shape, {data.begin(), data.end()}};
}

/// Reads an array of any supported element type.
/// @throws io_error  as parse(), or if the file cannot be read
inline array read(std::string const& path) { return parse(mapped_file::open(path).bytes(), path); }

/// Reads an array that must hold `T`.
/// @throws io_error  as read(), or if it holds something else
template <Element T>
array read(std::string const& path) {
  array result = read(path);
  if (result.element != element_of<T>) {
    throw io_error(path + ": holds " + name_of(result.element) + ", expected " + name_of(element_of<T>), path);
  }
  return result;
}

/// An array (version 1.0) that is written a piece at a time, in row-major order; whole or not at all.
///
///   ts::npy::writer y("y.npy", ts::element::float32, shape);   for (…) y.write(std::as_bytes(row));   y.commit();
class writer {
 public:
  /// @throws input_error  if the format has no such element (bfloat16), or there can be no such array
  /// @throws io_error     if the file cannot be written
  writer(std::string const& path, element kind, std::span<std::int64_t const> shape)
      : path_(path), what_(std::string(name_of(kind)) + " " + io_detail::shape_text(shape)) {
    std::string const header = io_detail::npy_header_text(kind, shape);
    auto const expected = io_detail::checked_product(shape, static_cast<std::size_t>(bytes_of(kind)));
    if (!expected) throw input_error(path_ + ": " + what_ + " cannot exist", path_);
    expected_ = *expected;
    file_.emplace(path);
    file_->write(header);
  }
  /// Appends elements.
  /// @throws io_error  if the disk is full or fails
  void write(std::span<std::byte const> bytes) {
    file_->write(bytes);
    written_ += bytes.size();
  }
  /// Gives the file its name.
  /// @throws input_error  if other bytes than the shape takes were written
  /// @throws io_error     if it cannot be written
  void commit() {
    if (written_ != expected_)
      throw input_error(path_ + ": " + what_ + " is not " + std::to_string(written_) + " bytes", path_);
    file_->commit();
  }

 private:
  std::string path_, what_;
  std::size_t expected_ = 0, written_ = 0;
  std::optional<atomic_file> file_;
};

/// Writes an array (version 1.0; whole or not at all).
/// @throws input_error  if `bytes` is not what element and shape take, or the format has no such element (bfloat16)
/// @throws io_error     if the file cannot be written
inline void write(std::string const& path, element kind, std::span<std::byte const> bytes,
                  std::span<std::int64_t const> shape) {
  writer file(path, kind, shape);
  file.write(bytes);
  file.commit();
}

/// Writes `values` as an array of `shape`.
template <Element T>
void write(std::string const& path, std::span<T const> values, std::span<std::int64_t const> shape) {
  write(path, element_of<T>, std::as_bytes(values), shape);
}
template <Element T>
void write(std::string const& path, std::span<T const> values, std::initializer_list<std::int64_t> shape) {
  write(path, element_of<T>, std::as_bytes(values), std::span(shape.begin(), shape.size()));
}
/// Writes an array as it was read.
inline void write(std::string const& path, array const& values) {
  write(path, values.element, values.bytes, values.shape);
}

}  // namespace tessera::npy

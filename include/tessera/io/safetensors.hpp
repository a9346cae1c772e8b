// SPDX-License-Identifier: Apache-2.0
// Weights in the safetensors format, memory-mapped.
//
//   auto file = ts::safetensors::open("model.safetensors");
//   std::vector<float> w = file.read_float32("pooler.dense.weight", {384, 384});
//
// Nothing of the data is copied before it is asked for. A file that breaks a rule of the format (offsets outside the
// data, holes, overlaps, doubled names, wrong byte counts, …) is refused when it is opened. Header syntax and rules:
// detail/safetensors_header.hpp; conversion to float32: detail/float32.hpp. Needs nlohmann-json.
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/io/atomic_file.hpp>
#include <tessera/io/detail/describe.hpp>
#include <tessera/io/detail/float32.hpp>
#include <tessera/io/detail/likely_name.hpp>
#include <tessera/io/detail/safetensors_header.hpp>
#include <tessera/io/mapped_file.hpp>
#include <tessera/tensor/element.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::safetensors {

/// One tensor of a file. `bytes` points into the file and may be aligned to nothing.
struct tensor {
  std::string name;
  std::string type;                                   ///< as the format calls it: "F32", "BF16", "U8", …
  tessera::element element = tessera::element::none;  ///< none if tensors here cannot hold that type
  std::vector<std::int64_t> shape;
  std::span<std::byte const> bytes;  ///< row-major, little endian
};

/// An open file: names, shapes and bytes. Movable; spans stay valid until the last owner is gone.
class file {
 public:
  /// Reads from memory that outlives the result.
  /// @param origin  what messages call it
  /// @throws io_error  if the bytes are not exactly one safetensors file
  static file parse(std::span<std::byte const> bytes, std::string origin = "safetensors data") {
    file result;
    result.path_ = std::move(origin);
    result.read(bytes);
    return result;
  }
  /// Maps and reads the file at `path`.
  /// @throws io_error  as parse(), or if it cannot be read
  static file open(std::string const& path) {
    file result;
    result.path_ = path;
    result.mapping_ = mapped_file::open(path);
    result.read(result.mapping_.bytes());
    return result;
  }
  file(file&&) noexcept = default;
  file& operator=(file&&) noexcept = default;

  /// What messages call this file.
  std::string const& path() const noexcept { return path_; }
  /// All tensors in the order of their data.
  std::span<tensor const> tensors() const noexcept { return tensors_; }
  /// The string-to-string table of the header; empty if there is none.
  std::map<std::string, std::string, std::less<>> const& metadata() const noexcept { return metadata_; }

  /// The tensor of that name, or of the name it is an alias of, or null. Tensors that share memory are stored once;
  /// the metadata then maps each dropped name to the kept one.
  tensor const* find(std::string_view name) const {
    if (auto const found = by_name_.find(name); found != by_name_.end()) return &tensors_[found->second];
    auto const alias = metadata_.find(name);
    if (alias == metadata_.end()) return nullptr;
    auto const kept = by_name_.find(alias->second);
    return kept == by_name_.end() ? nullptr : &tensors_[kept->second];
  }
  /// The tensor of that name or alias.
  /// @throws io_error  if there is none; the message says which name there is that is like it
  tensor const& at(std::string_view name) const {
    if (tensor const* const found = find(name)) return *found;
    refuse_name(name, {}, 0);
  }
  /// Checks that there is a tensor of that name or alias.
  /// @param names  all names that are read
  /// @throws io_error  if there is none; the message says how many others of the names are missing, and which tensor is
  ///                   like it, if that is none of those that the names mean
  void require(std::string_view name, std::span<std::string_view const> names) const {
    if (find(name) != nullptr) return;
    auto const missing = std::count_if(names.begin(), names.end(),
                                       [&](std::string_view n) { return n != name && find(n) == nullptr; });
    refuse_name(name, names, static_cast<std::size_t>(missing));
  }

  /// The tensor's elements as float32, from F32, F16, BF16 or F64 (rounded to nearest), into `out`.
  /// @throws io_error  if it is missing, of another shape or type, or holds a NaN, an infinity or a number beyond
  ///                   float32; the message names tensor and index, and `out` is then unspecified
  void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> out) const {
    tensor const& t = numbers(name, shape);
    std::size_t const count = t.bytes.size() / static_cast<std::size_t>(bytes_of(t.element));
    if (out.size() != count) {
      throw input_error("reading " + std::string(name) + ": the destination has room for " +
                            std::to_string(out.size()) + " elements, the tensor has " + std::to_string(count),
                        std::string(name));
    }
    std::size_t const bad = io_detail::to_float32(t.element, t.bytes, out);
    if (bad != count) refuse_number(t, name, bad);
  }
  /// The same into a new vector.
  std::vector<float> read_float32(std::string_view name, std::span<std::int64_t const> shape) const {
    tensor const& t = numbers(name, shape);  // before memory is taken for it
    std::vector<float> result(t.bytes.size() / static_cast<std::size_t>(bytes_of(t.element)));
    read_float32(name, shape, result);
    return result;
  }
  std::vector<float> read_float32(std::string_view name, std::initializer_list<std::int64_t> shape) const {
    return read_float32(name, std::span(shape.begin(), shape.size()));
  }

  /// The same elements where they lie in the file, if they need not be converted or moved: empty if they are not F32 at
  /// an address for floats.
  /// @throws io_error  as read_float32()
  std::span<float const> lend_float32(std::string_view name, std::span<std::int64_t const> shape) const {
    tensor const& t = numbers(name, shape);
    bool const aligned = reinterpret_cast<std::uintptr_t>(t.bytes.data()) % alignof(float) == 0;
    if (t.element != element::float32 || !aligned) return {};
    std::span const values(reinterpret_cast<float const*>(t.bytes.data()), t.bytes.size() / sizeof(float));
    if (std::size_t const bad = io_detail::first_not_finite(values); bad != values.size()) refuse_number(t, name, bad);
    return values;
  }

  /// Gives the memory behind a tensor's bytes back to the system once they have been used; they can be read again.
  void release(tensor const& t) const noexcept {
    if (!mapping_.bytes().empty()) mapping_.release(t.bytes);
  }
  /// The same by name or alias; nothing happens if there is none.
  void release(std::string_view name) const {
    if (tensor const* const found = find(name)) release(*found);
  }

 private:
  file() = default;

  void read(std::span<std::byte const> bytes) {
    auto header = io_detail::read_safetensors_header(bytes, path_);
    metadata_ = std::move(header.metadata);
    tensors_.reserve(header.entries.size());
    for (auto& entry : header.entries) {
      by_name_.emplace(entry.name, tensors_.size());
      tensors_.push_back({std::move(entry.name), std::move(entry.type), entry.element, std::move(entry.shape),
                          header.data.subspan(entry.begin, entry.end - entry.begin)});
    }
  }
  /// The tensor of that name, if it has that shape and a type that converts to float32.
  tensor const& numbers(std::string_view name, std::span<std::int64_t const> shape) const {
    tensor const& t = at(name);
    std::string const subject = path_ + ": tensor " + io_detail::in_quotes(name);
    if (!std::equal(shape.begin(), shape.end(), t.shape.begin(), t.shape.end())) {
      throw io_error(
          subject + " has shape " + io_detail::shape_text(t.shape) + ", expected " + io_detail::shape_text(shape),
          path_);
    }
    if (!io_detail::converts_to_float32(t.element)) {
      throw io_error(subject + " is of type " + io_detail::in_quotes(t.type) + ", expected F32, F16, BF16 or F64",
                     path_);
    }
    return t;
  }

  /// @param wanted  every name that is read: what they mean is not offered
  /// @param others  how many of those are missing as well
  [[noreturn]] void refuse_name(std::string_view name, std::span<std::string_view const> wanted,
                                std::size_t others) const {
    std::vector<tensor const*> meant;
    for (std::string_view const w : wanted) meant.push_back(find(w));
    io_detail::likely_name search(name);
    for (tensor const& t : tensors_)
      if (std::find(meant.begin(), meant.end(), &t) == meant.end()) search.offer(t.name);
    std::string text = path_ + ": has no tensor " + io_detail::in_quotes(name);
    if (others != 0) text += ", nor " + std::to_string(others) + (others == 1 ? " other that is read" : " others that are read");
    if (!search.found().empty()) text += "; there is " + io_detail::in_quotes(search.found());
    throw io_error(text, path_);
  }
  [[noreturn]] void refuse_number(tensor const& t, std::string_view name, std::size_t at) const {
    throw io_error(path_ + ": tensor " + io_detail::in_quotes(name) + " holds " +
                       io_detail::not_finite_text(t.element, t.bytes, at) + " at index " + std::to_string(at),
                   path_);
  }

  std::string path_;
  mapped_file mapping_;
  std::vector<tensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::map<std::string, std::string, std::less<>> metadata_;
};

/// Opens a file of weights.
/// @throws io_error  if it cannot be read or breaks a rule of the format
inline file open(std::string const& path) { return file::open(path); }

/// Reads weights from memory that outlives the result.
inline file parse(std::span<std::byte const> bytes, std::string origin = "safetensors data") {
  return file::parse(bytes, std::move(origin));
}

/// A tensor to be written.
struct entry {
  std::string name;
  tessera::element element = tessera::element::none;
  std::vector<std::int64_t> shape;
  std::span<std::byte const> bytes;  ///< row-major, little endian
};

/// Writes a file (whole or not at all); data in the given order within each element size, wide elements first, so that
/// every tensor is aligned.
/// @throws input_error  if a name is doubled, reserved or no UTF-8, or a byte count does not match
/// @throws io_error     if the file cannot be written
inline void write(std::string const& path, std::span<entry const> entries,
                  std::map<std::string, std::string> const& metadata = {}) {
  std::vector<entry const*> order;
  for (int const width : {8, 4, 2, 1, 0}) {
    for (entry const& e : entries) {
      if (bytes_of(e.element) == width) order.push_back(&e);
    }
  }
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::map<std::string_view, entry const*> seen;
  std::size_t offset = 0;
  for (entry const* const e : order) {
    auto const size = io_detail::checked_product(e->shape, static_cast<std::size_t>(bytes_of(e->element)));
    if (e->element == element::none || !size || *size != e->bytes.size()) {
      throw input_error("tensor " + io_detail::in_quotes(e->name) + ": " + name_of(e->element) + " " +
                            io_detail::shape_text(e->shape) + " is not " + std::to_string(e->bytes.size()) + " bytes",
                        e->name);
    }
    if (e->name == "__metadata__" || !seen.emplace(e->name, e).second) {
      throw input_error("tensor " + io_detail::in_quotes(e->name) + ": the name is doubled or reserved", e->name);
    }
    header[e->name] = {{"dtype", io_detail::safetensors_code(e->element)},
                       {"shape", e->shape},
                       {"data_offsets", {offset, offset + e->bytes.size()}}};
    offset += e->bytes.size();
  }
  std::string text;
  try {
    text = header.dump();
  } catch (nlohmann::json::exception const&) {
    throw input_error(path + ": a tensor's name or the metadata is not valid UTF-8", path);
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  std::uint64_t const length = text.size();  // little endian, as this machine is (npy.hpp asserts it)
  atomic_file out(path);
  out.write(std::as_bytes(std::span(&length, 1)));
  out.write(text);
  for (entry const* const e : order) out.write(e->bytes);
  out.commit();
}

}  // namespace tessera::safetensors

// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: magic, version, length, and a Python dictionary of exactly three keys.
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  ->  {float32, {2, 3}}
//
// NumPy evaluates the dictionary as Python; here only the literal that the format names is understood.
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/io/detail/describe.hpp>
#include <tessera/tensor/element.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io_detail {

/// What the header says, and how many bytes it takes itself.
struct npy_header {
  tessera::element element = element::none;
  std::vector<std::int64_t> shape;
  std::size_t size = 0;
};

/// Arrays of more dimensions than NumPy can hold are refused.
inline constexpr std::size_t npy_most_dimensions = 64;

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// The format's code for an element type; empty if it has none.
constexpr std::string_view npy_code(element e) {
  switch (e) {
    case element::float32: return "<f4";
    case element::float64: return "<f8";
    case element::int32: return "<i4";
    case element::int64: return "<i8";
    case element::boolean: return "|b1";
    case element::float16: return "<f2";
    default: return "";
  }
}

/// A reader of the dictionary; every deviation ends in an io_error.
class npy_dictionary {
 public:
  npy_dictionary(std::string_view text, std::string const& origin) : text_(text), origin_(origin) {}

  npy_header read() {
    npy_header result;
    bool has_element = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      std::string_view const key = quoted_word();
      expect(':');
      if (key == "descr") {
        once(has_element, key);
        result.element = code(quoted_word());
      } else if (key == "fortran_order") {
        once(has_order, key);
        if (word("True")) fail("is in Fortran order; only C order is read");
        if (!word("False")) fail("has a header whose fortran_order is neither True nor False");
      } else if (key == "shape") {
        once(has_shape, key);
        result.shape = tuple();
      } else {
        fail("has a header with the unknown key " + in_quotes(key));
      }
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_blanks();
    if (at_ != text_.size()) fail("has a header that goes on after its dictionary");
    if (!has_element || !has_order || !has_shape) fail("has a header without descr, fortran_order or shape");
    return result;
  }

 private:
  [[noreturn]] void fail(std::string const& what) const { throw io_error(origin_ + ": " + what, origin_); }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("has a malformed header: expected ") + c + " at byte " + std::to_string(at_));
  }
  bool word(std::string_view expected) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  std::string_view quoted_word() {
    skip_blanks();
    char const mark = at_ < text_.size() ? text_[at_] : '\0';
    if (mark != '\'' && mark != '"')
      fail("has a malformed header: expected a quoted word at byte " + std::to_string(at_));
    std::size_t const begin = at_ + 1, end = text_.find(mark, begin);
    if (end == std::string_view::npos) fail("has a malformed header: a quote is not closed");
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }
  void once(bool& seen, std::string_view key) const {
    if (seen) fail("has a header that says " + in_quotes(key) + " twice");
    seen = true;
  }
  element code(std::string_view name) const {
    for (element const e :
         {element::float32, element::float64, element::int32, element::int64, element::boolean, element::float16}) {
      if (name == npy_code(e) || (name.starts_with('=') && name.substr(1) == npy_code(e).substr(1))) return e;
    }
    if (name.starts_with('>')) fail("is big endian (" + in_quotes(name) + "); only little endian is read");
    fail("has the element type " + in_quotes(name) + "; <f4, <f8, <i4, <i8, |b1 and <f2 are read");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> result;
    expect('(');
    while (!accept(')')) {
      result.push_back(number());
      if (result.size() > npy_most_dimensions) fail("has a shape of more than 64 dimensions");
      if (accept(',')) continue;
      expect(')');
      if (result.size() == 1) fail("has a malformed header: (n) is a number, a shape of one dimension is (n,)");
      break;
    }
    return result;
  }
  std::int64_t number() {
    skip_blanks();
    std::size_t const begin = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'}, &value)) {
        fail("has a shape whose numbers are too large");
      }
    }
    if (at_ == begin) fail("has a shape that is not made of non-negative whole numbers");
    return value;
  }

  std::string_view text_;
  std::string const& origin_;
  std::size_t at_ = 0;
};

/// Reads the header at the beginning of `file`.
inline npy_header read_npy_header(std::span<std::byte const> file, std::string const& origin) {
  std::string_view const text(reinterpret_cast<char const*>(file.data()), file.size());
  if (!text.starts_with(npy_magic)) throw io_error(origin + ": is not a .npy file", origin);
  auto const byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  std::size_t const major = text.size() > 6 ? byte(6) : 0, minor = text.size() > 7 ? byte(7) : 0;
  std::size_t const begin = major == 1 ? 10 : 12;
  if (text.size() < begin) throw io_error(origin + ": is truncated: it ends inside its header", origin);
  if (major < 1 || major > 2 || minor != 0) {
    throw io_error(
        origin + ": is of version " + std::to_string(major) + "." + std::to_string(minor) + "; 1.0 and 2.0 are read",
        origin);
  }
  std::size_t length = byte(8) | byte(9) << 8;
  if (major == 2) length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - begin) throw io_error(origin + ": is truncated: it ends inside its header", origin);
  // NumPy itself refuses to evaluate headers above 10,000 bytes; padding beyond that is not written by anyone.
  if (length > 65536) throw io_error(origin + ": has a header of " + std::to_string(length) + " bytes", origin);
  npy_header result = npy_dictionary(text.substr(begin, length), origin).read();
  result.size = begin + length;
  return result;
}

/// Magic, version 1.0 and dictionary for an array, padded so that the data begins at a multiple of 64 bytes.
/// @throws input_error  if the format has no such element type
inline std::string npy_header_text(element kind, std::span<std::int64_t const> shape) {
  if (npy_code(kind).empty()) throw input_error(std::string("a .npy file cannot hold ") + name_of(kind));
  if (shape.size() > npy_most_dimensions) throw input_error("a .npy file holds at most 64 dimensions");
  std::string dictionary = "{'descr': '" + std::string(npy_code(kind)) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) dictionary += (i != 0 ? ", " : "") + std::to_string(shape[i]);
  dictionary += shape.size() == 1 ? ",), }" : "), }";
  dictionary.append(63 - (npy_magic.size() + 4 + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string result(npy_magic);
  result += '\1';
  result += '\0';
  result += static_cast<char>(dictionary.size() & 0xff);
  result += static_cast<char>(dictionary.size() >> 8);
  return result + dictionary;
}

}  // namespace tessera::io_detail

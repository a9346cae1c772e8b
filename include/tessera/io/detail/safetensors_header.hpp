// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file, and every rule the format has for it.
//
//   8 bytes: length N, little endian · N bytes: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …}
//   · the data, to the end of the file, without holes
//
// The JSON is read as a stream of events, which sees doubled names, stops at the first nesting too deep, and builds no
// document. Source of the rules: the format's own description and its reference reader, which refuses the same files.
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/io/detail/describe.hpp>
#include <tessera/tensor/element.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::io_detail {

/// The reference reader's own bound on a header's length.
inline constexpr std::uint64_t safetensors_longest_header = 100'000'000;

/// One tensor of the header: data bytes [begin, end).
struct safetensors_entry {
  std::string name;
  std::string type;
  tessera::element element = tessera::element::none;
  std::vector<std::int64_t> shape;
  std::size_t begin = 0, end = 0;
};

struct safetensors_header {
  std::vector<safetensors_entry> entries;  ///< by begin
  std::map<std::string, std::string, std::less<>> metadata;
  std::span<std::byte const> data;
};

struct safetensors_type {
  std::string_view code;
  int bytes;
  tessera::element element;
};
/// The element types of the format. Those without an element of ours are listed in a file but cannot be read.
inline constexpr std::array<safetensors_type, 19> safetensors_types{{
    {"F32", 4, element::float32},  {"F16", 2, element::float16},      {"BF16", 2, element::bfloat16},
    {"F64", 8, element::float64},  {"I64", 8, element::int64},        {"I32", 4, element::int32},
    {"BOOL", 1, element::boolean}, {"U8", 1, element::none},          {"I8", 1, element::none},
    {"U16", 2, element::none},     {"I16", 2, element::none},         {"U32", 4, element::none},
    {"U64", 8, element::none},     {"F8_E4M3", 1, element::none},     {"F8_E5M2", 1, element::none},
    {"F8_E8M0", 1, element::none}, {"F8_E4M3FNUZ", 1, element::none}, {"F8_E5M2FNUZ", 1, element::none},
    {"C64", 8, element::none},
}};

/// The format's code for an element type that is not none.
constexpr std::string_view safetensors_code(element e) {
  for (auto const& type : safetensors_types) {
    if (type.element == e) return type.code;
  }
  return "";
}

/// Receives the JSON's events. Each returns false to stop; `problem` then says why.
class safetensors_events {
 public:
  using json = nlohmann::json;

  std::string problem;
  std::vector<safetensors_entry> entries;
  std::map<std::string, std::string, std::less<>> metadata;

  bool null() { return stop("a null"); }
  bool boolean(bool) { return stop("a boolean"); }
  bool binary(json::binary_t&) { return stop("binary data"); }
  bool number_integer(json::number_integer_t) { return stop("a negative number"); }
  bool number_float(json::number_float_t, std::string const&) { return stop("a number that is not a 63-bit integer"); }
  bool number_unsigned(json::number_unsigned_t value) {
    if (place_ != place::list) return stop("a number");
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return stop("a number that is not a 63-bit integer");
    }
    if (numbers_.size() == most_dimensions) return fail(subject() + " has a list of more than 1024 numbers");
    numbers_.push_back(static_cast<std::int64_t>(value));
    return true;
  }
  bool string(std::string& text) {
    if (place_ == place::metadata) {
      metadata[key_] = std::move(text);
      return true;
    }
    if (place_ != place::tensor || field_ != type) return stop("a string");
    entries.back().type = std::move(text);
    return true;
  }
  bool start_object(std::size_t) {
    switch (place_) {
      case place::outside: place_ = place::top; return true;
      case place::top:
        if (key_ == "__metadata__") {
          place_ = place::metadata;
          keys_.clear();
          return true;
        }
        place_ = place::tensor;
        seen_ = 0;
        entries.push_back({key_, {}, element::none, {}, 0, 0});
        return true;
      default: return stop("an object");
    }
  }
  bool key(std::string& name) {
    if (place_ == place::top) {
      if (!names_.insert(name).second) return fail("its header names " + in_quotes(name) + " twice");
      key_ = std::move(name);
      return true;
    }
    if (place_ == place::metadata) {
      if (!keys_.insert(name).second) return fail("its header names " + in_quotes(name) + " twice in its metadata");
      key_ = std::move(name);
      return true;
    }
    field_ = name == "dtype" ? type : name == "shape" ? shape : name == "data_offsets" ? offsets : unknown;
    if (field_ == unknown) return fail(subject() + " has the unknown field " + in_quotes(name));
    if ((seen_ & field_) != 0) return fail(subject() + " has the field " + in_quotes(name) + " twice");
    seen_ |= field_;
    return true;
  }
  bool end_object() {
    if (place_ == place::tensor && seen_ != (type | shape | offsets)) {
      return fail(subject() + " lacks its dtype, shape or data_offsets");
    }
    place_ = place_ == place::top ? place::outside : place::top;
    return true;
  }
  bool start_array(std::size_t) {
    if (place_ != place::tensor || (field_ != shape && field_ != offsets)) return stop("a list");
    place_ = place::list;
    numbers_.clear();
    return true;
  }
  bool end_array() {
    place_ = place::tensor;
    safetensors_entry& entry = entries.back();
    if (field_ == shape) {
      entry.shape = numbers_;
      return true;
    }
    if (numbers_.size() != 2) return fail(subject() + " has data_offsets that are not two numbers");
    entry.begin = static_cast<std::size_t>(numbers_[0]);
    entry.end = static_cast<std::size_t>(numbers_[1]);
    return true;
  }
  bool parse_error(std::size_t position, std::string const&, json::exception const&) {
    return fail("its header is not valid JSON in UTF-8 at byte " + std::to_string(position));
  }

 private:
  enum class place { outside, top, metadata, tensor, list };
  enum field : unsigned { unknown = 0, type = 1, shape = 2, offsets = 4 };
  static constexpr std::size_t most_dimensions = 1024;

  std::string subject() const { return "tensor " + in_quotes(entries.back().name); }
  bool fail(std::string what) {
    if (problem.empty()) problem = std::move(what);
    return false;
  }
  bool stop(char const* found) {
    switch (place_) {
      case place::outside: return fail(std::string("its header is ") + found + ", not an object");
      case place::metadata:
        return fail("its header has metadata " + in_quotes(key_) + " that is " + found + ", not a string");
      case place::top:
        return fail("its header has " + std::string(found) + " at " + in_quotes(key_) + ", not an object");
      default: return fail(subject() + " has " + found + " where it does not belong");
    }
  }

  place place_ = place::outside;
  unsigned field_ = unknown, seen_ = 0;
  std::string key_;
  std::set<std::string, std::less<>> names_, keys_;
  std::vector<std::int64_t> numbers_;
};

/// Reads and checks the header of a whole file.
/// @throws io_error  naming `origin` and, where there is one, the tensor
inline safetensors_header read_safetensors_header(std::span<std::byte const> file, std::string const& origin) {
  auto const fail = [&](std::string const& what) { throw io_error(origin + ": " + what, origin); };
  if (file.size() < 8) fail("is not a safetensors file: it has " + std::to_string(file.size()) + " bytes");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  if (length > safetensors_longest_header) {
    fail("is not a safetensors file: its header would take " + std::to_string(length) + " bytes");
  }
  if (length > file.size() - 8) fail("is truncated: it ends inside its header");
  std::string_view const text(reinterpret_cast<char const*>(file.data()) + 8, static_cast<std::size_t>(length));
  if (!text.starts_with('{')) fail("is not a safetensors file: its header does not begin with {");

  if (auto const at = text.find('\0'); at != text.npos) {  // to the JSON reader a zero byte is the end of its input
    fail("its header is not valid JSON in UTF-8 at byte " + std::to_string(at + 1));
  }

  safetensors_events events;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &events)) fail(events.problem);
  safetensors_header result{std::move(events.entries), std::move(events.metadata), file.subspan(8 + text.size())};
  std::sort(result.entries.begin(), result.entries.end(), [](auto const& a, auto const& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::size_t end = 0;
  for (safetensors_entry& entry : result.entries) {
    std::string const subject = "tensor " + in_quotes(entry.name);
    std::string const range = "bytes " + std::to_string(entry.begin) + " to " + std::to_string(entry.end);
    if (entry.begin > entry.end) fail(subject + " has " + range + " of the data");
    if (entry.end > result.data.size()) {
      fail(subject + " has " + range + " of the data, which has only " + std::to_string(result.data.size()));
    }
    if (entry.begin != end)
      fail(subject + (entry.begin < end ? " overlaps the one before it" : " leaves a hole before it"));
    end = entry.end;
    auto const known = std::find_if(safetensors_types.begin(), safetensors_types.end(),
                                    [&](auto const& candidate) { return candidate.code == entry.type; });
    auto const count = checked_product(entry.shape);
    if (!count) fail(subject + " has the shape " + shape_text(entry.shape) + ", too large to exist");
    if (known == safetensors_types.end()) continue;  // a type not known here: its bytes are there, not its meaning
    entry.element = known->element;
    auto const bytes = checked_product(entry.shape, static_cast<std::size_t>(known->bytes));
    if (!bytes || *bytes != entry.end - entry.begin) {
      fail(subject + " of type " + entry.type + " and shape " + shape_text(entry.shape) + " has " +
           std::to_string(entry.end - entry.begin) + " bytes");
    }
  }
  if (end != result.data.size()) {
    fail("has " + std::to_string(result.data.size() - end) + " bytes after its last tensor");
  }
  return result;
}

}  // namespace tessera::io_detail

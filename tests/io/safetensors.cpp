// SPDX-License-Identifier: Apache-2.0
#include "io/files.hpp"
#include <tessera/io/safetensors.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ts = tessera;

namespace {

// A file with that header and `size` bytes of data, which count up from 0.
std::string file_of(std::string const& header, std::size_t size) {
  std::string data;
  for (std::size_t i = 0; i < size; ++i) data += static_cast<char>(i);
  return test::little<8>(header.size()) + header + data;
}
std::string entry(std::string const& name, std::string const& dtype, std::string const& shape,
                  std::string const& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}
std::string object(std::string content) {
  content.insert(content.begin(), '{');  // not "{" + content, in which GCC 12 sees an overflow that is none
  return content + '}';
}
std::string refusal(std::string const& bytes) {
  return MESSAGE_OF(ts::io_error, ts::safetensors::parse(test::as_bytes(bytes), "f"));
}
std::string refusal(std::string const& header, std::size_t size) { return refusal(file_of(header, size)); }

template <class T>
ts::safetensors::entry numbers(std::string name, std::vector<T> const& values, std::vector<std::int64_t> shape) {
  return {std::move(name), ts::element_of<T>, std::move(shape), std::as_bytes(std::span(values))};
}

}  // namespace

TEST_CASE("names, types, shapes and bytes of a small file") {
  std::string const bytes =
      file_of("{" + entry("b", "U8", "[3]", "[8,11]") + "," + entry("a", "F32", "[1, 2]", "[0,8]") + "," +
                  entry("s", "BF16", "[]", "[11,13]") + "," + entry("none", "F64", "[0, 7]", "[13,13]") +
                  ",\"__metadata__\":{\"format\":\"pt\",\"tied\":\"a\"}}   ",
              13);
  auto const file = ts::safetensors::parse(test::as_bytes(bytes));
  REQUIRE(file.tensors().size() == 4);
  CHECK(file.tensors()[0].name == "a");
  CHECK(file.tensors()[0].shape == std::vector<std::int64_t>{1, 2});
  CHECK(file.tensors()[0].bytes.size() == 8);
  CHECK(file.tensors()[1].type == "U8");
  CHECK(file.tensors()[1].element == ts::element::none);
  CHECK(file.tensors()[1].bytes[0] == std::byte{8});
  CHECK(file.tensors()[2].shape.empty());
  CHECK(file.at("none").bytes.empty());
  CHECK(file.find("tied") == file.find("a"));
  CHECK(file.find("format") == nullptr);
  CHECK(file.find("") == nullptr);
  CHECK(file.metadata().at("format") == "pt");
  CHECK(MESSAGE_OF(ts::io_error, file.at("c")) == "safetensors data: has no tensor 'c'");
  CHECK(MESSAGE_OF(ts::io_error, file.at("model.none")) == "safetensors data: has no tensor 'model.none'; there is 'none'");
  CHECK(file.read_float32("none", {0, 7}).empty());
  CHECK(ts::safetensors::parse(test::as_bytes(file_of("{}", 0))).tensors().empty());
}

TEST_CASE("a name that is not there, and the one that was probably meant") {
  std::string const bytes = file_of(object(entry("bert.pooler.dense.weight", "U8", "[1]", "[0,1]") + "," +
                                           entry("encoder.layer.0.bias", "U8", "[1]", "[1,2]") + "," +
                                           entry("encoder.layer.1.bias", "U8", "[1]", "[2,3]")),
                                    3);
  auto const file = ts::safetensors::parse(test::as_bytes(bytes), "f");
  auto const meant = [&](std::string const& name) { return MESSAGE_OF(ts::io_error, file.at(name)); };
  CHECK(meant("pooler.dense.weight") == "f: has no tensor 'pooler.dense.weight'; there is 'bert.pooler.dense.weight'");
  CHECK(meant("a.bert.pooler.dense.weight") ==
        "f: has no tensor 'a.bert.pooler.dense.weight'; there is 'bert.pooler.dense.weight'");
  CHECK(meant("encoder.layer.01.bias") == "f: has no tensor 'encoder.layer.01.bias'; there is 'encoder.layer.0.bias'");
  CHECK(meant("encoder.layers.1.bias") == "f: has no tensor 'encoder.layers.1.bias'; there is 'encoder.layer.1.bias'");
  CHECK(meant("weight") == "f: has no tensor 'weight'; there is 'bert.pooler.dense.weight'");
  CHECK(meant("eight") == "f: has no tensor 'eight'");
  CHECK(meant("encoder.norm.weight") == "f: has no tensor 'encoder.norm.weight'");
  CHECK(meant("") == "f: has no tensor ''");

  // Where all names are known that are read, none that one of them means is offered for another.
  auto const missing = [&](std::vector<std::string_view> const& names) {
    return MESSAGE_OF(ts::io_error, std::for_each(names.begin(), names.end(), [&](auto n) { file.require(n, names); }));
  };
  CHECK(missing({"encoder.layer.0.bias", "encoder.layer.1.bias", "encoder.layer.2.bias"}) ==
        "f: has no tensor 'encoder.layer.2.bias'");
  CHECK(missing({"encoder.layer.2.bias", "encoder.layer.0.bias"}) ==
        "f: has no tensor 'encoder.layer.2.bias'; there is 'encoder.layer.1.bias'");
  CHECK(missing({"pooler.dense.weight", "encoder.layer.2.bias", "x"}) ==
        "f: has no tensor 'pooler.dense.weight', nor 2 others that are read; there is 'bert.pooler.dense.weight'");
  CHECK_NOTHROW(file.require("encoder.layer.0.bias", {}));
}

TEST_CASE("what is written is read back, aligned") {
  test::temporary_folder folder;
  std::vector<float> const f{1.5f, -2.0f, 0.25f};
  std::vector<double> const d{0.1, 1e-300};
  std::vector<ts::half> const h{ts::half(0.5f), ts::half(65504.0f), ts::half(0x1p-24f)};
  std::vector<ts::bf16> const b{ts::bf16(3.140625f)};
  std::vector<std::int64_t> const i{1, 2};
  std::vector<ts::safetensors::entry> const entries{numbers("h", h, {3, 1}), numbers("f", f, {3}), numbers("d", d, {2}),
                                                    numbers("b \"\\\n ü", b, {}), numbers("i", i, {1, 2})};
  std::string const path = folder / "w.safetensors";
  ts::safetensors::write(path, entries, {{"format", "pt"}, {"g", "f"}});
  auto const file = ts::safetensors::open(path);
  CHECK(file.path() == path);
  for (auto const& t : file.tensors()) {
    CHECK(reinterpret_cast<std::uintptr_t>(t.bytes.data()) % static_cast<std::size_t>(ts::bytes_of(t.element)) == 0);
  }
  CHECK(file.read_float32("f", {3}) == f);
  CHECK(file.read_float32("g", {3}) == f);
  CHECK(file.read_float32("d", {2}) == std::vector<float>{0.1f, 0.0f});
  CHECK(file.read_float32("h", {3, 1}) == std::vector<float>{0.5f, 65504.0f, 0x1p-24f});
  CHECK(file.read_float32("b \"\\\n ü", {}) == std::vector<float>{3.140625f});
  file.release(file.at("f"));
  CHECK(file.read_float32("f", {3}) == f);
  file.release("g");
  file.release("no such tensor");
  CHECK(file.read_float32("f", {3}) == f);
  CHECK(folder.size() == 1);
}

TEST_CASE("a moved file keeps its tensors") {
  std::string const bytes = file_of(object(entry("a", "F32", "[1]", "[0,4]")), 4);
  auto first = ts::safetensors::parse(test::as_bytes(bytes), "f");
  auto const second = std::move(first);
  CHECK(second.at("a").bytes.size() == 4);
  CHECK(second.path() == "f");
}

TEST_CASE("reading checks shape, type, room and every number") {
  std::vector<float> f(3000, 1.0f);
  f[2999] = std::numeric_limits<float>::infinity();
  std::vector<double> const d{1.0, 1e39, 2.0};
  std::vector<double> const e{1.0, 2.0, std::nan("")};
  std::vector<ts::half> h(2, ts::half(1.0f));
  h[1].bits = 0xfc01;
  std::vector<ts::bf16> const b{ts::bf16(-std::numeric_limits<float>::infinity())};
  std::vector<std::int64_t> const i{1};
  std::vector<ts::safetensors::entry> const entries{numbers("f", f, {3, 1000}), numbers("d", d, {3}),
                                                    numbers("e", e, {3}),       numbers("h", h, {2}),
                                                    numbers("b", b, {1}),       numbers("i", i, {1})};
  test::temporary_folder folder;
  std::string const path = folder / "w";
  ts::safetensors::write(path, entries);
  auto const file = ts::safetensors::open(path);
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("f", {3, 1000})) ==
        path + ": tensor 'f' holds an infinity at index 2999");
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("d", {3})) ==
        path + ": tensor 'd' holds a number that float32 cannot hold at index 1");
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("e", {3})) == path + ": tensor 'e' holds a NaN at index 2");
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("h", {2})) == path + ": tensor 'h' holds a NaN at index 1");
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("b", {1})) == path + ": tensor 'b' holds an infinity at index 0");
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("i", {1})) ==
        path + ": tensor 'i' is of type 'I64', expected F32, F16, BF16 or F64");
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("f", {1000, 3})) ==
        path + ": tensor 'f' has shape [3, 1000], expected [1000, 3]");
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("f", {3000})) ==
        path + ": tensor 'f' has shape [3, 1000], expected [3000]");
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("x", {1})) == path + ": has no tensor 'x'");
  std::vector<float> small(2);
  std::vector<std::int64_t> const shape{3};
  CHECK_THROWS_AS(file.read_float32("d", shape, small), ts::input_error);
}

TEST_CASE("floats are lent where they lie, if they are floats and aligned") {
  std::vector<float> f{1.5f, -2.0f, 0.25f}, g(3000, 1.0f);
  g[2999] = std::numeric_limits<float>::quiet_NaN();
  std::vector<ts::half> const h(3, ts::half(1.0f));
  test::temporary_folder folder;
  std::string const path = folder / "w";
  ts::safetensors::write(path, std::vector<ts::safetensors::entry>{numbers("f", f, {3}), numbers("g", g, {3000}),
                                                                   numbers("h", h, {3})});
  auto const file = ts::safetensors::open(path);
  std::vector<std::int64_t> const three{3}, other{1, 3}, many{3000};
  auto const lent = file.lend_float32("f", three);
  CHECK(static_cast<void const*>(lent.data()) == file.at("f").bytes.data());
  CHECK(std::vector<float>(lent.begin(), lent.end()) == f);
  CHECK(file.lend_float32("h", three).empty());
  CHECK(MESSAGE_OF(ts::io_error, file.lend_float32("g", many)) == path + ": tensor 'g' holds a NaN at index 2999");
  CHECK(MESSAGE_OF(ts::io_error, file.lend_float32("f", other)) ==
        path + ": tensor 'f' has shape [3], expected [1, 3]");
  CHECK(MESSAGE_OF(ts::io_error, file.lend_float32("x", three)) == path + ": has no tensor 'x'");
  for (std::size_t const at : {0u, 1023u, 1024u, 2998u}) {
    std::fill(g.begin(), g.end(), 1.0f);
    g[at] = -std::numeric_limits<float>::infinity();
    CHECK(ts::io_detail::first_not_finite(g) == at);
  }
  CHECK(ts::io_detail::first_not_finite(f) == 3);

  // One of four offsets in a row is aligned, wherever the bytes lie.
  std::vector<std::int64_t> const one{1};
  int aligned = 0;
  for (std::size_t before = 0; before < 4; ++before) {
    auto const n = std::to_string(before), end = std::to_string(before + 4);
    auto const bytes = file_of(object(entry("a", "I8", "[" + n + "]", "[0," + n + "]") + "," +
                                      entry("b", "F32", "[1]", "[" + n + "," + end + "]")),
                               before + 4);
    auto const odd = ts::safetensors::parse(test::as_bytes(bytes), "f");
    auto const* const at = odd.at("b").bytes.data();
    auto const shown = odd.lend_float32("b", one);
    auto const value = odd.read_float32("b", {1});
    REQUIRE(value.size() == 1);
    if (reinterpret_cast<std::uintptr_t>(at) % alignof(float) == 0) {
      ++aligned;
      REQUIRE(shown.size() == 1);
      CHECK(static_cast<void const*>(shown.data()) == at);
      CHECK(shown[0] == value[0]);
    } else {
      CHECK(shown.empty());
    }
    odd.release("b");   // memory that is not the file's to give back
    CHECK(odd.read_float32("b", {1}) == value);
  }
  CHECK(aligned == 1);
}

TEST_CASE("files that are no safetensors files") {
  CHECK(refusal("") == "f: is not a safetensors file: it has 0 bytes");
  CHECK(refusal("1234567") == "f: is not a safetensors file: it has 7 bytes");
  CHECK(refusal(test::little<8>(1000) + "{}") == "f: is truncated: it ends inside its header");
  CHECK(refusal(test::little<8>(100'000'001) + "{}").find("its header would take 100000001 bytes") !=
        std::string::npos);
  CHECK(refusal(test::little<8>(~0ull) + "{}").find("18446744073709551615") != std::string::npos);
  CHECK(refusal("", 0) == "f: is not a safetensors file: its header does not begin with {");
  CHECK(refusal(" {}", 0) == "f: is not a safetensors file: its header does not begin with {");
  CHECK(refusal("[]", 0) == "f: is not a safetensors file: its header does not begin with {");
  CHECK(MESSAGE_OF(ts::io_error, ts::safetensors::open("/nonexistent/w"))
            .starts_with("/nonexistent/w: cannot be opened"));
}

TEST_CASE("headers whose offsets do not tile the data") {
  auto const one = [](char const* offsets, std::size_t size) {
    return refusal(object(entry("a", "F32", "[2]", offsets)), size);
  };
  CHECK(one("[0,8]", 8) == "no exception");
  CHECK(one("[0,8]", 7) == "f: tensor 'a' has bytes 0 to 8 of the data, which has only 7");
  CHECK(one("[0,8]", 9) == "f: has 1 bytes after its last tensor");
  CHECK(one("[8,0]", 8) == "f: tensor 'a' has bytes 8 to 0 of the data");
  CHECK(one("[4,12]", 12) == "f: tensor 'a' leaves a hole before it");
  CHECK(one("[0,4]", 4) == "f: tensor 'a' of type F32 and shape [2] has 4 bytes");
  CHECK(one("[0,9223372036854775807]", 8).find("which has only 8") != std::string::npos);
  CHECK(one("[0]", 8) == "f: tensor 'a' has data_offsets that are not two numbers");
  CHECK(one("[0,8,8]", 8) == "f: tensor 'a' has data_offsets that are not two numbers");
  auto const two = [](char const* a, char const* b, std::size_t size) {
    return refusal(object(entry("a", "F32", "[1]", a) + "," + entry("b", "F32", "[1]", b)), size);
  };
  CHECK(two("[4,8]", "[0,4]", 8) == "no exception");
  CHECK(two("[0,4]", "[0,4]", 4) == "f: tensor 'b' overlaps the one before it");
  CHECK(two("[0,4]", "[2,6]", 6) == "f: tensor 'b' overlaps the one before it");
  CHECK(two("[0,4]", "[5,9]", 9) == "f: tensor 'b' leaves a hole before it");
  CHECK(refusal("{}", 1) == "f: has 1 bytes after its last tensor");
}

TEST_CASE("headers with hostile numbers") {
  auto const shaped = [](std::string const& shape) { return refusal(object(entry("a", "F32", shape, "[0,0]")), 0); };
  CHECK(shaped("[4294967296,4294967296]").find("too large to exist") != std::string::npos);
  CHECK(shaped("[0,9223372036854775807,9223372036854775807]").find("too large to exist") != std::string::npos);
  CHECK(shaped("[4611686018427387904]") == "f: tensor 'a' of type F32 and shape [4611686018427387904] has 0 bytes");
  CHECK(shaped("[-1]") == "f: tensor 'a' has a negative number where it does not belong");
  CHECK(shaped("[1.0]") == "f: tensor 'a' has a number that is not a 63-bit integer where it does not belong");
  CHECK(shaped("[1e2]").find("not a 63-bit integer") != std::string::npos);
  CHECK(shaped("[9223372036854775808]").find("not a 63-bit integer") != std::string::npos);
  CHECK(shaped("[99999999999999999999999]").find("not a 63-bit integer") != std::string::npos);
  CHECK(shaped("[\"1\"]") == "f: tensor 'a' has a string where it does not belong");
  CHECK(shaped("[null]") == "f: tensor 'a' has a null where it does not belong");
  CHECK(shaped("3") == "f: tensor 'a' has a number where it does not belong");
  std::string many = "[1";
  for (int i = 0; i < 1024; ++i) many += ",1";
  CHECK(shaped(many + "]") == "f: tensor 'a' has a list of more than 1024 numbers");
}

TEST_CASE("headers with the wrong structure") {
  std::string const good = entry("a", "F32", "[1]", "[0,4]");
  CHECK(refusal("{" + good + "," + good + "}", 4) == "f: its header names 'a' twice");
  CHECK(refusal("{\"__metadata__\":{},\"__metadata__\":{}}", 0) == "f: its header names '__metadata__' twice");
  CHECK(refusal("{\"__metadata__\":{\"x\":\"1\",\"x\":\"2\"}}", 0) == "f: its header names 'x' twice in its metadata");
  CHECK(refusal("{\"__metadata__\":{\"x\":1}}", 0) == "f: its header has metadata 'x' that is a number, not a string");
  CHECK(refusal("{\"__metadata__\":{\"x\":{}}}", 0) ==
        "f: its header has metadata 'x' that is an object, not a string");
  CHECK(refusal("{\"__metadata__\":[]}", 0) == "f: its header has a list at '__metadata__', not an object");
  CHECK(refusal("{\"a\":1}", 0) == "f: its header has a number at 'a', not an object");
  CHECK(refusal("{\"a\":{}}", 0) == "f: tensor 'a' lacks its dtype, shape or data_offsets");
  CHECK(refusal("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0) == "f: tensor 'a' has the field 'dtype' twice");
  CHECK(refusal("{\"a\":{\"color\":\"F32\"}}", 0) == "f: tensor 'a' has the unknown field 'color'");
  CHECK(refusal("{\"a\":{\"dtype\":[]}}", 0) == "f: tensor 'a' has a list where it does not belong");
  CHECK(refusal("{\"a\":{\"shape\":\"F32\"}}", 0) == "f: tensor 'a' has a string where it does not belong");
  CHECK(refusal("{" + good + "} {}", 4).find("is not valid JSON") != std::string::npos);
  CHECK(refusal("{" + good, 4).find("is not valid JSON") != std::string::npos);
  CHECK(refusal("{" + good + ",}", 4).find("is not valid JSON") != std::string::npos);
  CHECK(refusal("{" + good + "}" + std::string(1, '\0'), 4).find("is not valid JSON") != std::string::npos);
  CHECK(refusal("{\"\xff\":{}}", 0).find("is not valid JSON in UTF-8") != std::string::npos);
  CHECK(refusal("{\"a\x01\":{}}", 0).find("is not valid JSON in UTF-8") != std::string::npos);
  CHECK(refusal("{\"a\\n\\u001b\":1}", 0) == "f: its header has a number at 'a\\x0a\\x1b', not an object");
}

TEST_CASE("nesting as deep as the header is long is refused at once") {
  std::string const deep(5'000'000, '[');
  CHECK(refusal("{\"a\":" + deep, 0) == "f: its header has a list at 'a', not an object");
  CHECK(refusal("{\"a\":{\"shape\":" + deep, 0) == "f: tensor 'a' has a list where it does not belong");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  CHECK(refusal(objects, 0) == "f: tensor 'a' has the unknown field 'a'");
}

TEST_CASE("a type not known here is listed and cannot be read") {
  std::string const bytes = file_of(object(entry("a", "F4", "[3]", "[0,2]")), 2);
  auto const file = ts::safetensors::parse(test::as_bytes(bytes), "f");
  CHECK(file.at("a").element == ts::element::none);
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("a", {3})) ==
        "f: tensor 'a' is of type 'F4', expected F32, F16, BF16 or F64");
}

TEST_CASE("a type not known here does not make a shape without bytes believable") {
  // Found by fuzzing: the byte count of an unknown type cannot be checked, so its shape must not size a buffer.
  std::string const bytes = file_of(object(entry("a", "*32", "[2147433648,4294967296]", "[0,0]")), 0);
  auto const file = ts::safetensors::parse(test::as_bytes(bytes), "f");
  CHECK(MESSAGE_OF(ts::io_error, file.read_float32("a", file.at("a").shape)) ==
        "f: tensor 'a' is of type '*32', expected F32, F16, BF16 or F64");
}

TEST_CASE("what cannot be written is refused and leaves nothing behind") {
  test::temporary_folder folder;
  std::string const path = folder / "w";
  std::vector<float> const f{1.0f};
  using entries = std::vector<ts::safetensors::entry>;
  CHECK_THROWS_AS(ts::safetensors::write(path, entries{numbers("a", f, {1}), numbers("a", f, {1})}), ts::input_error);
  CHECK_THROWS_AS(ts::safetensors::write(path, entries{numbers("__metadata__", f, {1})}), ts::input_error);
  CHECK_THROWS_AS(ts::safetensors::write(path, entries{numbers("a", f, {2})}), ts::input_error);
  CHECK_THROWS_AS(ts::safetensors::write(path, entries{numbers("a", f, {-1})}), ts::input_error);
  CHECK_THROWS_AS(ts::safetensors::write(path, entries{numbers("a\xff", f, {1})}), ts::input_error);
  CHECK_THROWS_AS(ts::safetensors::write(path, entries{{"a", ts::element::none, {}, {}}}), ts::input_error);
  CHECK_THROWS_AS(ts::safetensors::write(folder / "none/w", entries{numbers("a", f, {1})}), ts::io_error);
  CHECK(folder.size() == 0);
  ts::safetensors::write(path, entries{});
  CHECK(ts::safetensors::open(path).tensors().empty());
}

TEST_CASE("the reference data's files open, and every float in them is finite") {
  auto const root = test::shared();
  if (root.empty()) {
    MESSAGE("skipped: no reference data");
    return;
  }
  int files = 0;
  for (auto const& found : std::filesystem::recursive_directory_iterator(root)) {
    if (found.path().extension() != ".safetensors") continue;
    CAPTURE(found.path().string());
    auto const file = ts::safetensors::open(found.path().string());
    for (auto const& t : file.tensors()) {
      CAPTURE(t.name);
      if (ts::io_detail::converts_to_float32(t.element)) CHECK_NOTHROW(file.read_float32(t.name, t.shape));
    }
    ++files;
  }
  CHECK(files > 0);
}

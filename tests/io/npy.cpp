// SPDX-License-Identifier: Apache-2.0
#include "io/files.hpp"
#include <tessera/io/npy.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <type_traits>
#include <vector>

namespace ts = tessera;

namespace {

// A file of version 1.0 (or 2.0) with that dictionary and data.
std::string npy(std::string const& dictionary, std::string const& data, int major = 1) {
  return "\x93NUMPY" + test::little<1>(static_cast<std::uint64_t>(major)) + test::little<1>(0) +
         (major == 1 ? test::little<2>(dictionary.size()) : test::little<4>(dictionary.size())) + dictionary + data;
}
std::string dictionary(std::string const& descr, std::string const& shape, std::string const& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}
// What parse says about a file named "f".
std::string refusal(std::string const& bytes) {
  return MESSAGE_OF(ts::io_error, ts::npy::parse(test::as_bytes(bytes), "f"));
}

}  // namespace

TEST_CASE("the file that NumPy writes for [[1, 2, 3], [4, 5, 6]] as float32") {
  // numpy.save of numpy.arange(1, 7, dtype='f4').reshape(2, 3), numpy 2.4
  std::string const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  std::string data;
  for (float const value : {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}) data.append(reinterpret_cast<char const*>(&value), 4);
  std::string const expected = npy(header + std::string(117 - header.size(), ' ') + "\n", data);
  test::temporary_folder folder;
  std::vector<float> const values{1, 2, 3, 4, 5, 6};
  ts::npy::write(folder / "a.npy", std::span(values), {2, 3});
  CHECK(test::read_bytes(folder / "a.npy") == expected);
  ts::npy::array const read = ts::npy::read<float>(folder / "a.npy");
  CHECK(read.shape == std::vector<std::int64_t>{2, 3});
  CHECK(read.size() == 6);
  CHECK(read.values<float>()[4] == 5.0f);
  CHECK_THROWS_AS(read.values<double>(), ts::input_error);
}

TEST_CASE_TEMPLATE("what is written is read back", T, float, double, std::int32_t, std::int64_t, bool, ts::half) {
  test::temporary_folder folder;
  std::vector<std::vector<std::int64_t>> const shapes{
      {}, {1}, {0}, {3}, {2, 3}, {0, 5}, {1, 2, 3, 1, 2}, std::vector<std::int64_t>(64, 1)};
  for (auto const& shape : shapes) {
    std::size_t count = 1;
    for (auto const extent : shape) count *= static_cast<std::size_t>(extent);
    auto const values = std::make_unique<T[]>(count);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<T, ts::half>) values[i] = ts::half(static_cast<float>(i) - 1.5f);
      else values[i] = static_cast<T>(i % 2 == 0 ? 1 : 0);
    }
    ts::npy::write(folder / "a.npy", std::span<T const>(values.get(), count), std::span(shape));
    auto const read = ts::npy::read<T>(folder / "a.npy");
    CHECK(read.shape == shape);
    REQUIRE(read.size() == count);
    for (std::size_t i = 0; i < count; ++i) CHECK(read.template values<T>()[i] == values[i]);
    std::string const bytes = test::read_bytes(folder / "a.npy");
    CHECK((bytes.size() - count * sizeof(T)) % 64 == 0);  // data is aligned, as NumPy has it
    ts::npy::write(folder / "b.npy", read);
    CHECK(test::read_bytes(folder / "b.npy") == bytes);
  }
}

TEST_CASE("both versions, either quote, any order of keys and other blanks are read") {
  std::string const two(8, '\0');
  CHECK(ts::npy::parse(test::as_bytes(npy(dictionary("<f4", "(2,)"), two, 2))).shape == std::vector<std::int64_t>{2});
  CHECK(
      ts::npy::parse(test::as_bytes(npy("{\"shape\":(1,2),\"fortran_order\":False,\"descr\":\"<i4\"}", two))).element ==
      ts::element::int32);
  CHECK(ts::npy::parse(test::as_bytes(npy(dictionary("=f8", "()"), two))).values<double>().size() == 1);
  CHECK(ts::npy::parse(test::as_bytes(npy(dictionary("|b1", "(8,)"), two))).values<bool>().size() == 8);
}

TEST_CASE("bad files are refused with a sentence that names the file") {
  std::string const data(24, '\0');
  CHECK(refusal("") == "f: is not a .npy file");
  CHECK(refusal("\x93NUMP") == "f: is not a .npy file");
  CHECK(refusal("PK\x03\x04 and so on") == "f: is not a .npy file");
  CHECK(refusal("\x93NUMPY") == "f: is truncated: it ends inside its header");
  CHECK(refusal(npy(dictionary("<f4", "(6,)"), data).substr(0, 30)) == "f: is truncated: it ends inside its header");
  CHECK(refusal(npy(dictionary("<f4", "(6,)"), data, 3)) == "f: is of version 3.0; 1.0 and 2.0 are read");
  CHECK(refusal(npy(dictionary("<f4", "(6,)"), data, 0)) == "f: is of version 0.0; 1.0 and 2.0 are read");
  CHECK(refusal(npy(dictionary("<f4", "(6,)"), data.substr(1))) ==
        "f: is truncated: float32 [6] takes 24 bytes, the file has 23");
  CHECK(refusal(npy(dictionary("<f4", "(6,)"), data + "x")) ==
        "f: is too long: float32 [6] takes 24 bytes, the file has 25");
  CHECK(refusal(npy(dictionary("<f4", "(2, 3)", "True"), data)) == "f: is in Fortran order; only C order is read");
  CHECK(refusal(npy(dictionary(">f4", "(6,)"), data)) == "f: is big endian ('>f4'); only little endian is read");
  for (char const* descr : {"<u4", "<c8", "|O", "<U3", "|S4", "|i1", "f4", "", "<f16"}) {
    CHECK(refusal(npy(dictionary(descr, "(6,)"), data)).starts_with(std::string("f: has the element type '") + descr));
  }
  CHECK(refusal(npy(dictionary("|b1", "(3,)"), std::string("\1\0\2", 3))) ==
        "f: the bool at index 2 is neither 0 nor 1");
}

TEST_CASE("hostile shapes are refused before memory is taken") {
  for (char const* shape : {"(9223372036854775807,)", "(4611686018427387904, 2)", "(2147483648, 2147483648, 4)",
                            "(0, 9223372036854775807, 9223372036854775807)", "(2305843009213693952,)"}) {
    CHECK(refusal(npy(dictionary("<f4", shape), "")).find("too large to exist") != std::string::npos);
  }
  CHECK(refusal(npy(dictionary("<f4", "(9223372036854775808,)"), "")) == "f: has a shape whose numbers are too large");
  CHECK(refusal(npy(dictionary("<f4", "(99999999999999999999999999999999,)"), "")) ==
        "f: has a shape whose numbers are too large");
  CHECK(refusal(npy(dictionary("<f4", "(-1,)"), "")) ==
        "f: has a shape that is not made of non-negative whole numbers");
  CHECK(refusal(npy(dictionary("<f4", "(1.5,)"), "")).find("malformed") != std::string::npos);
  CHECK(refusal(npy(dictionary("<f4", "(1000000000000,)"), "")) ==
        "f: is truncated: float32 [1000000000000] takes 4000000000000 bytes, the file has 0");
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  CHECK(refusal(npy(dictionary("<f4", many + ")"), "1234")) == "f: has a shape of more than 64 dimensions");
}

TEST_CASE("malformed dictionaries are refused") {
  for (char const* text :
       {"", "{", "}", "{'descr': '<f4'", "{'descr: ", "{'descr': '<f4' 'shape': ()}", "{'descr' '<f4'}", "{,}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "{'descr': '<f4', 'fortran_order': False, 'shape': []}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,,2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,"}) {
    CAPTURE(text);
    CHECK(refusal(npy(text, "1234")).starts_with("f: has a "));
  }
  CHECK(refusal(npy("{'descr': '<f4', 'fortran_order': False, }", "")) ==
        "f: has a header without descr, fortran_order or shape");
  CHECK(refusal(npy("{'descr': '<f4', 'descr': '<f8', }", "")) == "f: has a header that says 'descr' twice");
  CHECK(refusal(npy("{'descr': '<f4', 'evil\n': 1, }", "")) == "f: has a header with the unknown key 'evil\\x0a'");
  CHECK(refusal(npy(dictionary("<f4", "()") + "import os", "1234")) ==
        "f: has a header that goes on after its dictionary");
  CHECK(
      refusal(npy(dictionary("<f4", "()") + std::string(70000, ' '), "1234", 2)).starts_with("f: has a header of 70"));
}

TEST_CASE("an array that is written a piece at a time is the one that is written at once, or none") {
  test::temporary_folder folder;
  std::vector<float> const values{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> const shape{3, 2};
  ts::npy::write(folder / "whole.npy", std::span(values), {3, 2});
  auto const bytes = std::as_bytes(std::span(values));
  {
    ts::npy::writer file(folder / "pieces.npy", ts::element::float32, shape);
    std::size_t at = 0;
    for (std::size_t const size : {0u, 4u, 1u, 3u, 16u}) {
      file.write(bytes.subspan(at, size));
      at += size;
    }
    CHECK(folder.size() == 2);
    CHECK(!std::filesystem::exists(folder / "pieces.npy"));
    file.commit();
  }
  CHECK(test::read_bytes(folder / "pieces.npy") == test::read_bytes(folder / "whole.npy"));
  {
    ts::npy::writer file(folder / "pieces.npy", ts::element::float32, shape);
    file.write(bytes.first(20));
    CHECK(MESSAGE_OF(ts::input_error, file.commit()) == (folder / "pieces.npy") + ": float32 [3, 2] is not 20 bytes");
  }
  CHECK(test::read_bytes(folder / "pieces.npy") == test::read_bytes(folder / "whole.npy"));   // as it was
  CHECK(folder.size() == 2);
  CHECK_THROWS_AS(ts::npy::writer(folder / "none/a.npy", ts::element::float32, shape), ts::io_error);
  std::vector<std::int64_t> const enormous{std::int64_t{1} << 62, 4};
  CHECK_THROWS_AS(ts::npy::writer(folder / "b.npy", ts::element::float32, enormous), ts::input_error);
  CHECK(folder.size() == 2);
}

TEST_CASE("the wrong element type and an unwritable target are errors, and nothing is half written") {
  test::temporary_folder folder;
  std::vector<float> const values{1, 2};
  ts::npy::write(folder / "a.npy", std::span(values), {2});
  CHECK(MESSAGE_OF(ts::io_error, ts::npy::read<double>(folder / "a.npy")) ==
        (folder / "a.npy") + ": holds float32, expected float64");
  CHECK_THROWS_AS(ts::npy::read(folder / "none.npy"), ts::io_error);
  CHECK_THROWS_AS(ts::npy::write(folder / "none/a.npy", std::span(values), {2}), ts::io_error);
  CHECK_THROWS_AS(ts::npy::write(folder / "b.npy", std::span(values), {3}), ts::input_error);
  CHECK_THROWS_AS(ts::npy::write(folder / "b.npy", std::span(values), {-1, -2}), ts::input_error);
  std::vector<ts::bf16> const brief{ts::bf16(1.0f)};
  CHECK(MESSAGE_OF(ts::input_error, ts::npy::write(folder / "b.npy", std::span(brief), {1})) ==
        "a .npy file cannot hold bfloat16");
  CHECK(folder.size() == 1);
}

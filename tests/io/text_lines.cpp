// SPDX-License-Identifier: Apache-2.0
#include "io/files.hpp"
#include <tessera/io/text_lines.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace ts = tessera;

namespace {

std::vector<std::string> lines_of(std::string const& path, std::size_t longest = 1 << 20) {
  std::vector<std::string> result;
  ts::text_lines lines(path, longest);
  while (auto const line = lines.next()) {
    result.emplace_back(*line);
    CHECK(lines.number() == result.size());
  }
  CHECK(!lines.next());
  return result;
}

}  // namespace

TEST_CASE("lines with every kind of end") {
  test::temporary_folder folder;
  std::string const path = folder / "t";
  using list = std::vector<std::string>;
  auto const read = [&](std::string_view content) {
    test::write_bytes(path, content);
    return lines_of(path);
  };
  CHECK(read("") == list{});
  CHECK(read("\n") == list{""});
  CHECK(read("a") == list{"a"});
  CHECK(read("a\n") == list{"a"});
  CHECK(read("a\n\nb") == list{"a", "", "b"});
  CHECK(read("a\r\nb\r\n") == list{"a", "b"});
  CHECK(read("a\rb\r\r\n") == list{"a\rb\r"});
  CHECK(read(std::string("a\0b\n", 4)) == list{std::string("a\0b", 3)});
  list many;
  std::string all;
  for (int i = 0; i < 50'000; ++i) {
    many.push_back(std::string(static_cast<std::size_t>(i % 97), static_cast<char>('a' + i % 26)));
    all += many.back() + "\n";
  }
  CHECK(read(all) == many);
  std::string const long_line(900'000, 'x');
  CHECK(read(long_line + "\n" + long_line) == list{long_line, long_line});
}

TEST_CASE("a line that is too long is an io_error with its number") {
  test::temporary_folder folder;
  std::string const path = folder / "t";
  test::write_bytes(path, "1234\n12345\n");
  CHECK(lines_of(path, 5).size() == 2);
  CHECK(MESSAGE_OF(ts::io_error, lines_of(path, 4)) == path + ": line 2 is longer than 4 bytes");
  test::write_bytes(path, "1234\r\n12345");
  CHECK(MESSAGE_OF(ts::io_error, lines_of(path, 4)) == path + ": line 2 is longer than 4 bytes");
  test::write_bytes(path, "a\n" + std::string(1'000'000, 'x'));
  CHECK(MESSAGE_OF(ts::io_error, lines_of(path, 1000)) == path + ": line 2 is longer than 1000 bytes");
  ts::text_lines endless("/dev/zero", 1000);  // memory stays bounded
  CHECK_THROWS_AS(endless.next(), ts::io_error);
}

TEST_CASE("what cannot be read is an io_error") {
  test::temporary_folder folder;
  CHECK(MESSAGE_OF(ts::io_error, ts::text_lines(folder / "none")) ==
        (folder / "none") + ": cannot be opened: No such file or directory");
  ts::text_lines directory(folder.path());
  CHECK(MESSAGE_OF(ts::io_error, directory.next()) == folder.path().string() + ": cannot be read: Is a directory");
}

TEST_CASE("the standard input, answered line by line") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  int const saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  {
    ts::text_lines lines("-");
    REQUIRE(::write(ends[1], "one\ntw", 6) == 6);
    CHECK(*lines.next() == "one");  // the pipe is still open
    REQUIRE(::write(ends[1], "o", 1) == 1);
    ::close(ends[1]);
    CHECK(*lines.next() == "two");
    CHECK(!lines.next());
    CHECK(lines.path() == "standard input");
  }
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(ends[0]);
}

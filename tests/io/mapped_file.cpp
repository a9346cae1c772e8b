// SPDX-License-Identifier: Apache-2.0
#include "io/files.hpp"
#include <tessera/io/mapped_file.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ts = tessera;

TEST_CASE("a mapped file shows the file's bytes and survives being moved") {
  test::temporary_folder folder;
  std::string content(10000, 'x');
  content[9999] = 'y';
  test::write_bytes(folder / "a", content);
  ts::mapped_file file = ts::mapped_file::open(folder / "a");
  CHECK(file.bytes().size() == 10000);
  CHECK(file.path() == folder / "a");
  ts::mapped_file moved = std::move(file);
  CHECK(file.bytes().empty());
  CHECK(std::memcmp(moved.bytes().data(), content.data(), content.size()) == 0);
  moved.release(moved.bytes());  // released pages come back when they are read
  moved.release(moved.bytes().subspan(1, 3));
  CHECK(std::memcmp(moved.bytes().data(), content.data(), content.size()) == 0);
  moved = ts::mapped_file();
  CHECK(moved.bytes().size() == 0);
}

TEST_CASE("released pages are no longer this process's memory") {
  test::temporary_folder folder;
  auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  test::write_bytes(folder / "a", std::string(200 * page, 'x'));
  ts::mapped_file const file = ts::mapped_file::open(folder / "a");
  auto const mapped = [&] {   // kB of it, as the system counts
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    long kilobytes = -1;
    for (bool found = false; std::getline(maps, line);) {
      found = found || line.ends_with(folder / "a");
      if (found && line.starts_with("Rss:")) {
        kilobytes = std::stol(line.substr(4));
        break;
      }
    }
    return kilobytes;
  };
  auto const touch = [&] {
    auto const bytes = file.bytes();
    REQUIRE(std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{'x'}; }));
  };
  touch();
  if (mapped() <= 0) return;   // an emulator that does not count
  auto const all = static_cast<long>(200 * page / 1024);
  CHECK(mapped() == all);
  file.release(file.bytes().subspan(10 * page + 5, 100 * page));   // 101 pages have a part of it
  CHECK(mapped() == all - static_cast<long>(101 * page / 1024));
  touch();
  file.release(file.bytes().subspan(7, 0));
  CHECK(mapped() == all);
  file.release(file.bytes());
  CHECK(mapped() == 0);
}

TEST_CASE("an empty file has no bytes") {
  test::temporary_folder folder;
  test::write_bytes(folder / "empty", "");
  CHECK(ts::mapped_file::open(folder / "empty").bytes().empty());
}

TEST_CASE("what cannot be mapped is an io_error that begins with the path") {
  test::temporary_folder folder;
  CHECK(MESSAGE_OF(ts::io_error, ts::mapped_file::open(folder / "none"))
            .starts_with((folder / "none") + ": cannot be opened"));
  CHECK(MESSAGE_OF(ts::io_error, ts::mapped_file::open(folder.path())) ==
        folder.path().string() + ": is not a regular file");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);  // opening it must not wait for a writer
  CHECK(MESSAGE_OF(ts::io_error, ts::mapped_file::open(folder / "pipe")) ==
        (folder / "pipe") + ": is not a regular file");
}

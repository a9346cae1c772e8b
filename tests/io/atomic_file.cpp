// SPDX-License-Identifier: Apache-2.0
#include "io/files.hpp"
#include <tessera/io/atomic_file.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace ts = tessera;

TEST_CASE("a committed file is there, an abandoned one is not, and nothing else is left behind") {
  test::temporary_folder folder;
  {
    ts::atomic_file file(folder / "a");
    file.write("one ");
    file.write("two");
    CHECK(!std::filesystem::exists(folder / "a"));
    file.commit();
    CHECK(MESSAGE_OF(ts::io_error, file.write("x")) == (folder / "a") + ": is no longer open for writing");
    CHECK(MESSAGE_OF(ts::io_error, file.commit()) == (folder / "a") + ": is no longer open for writing");
  }
  CHECK(test::read_bytes(folder / "a") == "one two");
  {
    ts::atomic_file file(folder / "a");
    file.write("half of i");
  }
  CHECK(test::read_bytes(folder / "a") == "one two");
  {
    ts::atomic_file file(folder / "b");
  }
  CHECK(folder.size() == 1);
}

TEST_CASE("two writers of one file do not meet") {
  test::temporary_folder folder;
  ts::atomic_file first(folder / "a"), second(folder / "a");
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  CHECK(test::read_bytes(folder / "a") == "first");
  CHECK(folder.size() == 1);
}

TEST_CASE("a replaced file keeps its permissions; a link is followed and stays a link") {
  test::temporary_folder folder;
  test::write_bytes(folder / "a", "old");
  ::chmod((folder / "a").c_str(), 0640);
  REQUIRE(::symlink("a", (folder / "link").c_str()) == 0);
  ts::atomic_file file(folder / "link");
  file.write("new");
  file.commit();
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(test::read_bytes(folder / "a") == "new");
  struct stat status{};
  ::stat((folder / "a").c_str(), &status);
  CHECK((status.st_mode & 07777) == 0640);
}

TEST_CASE("a target that cannot be written is an io_error and stays as it is") {
  test::temporary_folder folder;
  CHECK(MESSAGE_OF(ts::io_error, ts::atomic_file("")) == "a file to be written needs a name");
  CHECK(MESSAGE_OF(ts::io_error, ts::atomic_file(folder / "none/a")) ==
        (folder / "none/a") + ": cannot be written: No such file or directory");
  CHECK(MESSAGE_OF(ts::io_error, ts::atomic_file(folder.path())) ==
        folder.path().string() + ": exists and is not a regular file");
  CHECK(MESSAGE_OF(ts::io_error, ts::atomic_file("/dev/null")) == "/dev/null: exists and is not a regular file");
  REQUIRE(::symlink("nowhere", (folder / "link").c_str()) == 0);
  CHECK(MESSAGE_OF(ts::io_error, ts::atomic_file(folder / "link")) ==
        (folder / "link") + ": is a link that leads nowhere");
  test::write_bytes(folder / "file", "x");
  CHECK(MESSAGE_OF(ts::io_error, ts::atomic_file(folder / "file/a")).find("Not a directory") != std::string::npos);
  if (::geteuid() != 0) {  // root may write everywhere
    ::chmod((folder / "file").c_str(), 0400);
    CHECK(MESSAGE_OF(ts::io_error, ts::atomic_file(folder / "file")).find("Permission denied") != std::string::npos);
  }
  CHECK(test::read_bytes(folder / "file") == "x");
  CHECK(folder.size() == 2);
}

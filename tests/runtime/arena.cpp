// SPDX-License-Identifier: Apache-2.0
// Tile memory: aligned, zero, of any size.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <tessera/runtime/arena.hpp>

namespace ts = tessera;

TEST_CASE("an arena is aligned to 64 bytes and zero, or NaN where views are checked") {
  constexpr std::byte filling{TESSERA_CHECKED ? 0xff : 0};
  for (std::int64_t bytes : {std::int64_t{1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{65}, std::int64_t{100000},
                             (std::int64_t{1} << 21) + 1}) {
    for (ts::arena_pages pages : {ts::arena_pages::at_once, ts::arena_pages::when_written}) {
      ts::arena const a(bytes, pages);
      CHECK(a.bytes() == bytes);
      CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
      CHECK(std::all_of(a.data(), a.data() + bytes, [](std::byte b) { return b == filling; }));
    }
  }
}

#if !TESSERA_CHECKED
TEST_CASE("pages that come when they are written take no memory before") {
  constexpr std::int64_t bytes = std::int64_t{64} << 20;
  auto const resident = [&](ts::arena const& a) {   // in MiB
    std::vector<unsigned char> pages(static_cast<std::size_t>(bytes / ::sysconf(_SC_PAGESIZE)));
    REQUIRE(::mincore(a.data(), static_cast<std::size_t>(bytes), pages.data()) == 0);
    auto const there = std::count_if(pages.begin(), pages.end(), [](unsigned char p) { return (p & 1) != 0; });
    return there * ::sysconf(_SC_PAGESIZE) >> 20;
  };
  CHECK(resident(ts::arena(bytes)) == 64);
  ts::arena const a(bytes, ts::arena_pages::when_written);
  CHECK(resident(a) == 0);
  std::fill_n(a.data(), 10 << 20, std::byte{1});
  CHECK(resident(a) == 10);
}
#endif

TEST_CASE("an empty arena has no memory") {
  CHECK(ts::arena{}.data() == nullptr);
  CHECK(ts::arena(0).bytes() == 0);
}

TEST_CASE("an arena moves") {
  ts::arena a(100);
  std::byte* const at = a.data();
  ts::arena const b = std::move(a);
  CHECK(b.data() == at);
}

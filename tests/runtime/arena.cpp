// SPDX-License-Identifier: Apache-2.0
// Tile memory: aligned, zero, of any size.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/runtime/arena.hpp>

namespace ts = tessera;

TEST_CASE("an arena is aligned to 64 bytes and zero, or NaN where views are checked") {
  constexpr std::byte filling{TESSERA_CHECKED ? 0xff : 0};
  for (std::int64_t bytes : {std::int64_t{1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{65}, std::int64_t{100000},
                             (std::int64_t{1} << 21) + 1}) {
    ts::arena const a(bytes);
    CHECK(a.bytes() == bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    CHECK(std::all_of(a.data(), a.data() + bytes, [](std::byte b) { return b == filling; }));
  }
}

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

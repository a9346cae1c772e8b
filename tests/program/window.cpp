// SPDX-License-Identifier: Apache-2.0
#include <tessera/program/geometry.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace ts = tessera;

TEST_CASE("a window meets the lines of the image that its pixels reach, and no others") {
  std::mt19937 random(5);
  auto const pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 4000; ++round) {
    ts::window_rule const w{.width = 1 + pick(5),
                            .height = 1 + pick(5),
                            .in_width = 1 + pick(5),
                            .in_height = 1 + pick(7),
                            .stride = pick(4),
                            .before = pick(4),
                            .reach = 1 + pick(5)};
    int const images = 1 + pick(3), pixels = images * w.width * w.height;
    int const first = pick(pixels), last = first + 1 + pick(pixels - first);
    // Line by line: those on the image, or the nearest of it where a window lies wholly beside it.
    int low = images * w.in_height, high = -1;
    for (int pixel = first; pixel < last; ++pixel) {
      int const line = pixel / w.width, image = line / w.height;
      for (int tap = 0; tap < w.reach; ++tap) {
        int const at = std::clamp(line % w.height * w.stride - w.before + tap, 0, w.in_height - 1);
        low = std::min(low, image * w.in_height + at);
        high = std::max(high, image * w.in_height + at);
      }
    }
    ts::span const rows = w.of({first, last});
    CAPTURE(round);
    CHECK(rows.first == low * w.in_width);
    CHECK(rows.last == (high + 1) * w.in_width);
  }
}

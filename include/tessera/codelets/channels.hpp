// SPDX-License-Identifier: Apache-2.0
// From images whose channels are planes, (N, C, H, W) as files and other libraries have them, to images whose channels
// stand together at each pixel, (N, H, W, C), and back.
#pragma once

#include <tessera/program/vertex.hpp>

#include <cstddef>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// y(n, pixel, c) = x(n, c, pixel), or with ToPlanes y(n, c, pixel) = x(n, pixel, c); x is given completely.
template <bool ToPlanes>
struct move_channels {
  input<float, 2> x;
  output<float, 2> y;
  int channels = 1;
  int pixels = 1;   ///< of an image
  TESSERA_FIELDS(move_channels, x, y, channels, pixels);

  static constexpr work cost(extents, extents y) { return {0.0, 8.0 * y.volume()}; }
  void configure(double const* number) {
    channels = static_cast<int>(number[0]);
    pixels = static_cast<int>(number[1]);
  }
  void compute() const {
    float const* const from = unchecked(x).data;
    float* const to = unchecked(y).data;
    // y is images of `slow` rows of `fast` elements, x of `fast` rows of `slow`.
    int const fast = ToPlanes ? pixels : channels, slow = ToPlanes ? channels : pixels;
    std::ptrdiff_t const first = std::ptrdiff_t{y.first_row()} * y.cols(), last = first + y.size();
    for (std::ptrdiff_t at = first; at < last;) {
      std::ptrdiff_t const row = at / fast, image = row / slow;
      int const begin = static_cast<int>(at % fast);
      int const end = last - at < fast - begin ? begin + static_cast<int>(last - at) : fast;
      float const* const column = from + image * fast * slow + row % slow;
      for (int i = begin; i < end; ++i) to[at - first + i - begin] = column[std::ptrdiff_t{i} * slow];
      at += end - begin;
    }
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

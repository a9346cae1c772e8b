// SPDX-License-Identifier: Apache-2.0
// Windows that slide over images, those of convolutions and of pools. An image is a matrix with a row for each pixel, line
// after line, and a column for each channel.
#pragma once

#include <tessera/base/config.hpp>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// The windows of a convolution or pool over images: sizes in pixels, y down the image, x along its lines.
struct image_windows {
  int in_height = 1, in_width = 1;   ///< of an image that is read
  int height = 1, width = 1;         ///< of an image of the result
  int kernel_y = 1, kernel_x = 1;
  int stride_y = 1, stride_x = 1;
  int step_y = 1, step_x = 1;        ///< dilation: from one tap to the next
  int top = 0, left = 0;             ///< padding

  /// From the numbers that configure a vertex; see image_numbers.
  static image_windows from(double const* number) {
    auto const n = [&](int i) { return static_cast<int>(number[i]); };
    return {n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9), n(10), n(11)};
  }
  int taps() const { return kernel_y * kernel_x; }
};
/// How many numbers those are.
inline constexpr int image_numbers = 12;

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Concatenation along any dimension.
#pragma once

#include <tessera/program/vertex.hpp>

#include <algorithm>
#include <cstring>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets {

/// y: for each outer position, `size` · inner elements of each part after the other; parts are given completely.
struct concat {
  static constexpr int most = 8;
  input<float, 2> x0, x1, x2, x3, x4, x5, x6, x7;
  output<float, 2> y;
  int parts = 1;
  int inner = 1;
  int size[most] = {};
  TESSERA_FIELDS(concat, x0, x1, x2, x3, x4, x5, x6, x7, y, parts, inner, size);

  void configure(double const* number) {
    parts = static_cast<int>(number[0]);
    inner = static_cast<int>(number[1]);
    for (int i = 0; i < parts; ++i) size[i] = static_cast<int>(number[2 + i]);
  }
  void compute() const {
    float const* const part[most] = {unchecked(x0).data, unchecked(x1).data, unchecked(x2).data, unchecked(x3).data,
                                     unchecked(x4).data, unchecked(x5).data, unchecked(x6).data, unchecked(x7).data};
    std::ptrdiff_t all = 0;
    for (int i = 0; i < parts; ++i) all += std::ptrdiff_t{size[i]} * inner;
    std::ptrdiff_t const first = std::ptrdiff_t{y.first_row()} * y.cols();
    std::ptrdiff_t const last = first + y.size();
    float* const out = unchecked(y).data;
    for (std::ptrdiff_t at = first; at < last;) {
      std::ptrdiff_t const outer = at / all;
      std::ptrdiff_t within = at % all;
      int i = 0;
      while (within >= std::ptrdiff_t{size[i]} * inner) within -= std::ptrdiff_t{size[i++]} * inner;
      std::ptrdiff_t const run = std::min(std::ptrdiff_t{size[i]} * inner - within, last - at);
      std::memcpy(out + (at - first), part[i] + outer * size[i] * inner + within,
                  static_cast<std::size_t>(run) * sizeof(float));
      at += run;
    }
  }
};

}  // namespace codelets
TESSERA_ISA_END
}  // namespace tessera

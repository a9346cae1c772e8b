// SPDX-License-Identifier: Apache-2.0
// When floats are what doubles say: |got - want| <= tolerance · (root mean square of want + |want|), as the conformance
// kit has it, and finite.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

inline bool close(std::span<float const> got, std::vector<double> const& want, double tolerance = 2e-5) {
  if (got.size() != want.size()) return false;
  double squares = 0;
  for (double w : want) squares += w * w;
  double const rms = std::sqrt(squares / static_cast<double>(want.size()));
  for (std::size_t i = 0; i < want.size(); ++i) {
    double const error = std::abs(double{got[i]} - want[i]);
    if (error <= tolerance * (rms + std::abs(want[i])) && std::isfinite(got[i])) continue;
    MESSAGE("element ", i, " is ", got[i], " instead of ", want[i]);
    return false;
  }
  return true;
}

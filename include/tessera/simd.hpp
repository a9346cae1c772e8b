// SPDX-License-Identifier: Apache-2.0
// Vector code: batches, loops with tails, elementary functions, conversions of 16-bit formats, small transposes.
#pragma once

#include <tessera/simd/batch.hpp>
#include <tessera/simd/convert.hpp>
#include <tessera/simd/math.hpp>
#include <tessera/simd/tail.hpp>
#include <tessera/simd/transpose.hpp>

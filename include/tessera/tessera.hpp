// SPDX-License-Identifier: Apache-2.0
// Everything but models, files and reports: tile level, vector code, bundled vertices, graphs and layers. Needs
// Boost.Hana and xsimd.
#pragma once

#if __cplusplus < 202002L
#error "tessera needs C++20: compile with -std=c++20"
#else

#include <tessera/codelets.hpp>
#include <tessera/graph.hpp>
#include <tessera/nn.hpp>
#include <tessera/simd.hpp>
#include <tessera/tile.hpp>

#endif

// SPDX-License-Identifier: Apache-2.0
// Everything but models, files and reports: tile level, vector code, bundled vertices, graphs and layers. Needs
// Boost.Hana and xsimd.
#pragma once

#include <tessera/codelets.hpp>
#include <tessera/graph.hpp>
#include <tessera/nn.hpp>
#include <tessera/simd.hpp>
#include <tessera/tile.hpp>

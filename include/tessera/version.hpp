// SPDX-License-Identifier: Apache-2.0
// The library's version, as numbers for the preprocessor and as text.
#pragma once

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_PATCH 0
#define TESSERA_VERSION "0.1.0"

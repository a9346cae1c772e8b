// SPDX-License-Identifier: Apache-2.0
// The words of the library: configuration, errors, names, fixed-capacity containers.
#pragma once

#include <tessera/base/config.hpp>
#include <tessera/base/error.hpp>
#include <tessera/base/inplace_vector.hpp>
#include <tessera/base/label.hpp>
#include <tessera/base/words.hpp>

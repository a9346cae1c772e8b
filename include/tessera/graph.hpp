// SPDX-License-Identifier: Apache-2.0
// The graph level: builder, operators and models.
#pragma once

#include <tessera/graph/apply.hpp>
#include <tessera/graph/images.hpp>
#include <tessera/graph/model.hpp>
#include <tessera/graph/operators.hpp>

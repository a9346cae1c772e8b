// SPDX-License-Identifier: Apache-2.0
// The tile level: tensors, vertices, programs, their plans and estimates, and engines that run them. Needs Boost.Hana
// only.
#pragma once

#if __cplusplus < 202002L
#error "tessera needs C++20: compile with -std=c++20"
#else

#include <tessera/plan/estimate.hpp>
#include <tessera/plan/planned.hpp>
#include <tessera/runtime/engine.hpp>

#endif

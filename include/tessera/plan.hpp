// SPDX-License-Identifier: Apache-2.0
// What is decided before a program runs: checks, liveness, memory, exchange, barriers, cost, advice.
#pragma once

#include <tessera/plan/advice.hpp>
#include <tessera/plan/bounds.hpp>
#include <tessera/plan/check.hpp>
#include <tessera/plan/cost.hpp>
#include <tessera/plan/estimate.hpp>
#include <tessera/plan/exchange.hpp>
#include <tessera/plan/finding.hpp>
#include <tessera/plan/liveness.hpp>
#include <tessera/plan/memory.hpp>
#include <tessera/plan/overlaps.hpp>
#include <tessera/plan/parameters.hpp>
#include <tessera/plan/plan.hpp>
#include <tessera/plan/plan_view.hpp>
#include <tessera/plan/planned.hpp>
#include <tessera/plan/races.hpp>
#include <tessera/plan/resident.hpp>
#include <tessera/plan/summary.hpp>
#include <tessera/plan/swap.hpp>
#include <tessera/plan/sync.hpp>
#include <tessera/plan/uniform.hpp>
#include <tessera/plan/written.hpp>

// SPDX-License-Identifier: Apache-2.0
// How a plan runs: memory, threads, barriers, exchange, engines.
#pragma once

#include <tessera/runtime/arena.hpp>
#include <tessera/runtime/barrier.hpp>
#include <tessera/runtime/engine.hpp>
#include <tessera/runtime/executor.hpp>
#include <tessera/runtime/schedule.hpp>
#include <tessera/runtime/storage.hpp>
#include <tessera/runtime/transfer.hpp>
#include <tessera/runtime/workers.hpp>

// SPDX-License-Identifier: Apache-2.0
// Faults that tests plant in the planner, to prove that the reference interpreter finds them.
//
//   -DTESSERA_FAULT=4   ->   live ranges end a step too early, and a test must notice
//
//    1  no barrier between a write and a read of it            6  the other branch is taken
//    2  no barrier before an overwrite of what is still read   7  a view is stale after a swap
//    3  halos are one element too narrow                       8  a partial write counts as a complete one
//    4  a tensor's last step is not part of its live range     9  liveness ignores the way back of loops
//    5  the last, partial tile is left out                    10  a copy becomes a swap though its source is read later
#pragma once

#ifndef TESSERA_FAULT
#define TESSERA_FAULT 0
#endif

namespace tessera {

/// The planted fault; 0 in every build but those of that test.
inline constexpr int planted_fault = TESSERA_FAULT;

}  // namespace tessera

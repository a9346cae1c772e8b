// SPDX-License-Identifier: Apache-2.0
// Bundled networks and how to feed them.
#pragma once

#include <tessera/models/bert.hpp>
#include <tessera/models/bert_checkpoint.hpp>
#include <tessera/models/packed_encoder.hpp>
#include <tessera/models/resnet.hpp>
#include <tessera/models/squad.hpp>
#include <tessera/models/token_sequence.hpp>

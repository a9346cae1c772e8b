// SPDX-License-Identifier: Apache-2.0
// Layers: operators with named parameters.
#pragma once

#include <tessera/nn/convolution.hpp>
#include <tessera/nn/linear.hpp>
#include <tessera/nn/norm.hpp>

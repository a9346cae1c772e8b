// SPDX-License-Identifier: Apache-2.0
// Bundled vertices: products, convolutions and pools, attention, normalisation, reductions, element-wise functions.
#pragma once

#include <tessera/codelets/activation.hpp>
#include <tessera/codelets/attention.hpp>
#include <tessera/codelets/channels.hpp>
#include <tessera/codelets/concat.hpp>
#include <tessera/codelets/convolution.hpp>
#include <tessera/codelets/elementwise.hpp>
#include <tessera/codelets/embedding.hpp>
#include <tessera/codelets/gemm.hpp>
#include <tessera/codelets/image_norm.hpp>
#include <tessera/codelets/image_windows.hpp>
#include <tessera/codelets/kinds.hpp>
#include <tessera/codelets/norm.hpp>
#include <tessera/codelets/pool.hpp>
#include <tessera/codelets/reduce.hpp>
#include <tessera/codelets/softmax.hpp>

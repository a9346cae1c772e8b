// SPDX-License-Identifier: Apache-2.0
// Files: arrays, weights, synthetic weights, text and tokens.
//
// safetensors.hpp needs nlohmann-json, wordpiece.hpp needs utf8proc; include single headers to do without.
#pragma once

#include <tessera/io/atomic_file.hpp>
#include <tessera/io/mapped_file.hpp>
#include <tessera/io/npy.hpp>
#include <tessera/io/safetensors.hpp>
#include <tessera/io/synthetic.hpp>
#include <tessera/io/text_lines.hpp>
#include <tessera/io/wordpiece.hpp>

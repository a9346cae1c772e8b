// SPDX-License-Identifier: Apache-2.0
// The macros every other header may use: the ISA namespace, inlining, and the checked mode.
#pragma once

#include <tessera/version.hpp>

// TESSERA_CHECKED=1 adds bounds to every view access and poisons tile memory that nothing has written.
#ifndef TESSERA_CHECKED
#define TESSERA_CHECKED 0
#endif

#define TESSERA_INLINE inline __attribute__((always_inline))
#define TESSERA_NOINLINE __attribute__((noinline))

// Everything whose machine code depends on the instruction set sits in an inline namespace named after it, so that
// translation units compiled for different instruction sets link into one program.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define TESSERA_ISA v4
#elif defined(__AVX2__) && defined(__FMA__)
#define TESSERA_ISA v3
#elif defined(__SSE4_2__)
#define TESSERA_ISA v2
#elif defined(__aarch64__)
#define TESSERA_ISA neon
#else
#define TESSERA_ISA baseline
#endif

#if TESSERA_CHECKED   // checked and unchecked code is different code
#define TESSERA_DETAIL_CHECKED_(isa) isa##_checked
#define TESSERA_DETAIL_CHECKED(isa) TESSERA_DETAIL_CHECKED_(isa)
#define TESSERA_ISA_BEGIN inline namespace TESSERA_DETAIL_CHECKED(TESSERA_ISA) {
#else
#define TESSERA_ISA_BEGIN inline namespace TESSERA_ISA {
#endif
#define TESSERA_ISA_END }

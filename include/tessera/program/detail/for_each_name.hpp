// SPDX-License-Identifier: Apache-2.0
// The preprocessor part of TESSERA_FIELDS: member pointers and names of up to 16 fields.
#pragma once

#define TESSERA_DETAIL_MEMBERS_1(vertex, f0) &vertex::f0
#define TESSERA_DETAIL_MEMBERS_2(vertex, f0, f1) &vertex::f0, &vertex::f1
#define TESSERA_DETAIL_MEMBERS_3(vertex, f0, f1, f2) &vertex::f0, &vertex::f1, &vertex::f2
#define TESSERA_DETAIL_MEMBERS_4(vertex, f0, f1, f2, f3) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3
#define TESSERA_DETAIL_MEMBERS_5(vertex, f0, f1, f2, f3, f4) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4
#define TESSERA_DETAIL_MEMBERS_6(vertex, f0, f1, f2, f3, f4, f5) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5
#define TESSERA_DETAIL_MEMBERS_7(vertex, f0, f1, f2, f3, f4, f5, f6) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5, &vertex::f6
#define TESSERA_DETAIL_MEMBERS_8(vertex, f0, f1, f2, f3, f4, f5, f6, f7) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5, &vertex::f6, &vertex::f7
#define TESSERA_DETAIL_MEMBERS_9(vertex, f0, f1, f2, f3, f4, f5, f6, f7, f8) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5, &vertex::f6, &vertex::f7, &vertex::f8
#define TESSERA_DETAIL_MEMBERS_10(vertex, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5, &vertex::f6, &vertex::f7, &vertex::f8, &vertex::f9
#define TESSERA_DETAIL_MEMBERS_11(vertex, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5, &vertex::f6, &vertex::f7, &vertex::f8, &vertex::f9, &vertex::f10
#define TESSERA_DETAIL_MEMBERS_12(vertex, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5, &vertex::f6, &vertex::f7, &vertex::f8, &vertex::f9, &vertex::f10, &vertex::f11
#define TESSERA_DETAIL_MEMBERS_13(vertex, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5, &vertex::f6, &vertex::f7, &vertex::f8, &vertex::f9, &vertex::f10, &vertex::f11, &vertex::f12
#define TESSERA_DETAIL_MEMBERS_14(vertex, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5, &vertex::f6, &vertex::f7, &vertex::f8, &vertex::f9, &vertex::f10, &vertex::f11, &vertex::f12, &vertex::f13
#define TESSERA_DETAIL_MEMBERS_15(vertex, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5, &vertex::f6, &vertex::f7, &vertex::f8, &vertex::f9, &vertex::f10, &vertex::f11, &vertex::f12, &vertex::f13, &vertex::f14
#define TESSERA_DETAIL_MEMBERS_16(vertex, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15) &vertex::f0, &vertex::f1, &vertex::f2, &vertex::f3, &vertex::f4, &vertex::f5, &vertex::f6, &vertex::f7, &vertex::f8, &vertex::f9, &vertex::f10, &vertex::f11, &vertex::f12, &vertex::f13, &vertex::f14, &vertex::f15
#define TESSERA_DETAIL_NAMES_1(f0) #f0
#define TESSERA_DETAIL_NAMES_2(f0, f1) #f0, #f1
#define TESSERA_DETAIL_NAMES_3(f0, f1, f2) #f0, #f1, #f2
#define TESSERA_DETAIL_NAMES_4(f0, f1, f2, f3) #f0, #f1, #f2, #f3
#define TESSERA_DETAIL_NAMES_5(f0, f1, f2, f3, f4) #f0, #f1, #f2, #f3, #f4
#define TESSERA_DETAIL_NAMES_6(f0, f1, f2, f3, f4, f5) #f0, #f1, #f2, #f3, #f4, #f5
#define TESSERA_DETAIL_NAMES_7(f0, f1, f2, f3, f4, f5, f6) #f0, #f1, #f2, #f3, #f4, #f5, #f6
#define TESSERA_DETAIL_NAMES_8(f0, f1, f2, f3, f4, f5, f6, f7) #f0, #f1, #f2, #f3, #f4, #f5, #f6, #f7
#define TESSERA_DETAIL_NAMES_9(f0, f1, f2, f3, f4, f5, f6, f7, f8) #f0, #f1, #f2, #f3, #f4, #f5, #f6, #f7, #f8
#define TESSERA_DETAIL_NAMES_10(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9) #f0, #f1, #f2, #f3, #f4, #f5, #f6, #f7, #f8, #f9
#define TESSERA_DETAIL_NAMES_11(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10) #f0, #f1, #f2, #f3, #f4, #f5, #f6, #f7, #f8, #f9, #f10
#define TESSERA_DETAIL_NAMES_12(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11) #f0, #f1, #f2, #f3, #f4, #f5, #f6, #f7, #f8, #f9, #f10, #f11
#define TESSERA_DETAIL_NAMES_13(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12) #f0, #f1, #f2, #f3, #f4, #f5, #f6, #f7, #f8, #f9, #f10, #f11, #f12
#define TESSERA_DETAIL_NAMES_14(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13) #f0, #f1, #f2, #f3, #f4, #f5, #f6, #f7, #f8, #f9, #f10, #f11, #f12, #f13
#define TESSERA_DETAIL_NAMES_15(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14) #f0, #f1, #f2, #f3, #f4, #f5, #f6, #f7, #f8, #f9, #f10, #f11, #f12, #f13, #f14
#define TESSERA_DETAIL_NAMES_16(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15) #f0, #f1, #f2, #f3, #f4, #f5, #f6, #f7, #f8, #f9, #f10, #f11, #f12, #f13, #f14, #f15

#define TESSERA_DETAIL_COUNT_OF(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, n, ...) n
#define TESSERA_DETAIL_COUNT(...) TESSERA_DETAIL_COUNT_OF(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TESSERA_DETAIL_JOIN_(a, b) a##b
#define TESSERA_DETAIL_JOIN(a, b) TESSERA_DETAIL_JOIN_(a, b)
#define TESSERA_DETAIL_MEMBERS(vertex, ...) \
  TESSERA_DETAIL_JOIN(TESSERA_DETAIL_MEMBERS_, TESSERA_DETAIL_COUNT(__VA_ARGS__))(vertex, __VA_ARGS__)
#define TESSERA_DETAIL_NAMES(...) \
  TESSERA_DETAIL_JOIN(TESSERA_DETAIL_NAMES_, TESSERA_DETAIL_COUNT(__VA_ARGS__))(__VA_ARGS__)

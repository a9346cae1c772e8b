// SPDX-License-Identifier: Apache-2.0
// How BERT's tokenizer sees a code point: dropped, blank, punctuation, accent or part of a word.
//
//   text_class(U'—')  ->  punctuation      text_class(0x200b)  ->  dropped      text_class(0x301)  ->  mark
//
// The reference tokenizer's category tables are those of Unicode 8.0. The categories come from utf8proc, whichever
// version of Unicode it has; characters whose category that version has and 8.0 has not are parts of words, as there.
#pragma once

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tessera::io_detail {

enum class text_kind : std::uint8_t { word, dropped, blank, punctuation, mark };

/// Ranges in which every control, mark or punctuation character was assigned after Unicode 8.0 (up to 18.0). Characters
/// of other categories may lie between them; they are parts of words in any case.
// clang-format off
inline constexpr struct { std::uint32_t first, last; } after_unicode_8[] = {
    {0x5c8, 0x5c9},       {0x61d, 0x61d},       {0x7fd, 0x7fd},       {0x890, 0x8e2},       {0x9fd, 0x9fe},
    {0xa76, 0xa76},       {0xafa, 0xaff},       {0xb53, 0xb55},       {0xc04, 0xc3c},       {0xc77, 0xc77},
    {0xc84, 0xc84},       {0xd00, 0xd00},       {0xd3b, 0xd3c},       {0xd81, 0xd81},       {0xeba, 0xeba},
    {0xece, 0xece},       {0x180f, 0x1886},     {0x1abf, 0x1af0},     {0x1b4e, 0x1b4f},     {0x1b7d, 0x1b7f},
    {0x1df6, 0x1dfb},     {0x2e43, 0x2e63},     {0xa82c, 0xa82c},     {0xa8c5, 0xa8c5},     {0xa8ff, 0xa8ff},
    {0xa9bd, 0xa9bd},     {0x10d24, 0x10f89},   {0x11070, 0x11074},   {0x110c2, 0x110cd},   {0x111cf, 0x111cf},
    {0x1123e, 0x11241},   {0x1133b, 0x1133b},   {0x113bb, 0x1145e},   {0x11660, 0x1166c},   {0x116b9, 0x116b9},
    {0x1182f, 0x11fff},   {0x12ff1, 0x1612f},   {0x16d6d, 0x16f4f},   {0x16fe2, 0x16fe4},   {0x1cf00, 0x1d128},
    {0x1d25b, 0x1d25c},   {0x1e000, 0x1e6f5},   {0x1e944, 0x1e95f}};
// clang-format on

/// The class of a code point, as Unicode 8.0 has it.
inline text_kind text_class(std::uint32_t c) {
  if (c < 0x80) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return text_kind::blank;
    if (c < 0x20 || c == 0x7f) return text_kind::dropped;
    bool const alphanumeric = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    return alphanumeric ? text_kind::word : text_kind::punctuation;
  }
  switch (c) {
    case 0xfffd: return text_kind::dropped;  // the replacement of what could not be decoded
    case 0x166d:
    case 0x111c9: return text_kind::punctuation;  // recategorised after 8.0, as are the next two
    case 0x1734:
    case 0x1171e: return text_kind::mark;
    default: break;
  }
  auto const range = std::lower_bound(std::begin(after_unicode_8), std::end(after_unicode_8), c,
                                      [](auto const& r, std::uint32_t value) { return r.last < value; });
  if (range != std::end(after_unicode_8) && range->first <= c) return text_kind::word;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CO: return text_kind::dropped;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return text_kind::blank;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO: return text_kind::punctuation;
    case UTF8PROC_CATEGORY_MN: return text_kind::mark;
    default: return text_kind::word;
  }
}

/// Whether the tokenizer makes a word of this character alone. The last block begins at 2B920, not at 2B820 as in the
/// standard: the reference has it so, and its ids are what models were trained on.
constexpr bool is_ideograph(std::uint32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0xf900 && c <= 0xfaff) ||
         (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
         (c >= 0x2f800 && c <= 0x2fa1f);
}

}  // namespace tessera::io_detail

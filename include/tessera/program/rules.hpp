// SPDX-License-Identifier: Apache-2.0
// The rules that single vertices, accesses and steps must obey, as false variable templates: where one is broken, its
// name and its facts are what the compiler prints. Rules of whole programs are in tessera/plan/check.hpp.
#pragma once

#include <tessera/base/words.hpp>

namespace tessera {

template <class... Facts> inline constexpr bool field_can_be_read = false;
template <class... Facts> inline constexpr bool field_can_be_written = false;
template <class... Facts> inline constexpr bool every_field_connected = false;
template <class... Facts> inline constexpr bool accesses_not_too_many = false;
template <class... Facts> inline constexpr bool element_types_match = false;
template <class... Facts> inline constexpr bool ranks_match = false;
template <class... Facts> inline constexpr bool argument_is_access = false;
template <class... Facts> inline constexpr bool state_type_matches = false;
template <class... Facts> inline constexpr bool state_is_trivially_copyable = false;
template <class... Facts> inline constexpr bool vertex_has_fields = false;
template <class... Facts> inline constexpr bool vertex_has_compute = false;
template <class... Facts> inline constexpr bool vertex_writes_something = false;
template <class... Facts> inline constexpr bool access_fits_rank = false;
template <class... Facts> inline constexpr bool box_is_constant = false;
template <class... Facts> inline constexpr bool index_is_integer_vector = false;
template <class... Facts> inline constexpr bool program_accepts_step = false;
template <class... Facts> inline constexpr bool copies_match = false;
template <class... Facts> inline constexpr bool tensor_names_differ = false;
template <class... Facts> inline constexpr bool tensor_is_known = false;
template <class... Facts> inline constexpr bool tensor_is_input = false;
template <class... Facts> inline constexpr bool tensor_is_output = false;

}  // namespace tessera

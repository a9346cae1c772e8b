// SPDX-License-Identifier: Apache-2.0
// How reports name records: access 7 of the heat program -> "halo(1, 0)".
#pragma once

#include <tessera/plan/advice.hpp>

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tessera::report::detail {

/// The parts one after the other. A function of its own, since each `+` of strings is compiled again where it stands.
[[gnu::noinline]] inline std::string join(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (std::string_view part : parts) text += part;
  return text;
}
[[gnu::noinline]] inline std::string number(std::int64_t value) { return std::to_string(value); }

inline char const* name_of(step_kind kind) {
  switch (kind) {
    case step_kind::compute: return "compute";
    case step_kind::copy: return "copy";
    case step_kind::repeat_begin:
    case step_kind::repeat_end: return "repeat";
    case step_kind::while_begin:
    case step_kind::while_end: return "while";
    case step_kind::if_begin:
    case step_kind::if_end: return "if";
    case step_kind::if_else: return "else";
    case step_kind::block_begin:
    case step_kind::block_end: return "block";
  }
  return "";
}

inline char const* name_of(direction dir) {
  switch (dir) {
    case direction::in: return "in";
    case direction::out: return "out";
    case direction::inout: return "inout";
  }
  return "";
}

inline char const* name_of(field_form form) {
  switch (form) {
    case field_form::view: return "view";
    case field_form::bordered: return "bordered";
    case field_form::gathered: return "gathered";
    case field_form::shared: return "shared";
    case field_form::resident: return "resident";
    case field_form::staged: return "staged";
  }
  return "";
}

inline char const* name_of(access_kind kind) {
  switch (kind) {
    case access_kind::own: return "own";
    case access_kind::halo: return "halo";
    case access_kind::whole: return "whole";
    case access_kind::rows: return "rows";
    case access_kind::cols: return "cols";
    case access_kind::block: return "block";
    case access_kind::neighbour: return "neighbour";
    case access_kind::gather: return "gather";
    case access_kind::at: return "at";
    case access_kind::window: return "window";
  }
  return "";
}

/// "halo(1, 0)", "block(0, 2)", "gather by ids"; the layout where it is not row-major.
inline std::string describe(program_view const& p, access_record const& a) {
  std::string text = name_of(a.kind);
  auto const numbers = [&](auto const& value) {
    text += "(";
    for (int d = 0; d < p.tensors[a.tensor].rank; ++d) text += join({d > 0 ? ", " : "", number(value(a.dim[d]))});
    text += ")";
  };
  if (a.kind == access_kind::halo) numbers([](dim_rule const& rule) { return int{rule.radius}; });
  if (a.kind == access_kind::block) numbers([](dim_rule const& rule) { return int{rule.fixed}; });
  if (a.kind == access_kind::neighbour) numbers([](dim_rule const& rule) { return int{rule.shift}; });
  if (a.kind == access_kind::window)
    text += join({"(", number(a.window.reach), " lines, stride ", number(a.window.stride), ")"});
  if (a.kind == access_kind::gather) text += join({" by ", p.tensors[a.index].name});
  switch (a.layout.kind) {
    case layout_kind::row_major: break;
    case layout_kind::padded: text += ", rows apart in cache"; break;
    case layout_kind::col_major: text += ", by columns"; break;
    case layout_kind::panels: text += join({", panels of ", number(a.layout.width)}); break;
    case layout_kind::row_panels: text += join({", row panels of ", number(a.layout.width)}); break;
  }
  return text;
}

inline std::string tiles_of(execute_record const& e) {
  if (e.first_tile == e.last_tile) return number(e.first_tile);
  std::string const range = join({number(e.first_tile), " to ", number(e.last_tile)});
  return e.stride > 1 ? join({range, " by ", number(e.stride)}) : range;
}

/// One line about a step.
inline std::string title_of(program_view const& p, step_record const& step, bool swap) {
  std::string text;
  switch (step.kind) {
    case step_kind::compute:
      for (int i = step.first; i < step.first + step.count && i < step.first + 4; ++i)
        text += join({i > step.first ? ", " : "", p.kernels[p.executes[i].kernel].name});
      if (step.count > 4) text += ", …";
      return text;
    case step_kind::copy:
      return join({swap ? "swap " : "copy ", p.tensors[p.accesses[step.first].tensor].name, swap ? " and " : " to ",
                   p.tensors[p.accesses[step.first + 1].tensor].name});
    case step_kind::repeat_begin: return join({"repeat ", number(step.count), " times"});
    case step_kind::while_begin: return join({"while ", p.tensors[step.tensor].name});
    case step_kind::if_begin: return join({"if ", p.tensors[step.tensor].name});
    case step_kind::block_begin: return join({"block ", step.name});
    case step_kind::if_else: return "else";
    default: return join({"end of ", name_of(step.kind)});
  }
}

/// A number with the unit that leaves it three or four digits:  "384.0 KiB".
inline std::string bytes_text(std::int64_t bytes) {
  if (bytes < 10240) return join({number(bytes), " B"});
  char text[32];
  double const value = static_cast<double>(bytes);
  if (bytes < 10 * 1048576) std::snprintf(text, sizeof text, "%.1f KiB", value / 1024);
  else std::snprintf(text, sizeof text, "%.1f MiB", value / 1048576);
  return text;
}

inline std::string cycles_text(double cycles) {
  char text[32];
  std::snprintf(text, sizeof text, cycles < 1e6 ? "%.0f" : "%.4g", cycles);
  return text;
}

/// A finding as a sentence with its remedy.
inline std::string sentence(program_view const& p, advice_record const& finding) {
  step_record const& step = p.steps[finding.step];
  std::string const where = join({"step ", number(finding.step), " (", title_of(p, step, false), ")"});
  char const* const tensor = finding.tensor >= 0 ? p.tensors[finding.tensor].name : "";
  switch (finding.kind) {
    case advice_kind::dead_write:
      return join({where, " writes ", tensor,
                   ", which nothing reads afterwards: leave the write out, or declare an output"});
    case advice_kind::idle_tiles:
      return join({where, " leaves ", number(finding.value), " of ", number(finding.bound),
                   " tiles idle: spread what it writes over more of them"});
    case advice_kind::working_set:
      return join({where, ": a vertex of type ", p.kernels[p.executes[finding.execute].kernel].name, " touches ",
                   bytes_text(finding.value), ", the machine's working set is ", bytes_text(finding.bound),
                   ": use smaller blocks, or more steps over parts of them"});
    case advice_kind::ping_pong:
      return join({where, " moves ", bytes_text(finding.value), " out of ", tensor,
                   ", which is not read afterwards: let alternate steps write the two tensors instead"});
    case advice_kind::needless_copy:
      return join({where, " copies ", tensor, ", which never changes: read ", tensor, " itself"});
  }
  return where;
}

}  // namespace tessera::report::detail

// SPDX-License-Identifier: Apache-2.0
// Where the time of runs went, as a table for terminals: by vertex type, and step by step.
//
//   engine.profile(true);   engine.run();
//   std::puts(ts::report::profile(engine, ts::simd::fma_peak()).c_str());
#pragma once

#include <tessera/report/detail/words.hpp>
#include <tessera/runtime/executor.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::report {

namespace detail {

/// Sums over some steps.
struct profile_row {
  std::string what;
  step_profile sum;
  double exchanged = 0;   ///< bytes that the exchange fills buffers with

  void add(step_profile const& step, double bytes) {
    sum.runs += step.runs;
    sum.seconds += step.seconds;
    sum.waited += step.waited;
    sum.flops += step.flops;
    sum.bytes += step.bytes;
    exchanged += bytes;
  }
};

/// Bytes of the buffers that a step's exchange fills, each time it runs.
inline double exchanged_bytes(plan_view const& plan, step_record const& step) {
  double bytes = 0;
  if (step.kind != step_kind::compute) return 0;
  for (int e = step.first; e < step.first + step.count; ++e) {
    execute_record const& x = plan.program.executes[e];
    for (int i = x.first_access; i < x.first_access + x.accesses; ++i)
      if (plan.access[i].form != field_form::view && plan.access[i].form != field_form::resident)
        bytes += static_cast<double>(plan.access[i].boxes) * static_cast<double>(plan.access[i].box_bytes);
  }
  return bytes;
}

/// A vertex type without the library's own namespaces: "codelets::layer_norm".
inline std::string short_name(std::string text) {
  constexpr std::string_view library = "tessera::";
  for (std::size_t at = 0; (at = text.find(library, at)) != std::string::npos;) {
    bool const other = at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_');
    text.erase(at, other ? 0 : library.size());
    at += other ? library.size() : 0;
    for (std::string_view const isa : {"v2", "v3", "v4", "neon", "baseline"})
      for (std::string_view const end : {"::", "_checked::"})
        if (std::string const space = join({isa, end}); !other && text.compare(at, space.size(), space) == 0)
          text.erase(at, space.size());
  }
  return text;
}

/// The first parameter that a step reads, which tells a model's layers apart; empty if it reads none.
inline std::string_view parameter_of(plan_view const& plan, step_record const& step) {
  program_view const& p = plan.program;
  if (step.kind != step_kind::compute) return {};
  execute_record const& x = p.executes[step.first];
  for (int i = x.first_access; i < x.first_access + x.accesses; ++i)
    if (tensor_record const& t = p.tensors[p.accesses[i].tensor]; t.parameter) return t.name;
  return {};
}

/// "6 x 8 tiles of 22 x 48": how the first tensor that a step writes is split.
inline std::string split_of(plan_view const& plan, step_record const& step) {
  program_view const& p = plan.program;
  if (step.kind != step_kind::compute) return "";
  execute_record const& x = p.executes[step.first];
  for (int i = x.first_access; i < x.first_access + x.accesses; ++i) {
    if (p.accesses[i].dir == direction::in) continue;
    tensor_record const& t = p.tensors[p.accesses[i].tensor];
    std::string tiles, block;
    for (int d = 0; d < t.rank; ++d) {
      tiles += join({d > 0 ? " x " : "", number(t.map.grid[d])});
      block += join({d > 0 ? " x " : "", number((t.extent[d] + t.map.grid[d] - 1) / t.map.grid[d])});
    }
    return join({tiles, " tiles of ", block});
  }
  return "";
}

inline std::string profile_line(profile_row const& row, double total, double peak) {
  step_profile const& s = row.sum;
  char text[160];
  int const length = std::snprintf(text, sizeof text, "%8lld %10.3f %6.1f %9.3f %10.2f", static_cast<long long>(s.runs),
                                   1e3 * s.seconds, total > 0 ? 100 * s.seconds / total : 0, 1e3 * s.waited,
                                   s.seconds > 0 ? 1e-9 * s.flops / s.seconds : 0);
  std::string line(text, static_cast<std::size_t>(length));
  if (peak > 0) {
    std::snprintf(text, sizeof text, " %7.1f", s.seconds > 0 ? 1e-7 * s.flops / s.seconds / peak : 0);
    line += text;
  }
  std::snprintf(text, sizeof text, " %11.3f  ", row.exchanged / 1048576);
  return line + text + row.what + "\n";
}

/// @param peak  GFLOP/s of all threads together, or 0: no column for it
inline std::string profile_text(plan_view const& plan, std::vector<step_profile> const& steps, double peak) {
  program_view const& p = plan.program;
  std::vector<profile_row> by_vertex, by_step;
  double total = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    step_record const& step = p.steps[s];
    if (steps[s].runs == 0) continue;
    if (step.kind != step_kind::compute && step.kind != step_kind::copy && !plan.barrier_before[s]) continue;
    total += steps[s].seconds;
    double const bytes = exchanged_bytes(plan, step) * static_cast<double>(steps[s].runs);
    std::string const what = short_name(title_of(p, step, plan.swap[s]));
    auto const same = [&](profile_row const& row) { return row.what == what; };
    auto row = std::find_if(by_vertex.begin(), by_vertex.end(), same);
    if (row == by_vertex.end()) row = by_vertex.insert(row, profile_row{what, {}, 0});
    row->add(steps[s], bytes);
    std::string_view const parameter = parameter_of(plan, step);
    profile_row alone{join({number(static_cast<std::int64_t>(s)), "  ", what, "  ", parameter,
                            parameter.empty() ? "" : "  ", split_of(plan, step)}),
                      {},
                      0};
    alone.add(steps[s], bytes);
    by_step.push_back(std::move(alone));
  }
  std::sort(by_vertex.begin(), by_vertex.end(),
            [](profile_row const& a, profile_row const& b) { return a.sum.seconds > b.sum.seconds; });
  std::string const head = join(
      {"   times         ms      %    waited    GFLOP/s", peak > 0 ? "  % peak" : "", "  MiB packed  "});
  std::string out = join({head, "vertex\n"});
  profile_row all{"all", {}, 0};
  for (profile_row const& row : by_vertex) {
    out += profile_line(row, total, peak);
    all.add(row.sum, row.exchanged);
  }
  out += profile_line(all, total, peak) + join({"\n", head, "step\n"});
  for (profile_row const& row : by_step) out += profile_line(row, total, peak);
  return out;
}

}  // namespace detail

/// The times of an engine or model since profile(true): a row for each vertex type and each step. `times` counts runs,
/// `ms` is the thread that worked longest with its exchange, `waited` the one that waited longest before.
/// @param peak  GFLOP/s of one core, see simd/peak.hpp; 0 leaves its column out
template <class Engine>
std::string profile(Engine const& engine, double peak = 0) {
  return detail::profile_text(engine.plan(), engine.profile(), peak * engine.threads());
}

}  // namespace tessera::report

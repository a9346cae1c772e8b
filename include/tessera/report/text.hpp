// SPDX-License-Identifier: Apache-2.0
// A report as plain text for terminals.
#pragma once

#include <tessera/report/data.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace tessera::report {

namespace detail {
[[gnu::noinline]] inline std::string padded(std::string_view text, std::size_t width) {
  return join({std::string(width > text.size() ? width - text.size() : 0, ' '), text});
}
}  // namespace detail

/// Program tree with costs, memory by class of tiles and live range ('#': the step occupies the bytes), advice.
inline std::string text(data const& d) {
  using detail::bytes_text, detail::cycles_text, detail::join, detail::number, detail::padded;
  std::string out =
      join({"machine: ", number(d.target.tiles), " tiles, ", d.target.shared ? "shared" : "private", " memory, ",
            bytes_text(d.target.bytes_per_tile), " a tile\nprogram: ", number(d.tensors), " tensors, ",
            number(d.supersteps), " compute sets, ", number(d.barriers), " barriers, ", number(d.swaps),
            " swaps\n\n    step   compute  exchange      sync     times  ('|': barrier before, '/': inside)\n"});
  for (std::size_t s = 0; s < d.steps.size(); ++s) {
    step_line const& line = d.steps[s];
    if (line.closes) continue;
    out += padded(number(static_cast<std::int64_t>(s)), 8);
    bool const costs = line.kind == "compute" || line.kind == "copy" || line.cost.sync > 0;
    for (double cycles : {line.cost.compute, line.cost.exchange, line.cost.sync, line.cost.times})
      out += padded(costs ? cycles_text(cycles) : "", 10);
    std::string const indent(static_cast<std::size_t>(2 * line.depth), ' ');
    out += join({" ", line.barrier_before ? "|" : " ", line.barrier_inside ? "/ " : "  ", indent, line.title,
                 line.cost.counted || !costs ? "" : "  (the cheaper branch, not counted)",
                 line.cost.guessed ? "  (compute guessed)" : "", "\n"});
    for (vertex_line const& vertex : line.vertices)
      for (field_line const& field : vertex.fields)
        if (field.priced)
          out += join({padded("", 53), indent, field.tensor, ": ", field.access, " is ", field.form, ", ",
                       number(field.boxes), " x ", bytes_text(field.box_bytes), "\n"});
  }
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, ", %.3g s", d.seconds);
  out += join({"\ncycles: ", cycles_text(d.cycles), " (compute ", cycles_text(d.total.compute), ", exchange ",
               cycles_text(d.total.exchange), ", sync ", cycles_text(d.total.sync), ")", seconds,
               d.open_ended ? ", while loops counted once" : "", d.guessed ? ", some vertices guessed" : ""});
  if (d.critical_step >= 0)
    out += join({"\nmost of them in step ", number(d.critical_step), ", slowest on tile ", number(d.critical_tile)});
  out += "\n";
  for (class_report const& c : d.classes) {
    out += join({"\ntiles ", number(c.tiles.first), " to ", number(c.tiles.last), ": ", bytes_text(c.tile_bytes), " of ",
                 bytes_text(d.target.bytes_per_tile), " a tile, most at: ", c.fullest_step, "\n",
                 d.target.shared ? "arena of the machine " : "arena of a tile ", bytes_text(c.arena_bytes),
                 ", live at once ", bytes_text(c.live_bytes), "\n"});
    for (item_line const& item : c.items) {
      std::string live;
      if (item.live.size() <= 64)
        for (bool here : item.live) live += here ? '#' : '.';
      bool const plain = item.kind == "tensor" || item.kind == "scratch";
      out += join({padded(number(item.offset), 12), padded(bytes_text(item.bytes), 12), "  ", live, "  ", item.name,
                   plain ? "" : " (", plain ? "" : item.kind, plain ? "\n" : ")\n"});
    }
  }
  if (d.parameter_bytes > 0) out += join({"\nparameters: ", bytes_text(d.parameter_bytes), "\n"});
  for (std::string const& advice : d.advice) out += join({"\nadvice: ", advice});
  if (!d.advice.empty()) out += "\n";
  return out;
}

}  // namespace tessera::report

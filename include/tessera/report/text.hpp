// SPDX-License-Identifier: Apache-2.0
// A report as plain text for terminals.
#pragma once

#include <tessera/report/data.hpp>

#include <cstdio>
#include <string>

namespace tessera::report {

namespace detail {
inline std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}
}  // namespace detail

/// Program tree with costs, memory by class of tiles and live range ('#': the step occupies the bytes), advice.
inline std::string text(data const& d) {
  using detail::bytes_text, detail::cycles_text, detail::padded;
  std::string out = "machine: " + std::to_string(d.target.tiles) + " tiles, " +
                    (d.target.shared ? "shared" : "private") + " memory, " + bytes_text(d.target.bytes_per_tile) +
                    " a tile\nprogram: " + std::to_string(d.tensors) + " tensors, " + std::to_string(d.supersteps) +
                    " compute sets, " + std::to_string(d.barriers) + " barriers, " + std::to_string(d.swaps) +
                    " swaps\n\n    step   compute  exchange      sync     times  ('|': barrier before, '/': inside)\n";
  for (std::size_t s = 0; s < d.steps.size(); ++s) {
    step_line const& line = d.steps[s];
    if (line.closes) continue;
    std::string row = padded(std::to_string(s), 8);
    bool const costs = line.kind == "compute" || line.kind == "copy" || line.cost.sync > 0;
    for (double cycles : {line.cost.compute, line.cost.exchange, line.cost.sync})
      row += padded(costs ? cycles_text(cycles) : "", 10);
    row += padded(costs ? cycles_text(line.cost.times) : "", 10) + " ";
    row += std::string(line.barrier_before ? "|" : " ") + (line.barrier_inside ? "/ " : "  ");
    out += row + std::string(static_cast<std::size_t>(2 * line.depth), ' ') + line.title +
           (line.cost.counted || !costs ? "" : "  (the cheaper branch, not counted)") +
           (line.cost.guessed ? "  (compute guessed)" : "") + "\n";
    for (vertex_line const& vertex : line.vertices)
      for (field_line const& field : vertex.fields)
        if (field.priced)
          out += std::string(53 + static_cast<std::size_t>(2 * line.depth), ' ') + field.tensor + ": " + field.access +
                 " is " + field.form + ", " + std::to_string(field.boxes) + " x " + bytes_text(field.box_bytes) + "\n";
  }
  out += "\ncycles: " + cycles_text(d.cycles) + " (compute " + cycles_text(d.total.compute) + ", exchange " +
         cycles_text(d.total.exchange) + ", sync " + cycles_text(d.total.sync) + ")";
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, ", %.3g s", d.seconds);
  out += seconds;
  if (d.open_ended) out += ", while loops counted once";
  if (d.guessed) out += ", some vertices guessed";
  if (d.critical_step >= 0)
    out += "\nmost of them in step " + std::to_string(d.critical_step) + ", slowest on tile " +
           std::to_string(d.critical_tile);
  out += "\n";
  for (class_report const& c : d.classes) {
    out += "\ntiles " + std::to_string(c.tiles.first) + " to " + std::to_string(c.tiles.last) + ": " +
           bytes_text(c.tile_bytes) + " of " + bytes_text(d.target.bytes_per_tile) +
           " a tile, most at: " + c.fullest_step + "\n" +
           (d.target.shared ? "arena of the machine " : "arena of a tile ") + bytes_text(c.arena_bytes) +
           ", live at once " + bytes_text(c.live_bytes) + "\n";
    for (item_line const& item : c.items) {
      out += padded(std::to_string(item.offset), 12) + padded(bytes_text(item.bytes), 12) + "  ";
      if (item.live.size() <= 64)
        for (bool live : item.live) out += live ? '#' : '.';
      out += "  " + item.name + (item.kind == "tensor" || item.kind == "scratch" ? "" : " (" + item.kind + ")") + "\n";
    }
  }
  if (d.parameter_bytes > 0) out += "\nparameters: " + bytes_text(d.parameter_bytes) + "\n";
  for (std::string const& advice : d.advice) out += "\nadvice: " + advice;
  if (!d.advice.empty()) out += "\n";
  return out;
}

}  // namespace tessera::report

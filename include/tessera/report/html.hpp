// SPDX-License-Identifier: Apache-2.0
// A report as one HTML file that needs nothing else: no scripts, no network.
#pragma once

#include <tessera/report/data.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

namespace tessera::report {

namespace detail {

/// Text as HTML shows it.
inline std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  return out;
}

inline constexpr std::string_view page_head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1a1a1a; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; } h3 { font-size: 1rem; margin-bottom: .3rem; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; }
td, th { padding: .15rem .6rem .15rem 0; border-bottom: 1px solid #e6e6e6; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.dim { color: #767676; } .field { font-size: .85rem; color: #767676; }
svg { display: block; width: 100%; height: auto; background: #f6f6f6; }
.bar { display: inline-block; height: .6rem; vertical-align: middle; }
.compute { background: #3b6fb6; } .exchange { background: #d98a2b; } .sync { background: #9a9a9a; }
.barrier { color: #b03030; font-size: .85rem; }
</style>
)";

/// A bar of three parts, `full` cycles wide at most.
inline std::string cost_bar(step_cost const& c, double full) {
  if (full <= 0) return {};
  std::string out;
  auto const part = [&](char const* kind, double cycles) {
    double const width = 8 * cycles * c.times / full;
    if (width < 0.01) return;
    char text[64];
    std::snprintf(text, sizeof text, "<span class=\"bar %s\" style=\"width:%.2frem\"></span>", kind, width);
    out += text;
  };
  part("compute", c.compute);
  part("exchange", c.exchange);
  part("sync", c.sync);
  return out;
}

/// Offsets downwards, steps to the right, a box for each item and run of steps that occupies it.
inline std::string memory_picture(class_report const& c) {
  if (c.items.empty() || c.arena_bytes == 0) return {};
  std::size_t const columns = c.items.front().live.size();
  double const width = 900.0 / static_cast<double>(columns);
  double const scale = 260.0 / static_cast<double>(c.arena_bytes);
  std::string out = "<svg viewBox=\"0 0 900 260\" role=\"img\" aria-label=\"memory by offset and step\">\n";
  int number = 0;
  for (item_line const& item : c.items) {
    int const hue = number++ * 47 % 360;
    for (std::size_t s = 0; s < columns; ++s) {
      if (!item.live[s]) continue;
      std::size_t last = s;
      while (last + 1 < columns && item.live[last + 1]) ++last;
      char text[256];
      double const height = static_cast<double>(item.bytes) * scale;
      std::snprintf(text, sizeof text,
                    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"hsl(%d 45%% 62%%)\" "
                    "stroke=\"white\" stroke-width=\".5\"><title>",
                    width * static_cast<double>(s), static_cast<double>(item.offset) * scale,
                    width * static_cast<double>(last - s + 1), height, hue);
      out += text + escaped(item.name) + ", " + bytes_text(item.bytes) + "</title></rect>\n";
      s = last;
    }
  }
  return out + "</svg>\n";
}

inline std::string cell(std::string const& text) { return "<td class=\"n\">" + text + "</td>"; }

}  // namespace detail

/// The report as a page.
inline std::string html(data const& d) {
  using detail::bytes_text, detail::cell, detail::cycles_text, detail::escaped;
  std::string out{detail::page_head};
  std::string const title = escaped(d.title);
  out += "<title>" + title + "</title></head><body>\n<h1>" + title + "</h1>\n<p>" + std::to_string(d.target.tiles) +
         " tiles with " +
         (d.target.shared ? "shared" : "private") + " memory, " + bytes_text(d.target.bytes_per_tile) + " a tile. " +
         std::to_string(d.tensors) + " tensors, " + std::to_string(d.supersteps) + " compute sets, " +
         std::to_string(d.barriers) + " barriers, " + std::to_string(d.swaps) + " swaps.</p>\n<p>" +
         cycles_text(d.cycles) + " cycles: compute " + cycles_text(d.total.compute) + ", exchange " +
         cycles_text(d.total.exchange) + ", sync " + cycles_text(d.total.sync);
  if (d.critical_step >= 0)
    out += "; most of them in step " + std::to_string(d.critical_step) + ", slowest on tile " +
           std::to_string(d.critical_tile);
  out += std::string(d.open_ended ? "; while loops are counted once" : "") +
         (d.guessed ? "; some vertices do not state their cost, which is guessed" : "") + ".</p>\n";

  if (!d.advice.empty()) {
    out += "<h2>Advice</h2>\n<ul>\n";
    for (std::string const& advice : d.advice) out += "<li>" + escaped(advice) + "</li>\n";
    out += "</ul>\n";
  }

  double most = 0;
  for (step_line const& line : d.steps) most = std::max(most, line.cost.times * line.cost.cycles());
  out +=
      "<h2>Steps</h2>\n<table><tr><th class=\"n\"></th><th>step</th><th class=\"n\">compute</th>"
      "<th class=\"n\">exchange</th><th class=\"n\">sync</th><th class=\"n\">times</th>"
      "<th>all times together</th></tr>\n";
  for (std::size_t s = 0; s < d.steps.size(); ++s) {
    step_line const& line = d.steps[s];
    if (line.closes) continue;
    bool const costs = line.kind == "compute" || line.kind == "copy" || line.cost.sync > 0;
    out += "<tr" + std::string(line.cost.counted || !costs ? "" : " class=\"dim\"") + "><td class=\"n dim\">" +
           std::to_string(s) + "</td><td style=\"padding-left:" + std::to_string(line.depth * 2) + "em\">" +
           escaped(line.title);
    if (line.barrier_before) out += " <span class=\"barrier\">barrier before</span>";
    if (line.barrier_inside) out += " <span class=\"barrier\">barrier after packing</span>";
    for (vertex_line const& vertex : line.vertices) {
      out += "<div class=\"field\">" + escaped(vertex.name) + " on tiles " + vertex.tiles + "</div>";
      for (field_line const& f : vertex.fields) {
        out += "<div class=\"field\">&nbsp; " + std::string(f.direction) + " " + escaped(f.tensor) + ": " +
               escaped(f.access) + ", " + std::string(f.form);
        if (f.priced) out += ", " + std::to_string(f.boxes) + " × " + bytes_text(f.box_bytes);
        out += "</div>";
      }
    }
    out += "</td>";
    for (double cycles : {line.cost.compute, line.cost.exchange, line.cost.sync, line.cost.times})
      out += cell(costs ? cycles_text(cycles) : "");
    out += "<td>" + (costs ? detail::cost_bar(line.cost, most) : "") + "</td></tr>\n";
  }
  out +=
      "</table>\n<p class=\"dim\"><span class=\"bar compute\" style=\"width:1rem\"></span> compute "
      "<span class=\"bar exchange\" style=\"width:1rem\"></span> exchange "
      "<span class=\"bar sync\" style=\"width:1rem\"></span> sync</p>\n<h2>Memory</h2>\n";

  for (class_report const& c : d.classes) {
    out += "<h3>Tiles " + std::to_string(c.tiles.first) + " to " + std::to_string(c.tiles.last) + "</h3>\n<p>" +
           bytes_text(c.tile_bytes) + " of " + bytes_text(d.target.bytes_per_tile) +
           " a tile, most at: " + escaped(c.fullest_step) + ". " +
           (d.target.shared ? "The machine's arena has " : "A tile's arena has ") + bytes_text(c.arena_bytes) +
           "; live at once are " + bytes_text(c.live_bytes) + ".</p>\n" + detail::memory_picture(c) +
           "<table><tr><th>item</th><th></th><th class=\"n\">bytes</th><th class=\"n\">offset</th>"
           "<th>steps</th></tr>\n";
    for (item_line const& item : c.items) {
      out += "<tr><td>" + escaped(item.name) + "</td><td class=\"dim\">" + std::string(item.kind) + "</td>" +
             cell(bytes_text(item.bytes)) + cell(std::to_string(item.offset)) + "<td>";
      std::string ranges;
      for (std::size_t s = 0; s + 1 < item.live.size(); ++s) {
        if (!item.live[s]) continue;
        std::size_t last = s;
        while (last + 2 < item.live.size() && item.live[last + 1]) ++last;
        ranges += (ranges.empty() ? "" : ", ") + std::to_string(s) + (last > s ? " to " + std::to_string(last) : "");
        s = last;
      }
      if (!item.live.empty() && item.live.back()) ranges += ranges.empty() ? "between runs" : ", between runs";
      out += ranges + "</td></tr>\n";
    }
    out += "</table>\n";
  }
  if (d.parameter_bytes > 0) out += "<p>Parameters: " + bytes_text(d.parameter_bytes) + ".</p>\n";
  return out + "</body></html>\n";
}

}  // namespace tessera::report

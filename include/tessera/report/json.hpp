// SPDX-License-Identifier: Apache-2.0
// A report as JSON, for other programs. Needs nlohmann-json.
#pragma once

#include <tessera/report/data.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace tessera::report {

/// The report as one JSON object. Bytes and cycles are numbers; `live` lists steps as [first, last] pairs.
inline std::string json(data const& d) {
  using nlohmann::json;
  json out;
  out["machine"] = {{"tiles", d.target.tiles},
                    {"shared", d.target.shared},
                    {"bytes_per_tile", d.target.bytes_per_tile},
                    {"working_set", d.target.working_set},
                    {"clock_hz", d.target.clock_hz}};
  out["tensors"] = d.tensors;
  out["barriers"] = d.barriers;
  out["swaps"] = d.swaps;
  out["parameter_bytes"] = d.parameter_bytes;
  out["cycles"] = {{"total", d.cycles},    {"compute", d.total.compute}, {"exchange", d.total.exchange},
                   {"sync", d.total.sync}, {"guessed", d.guessed},       {"while_loops_counted_once", d.open_ended}};
  out["seconds"] = d.seconds;
  out["critical_step"] = d.critical_step;
  out["critical_tile"] = d.critical_tile;
  out["steps"] = json::array();
  for (std::size_t s = 0; s < d.steps.size(); ++s) {
    step_line const& line = d.steps[s];
    json step = {{"step", s},
                 {"kind", line.kind},
                 {"title", line.title},
                 {"depth", line.depth},
                 {"ends", line.closes},
                 {"barrier_before", line.barrier_before},
                 {"barrier_inside", line.barrier_inside}};
    if (line.kind == "compute" || line.kind == "copy") {
      step["cost"] = {{"compute", line.cost.compute},
                      {"exchange", line.cost.exchange},
                      {"sync", line.cost.sync},
                      {"times", line.cost.times},
                      {"counted", line.cost.counted},
                      {"critical_tile", line.cost.critical_tile},
                      {"exchange_tile", line.cost.exchange_tile},
                      {"exchange_bytes", line.cost.exchange_bytes},
                      {"running_tiles", line.cost.running_tiles}};
      for (vertex_line const& vertex : line.vertices) {
        json fields = json::array();
        for (field_line const& f : vertex.fields)
          fields.push_back({{"tensor", f.tensor},
                            {"access", f.access},
                            {"direction", f.direction},
                            {"form", f.form},
                            {"boxes", f.boxes},
                            {"box_bytes", f.box_bytes}});
        step["vertices"].push_back({{"vertex", vertex.name}, {"tiles", vertex.tiles}, {"fields", fields}});
      }
    }
    out["steps"].push_back(step);
  }
  out["memory"] = json::array();
  for (class_report const& c : d.classes) {
    json items = json::array();
    for (item_line const& item : c.items) {
      json live = json::array();
      for (std::size_t s = 0; s < item.live.size(); ++s) {
        if (!item.live[s]) continue;
        std::size_t last = s;
        while (last + 1 < item.live.size() && item.live[last + 1]) ++last;
        live.push_back({s, last});
        s = last;
      }
      items.push_back(
          {{"name", item.name}, {"kind", item.kind}, {"bytes", item.bytes}, {"offset", item.offset}, {"live", live}});
    }
    out["memory"].push_back({{"first_tile", c.tiles.first},
                             {"last_tile", c.tiles.last},
                             {"arena_bytes", c.arena_bytes},
                             {"live_bytes", c.live_bytes},
                             {"tile_bytes", c.tile_bytes},
                             {"fullest_step", c.fullest_step},
                             {"items", items}});
  }
  out["advice"] = d.advice;
  return out.dump(2, ' ', false, json::error_handler_t::replace);  // names may be any bytes
}

}  // namespace tessera::report

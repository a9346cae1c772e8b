// SPDX-License-Identifier: Apache-2.0
// A program that is timed in turn with others: it sets up once, then works when a line on its standard input says so.
//
//   tessera::benchmarks::contender me([&] { pass(); });           round 0.5   {"ms":[12.1,12.0],"share":[1.0,0.99]}
//   me.on("save", [&](std::string const& path) { … });            save y.npy  {}
//   me.obey(std::cin, std::cout, {{"setup_s", 0.3}});             peak        an error: no such command
//
// Each line is answered by one line of JSON. `round SECONDS` makes passes over the work until the time is up, at least
// one: the wall time of each in milliseconds, and the CPU time of all threads divided by it, which shows whether others
// took a core meanwhile.
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <utility>

namespace tessera::benchmarks {

/// Seconds of CPU time that all threads of this process have used.
inline double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Commands by name, `round` among them. A command gets what follows its name in the line.
class contender {
 public:
  using command = std::function<nlohmann::json(std::string const&)>;

  explicit contender(std::function<void()> pass) : pass_(std::move(pass)) {
    on("round", [this](std::string const& seconds) { return round(std::strtod(seconds.c_str(), nullptr)); });
  }
  contender(contender const&) = delete;
  contender& operator=(contender const&) = delete;

  void on(std::string const& name, command does) { commands_[name] = std::move(does); }

  /// Writes the line `ready`, then answers line by line until `in` ends. What a command throws, and a command that is
  /// not there, is answered by {"error": …}.
  void obey(std::istream& in, std::ostream& out, nlohmann::json const& ready) const {
    out << ready.dump() << std::endl;
    for (std::string line; std::getline(in, line);) out << answer(line).dump() << std::endl;
  }

 private:
  nlohmann::json answer(std::string const& line) const {
    auto const space = line.find(' ');
    auto const found = commands_.find(line.substr(0, space));
    if (found == commands_.end()) return {{"error", "no such command: " + line}};
    try {
      return found->second(space == std::string::npos ? std::string() : line.substr(space + 1));
    } catch (std::exception const& failure) {
      return {{"error", failure.what()}};
    }
  }

  nlohmann::json round(double seconds) const {
    using clock = std::chrono::steady_clock;
    nlohmann::json ms = nlohmann::json::array();
    nlohmann::json share = nlohmann::json::array();
    auto const end = clock::now() + std::chrono::duration<double>(seconds);
    do {
      double const cpu = cpu_seconds();
      auto const start = clock::now();
      pass_();
      double const wall = std::chrono::duration<double>(clock::now() - start).count();
      share.push_back((cpu_seconds() - cpu) / wall);
      ms.push_back(1e3 * wall);
    } while (clock::now() < end);
    return {{"ms", ms}, {"share", share}};
  }

  std::function<void()> pass_;
  std::map<std::string, command> commands_;
};

}  // namespace tessera::benchmarks

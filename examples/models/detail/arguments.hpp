// SPDX-License-Identifier: Apache-2.0
// The command lines of the model programs: options they share, and how they end.
//
//   cli::program program("tessera-run", "Runs a bundled model on arrays.");
//   program.weights(source).inputs(arrays).threads(count).output_folder(folder);
//   return program.run(argc, argv, [&] { … });
//
// Whatever goes wrong is one line on the standard error: exit status 2 for a wrong command line, 1 for anything later.
// The values of options are checked before the program's work begins. Needs CLI11.
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/io/detail/describe.hpp>

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace cli {

/// NAME=FILE: an array for the model's input NAME.
struct named_file {
  std::string name;
  std::string path;
};

/// FILE, or synthetic:SEED.
struct weights_source {
  std::string path;                   ///< empty if they are synthetic
  std::optional<std::uint64_t> seed;  ///< set if they are synthetic
};

/// A whole number from `lowest` to `highest` in decimal digits, nothing around it.
template <class Integer>
std::optional<Integer> whole_number(std::string_view text, Integer lowest, Integer highest) {
  Integer value{};
  auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < lowest || value > highest)
    return std::nullopt;
  return value;
}

/// KEY=VALUE pairs. A model takes the keys it knows; what is left over is an error.
class configuration {
 public:
  /// Adds a pair; false if the key is there already.
  bool add(std::string key, std::string value) { return values_.emplace(std::move(key), std::move(value)).second; }

  /// The value of `key` as a whole number, or `fallback` if it was not given.
  /// @throws tessera::input_error  if it is no whole number from `lowest` to `highest`
  std::int64_t integer(std::string const& key, std::int64_t fallback, std::int64_t lowest, std::int64_t highest) {
    std::string const* const text = take(key);
    if (text == nullptr) return fallback;
    if (auto const value = whole_number(*text, lowest, highest)) return *value;
    throw tessera::input_error("--config " + key + ": " + tessera::io_detail::in_quotes(*text) +
                                   " is not a whole number from " + std::to_string(lowest) + " to " +
                                   std::to_string(highest),
                               key);
  }
  /// The value of `key` as it is, or `fallback` if it was not given.
  std::string text(std::string const& key, std::string fallback = "") {
    std::string const* const found = take(key);
    return found == nullptr ? fallback : *found;
  }
  /// Call it when every known key has been asked for.
  /// @throws tessera::input_error  if another key was given
  void refuse_the_rest() const {
    for (auto const& [key, value] : values_) {
      if (!taken_.contains(key)) {
        throw tessera::input_error("--config " + tessera::io_detail::in_quotes(key) + ": the model has no such setting",
                                   key);
      }
    }
  }

 private:
  std::string const* take(std::string const& key) {
    taken_.insert(key);
    auto const found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }

  std::map<std::string, std::string> values_;
  std::set<std::string> taken_;
};

/// `text` on one line: control characters, which names from files may hold, become \xNN.
inline std::string one_line(std::string_view text) {
  std::string result;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      result += c;
      continue;
    }
    char code[5];
    std::snprintf(code, sizeof code, "\\x%02x", byte);
    result += code;
  }
  return result;
}

/// A line that says which tensors of a file of weights the model has not read: as a rule the heads of another model,
/// sometimes it is the wrong file. Empty if there are none.
inline std::string warning_of_unused(std::string const& path, std::vector<std::string> const& names) {
  constexpr std::size_t named = 3;
  if (names.empty()) return "";
  std::string text = path + ": warning: the model does not use " + std::to_string(names.size()) + " of its tensors: ";
  for (std::size_t i = 0; i < names.size() && i < named; ++i)
    text += (i > 0 ? ", " : "") + tessera::io_detail::in_quotes(names[i]);
  return one_line(text + (names.size() > named ? ", …" : "")) + "\n";
}

/// Writes what is left of the standard output.
/// @throws tessera::io_error  if it cannot be written
inline void flush_output() {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw tessera::io_error("standard output: cannot be written", "standard output");
}

/// A command-line program. `app` takes options of its own; those below are shared. References must outlive run().
class program {
 public:
  program(std::string name, std::string description) : app(std::move(description), name), name_(std::move(name)) {
    app.set_help_flag("-h,--help", "Print this text and exit");
  }

  CLI::App app;

  /// --weights FILE.safetensors|synthetic:SEED, required.
  program& weights(weights_source& into) {
    one("--weights", "FILE|synthetic:SEED", "Weights: a safetensors file, or made up from a seed",
        [&into](std::string const& text) {
          constexpr std::string_view prefix = "synthetic:";
          into = {};
          if (text == "synthetic") refuse("--weights", "synthetic: takes a seed, such as synthetic:1");
          if (!text.starts_with(prefix)) {
            if (text.empty()) refuse("--weights", "the name of a file, or synthetic:SEED, is missing");
            into.path = text;
            return;
          }
          into.seed = whole_number<std::uint64_t>(std::string_view(text).substr(prefix.size()), 0,
                                                  std::numeric_limits<std::uint64_t>::max());
          if (!into.seed) {
            refuse("--weights",
                   tessera::io_detail::in_quotes(text) + ": synthetic: takes a whole number from 0 to 2^64 - 1");
          }
        })
        ->required();
    return *this;
  }
  /// --input NAME=FILE.npy, any number of times, each name once.
  program& inputs(std::vector<named_file>& into) {
    many("--input", "NAME=FILE", "An array for one of the model's inputs", [&into](std::string name, std::string path) {
      for (auto const& other : into) {
        if (other.name == name) return false;
      }
      into.push_back({std::move(name), std::move(path)});
      return true;
    });
    return *this;
  }
  /// --config KEY=VALUE, any number of times, each key once.
  program& config(configuration& into) {
    many("--config", "KEY=VALUE", "A setting of the model",
         [&into](std::string key, std::string value) { return into.add(std::move(key), std::move(value)); });
    return *this;
  }
  /// --compile auto|never; `allowed` keeps its value if the option is not given.
  program& compile(bool& allowed) {
    one("--compile", "auto|never", "auto (the default): a model that is not compiled in is compiled; never: it is refused",
        [&allowed](std::string const& text) {
          if (text != "auto" && text != "never")
            refuse("--compile", tessera::io_detail::in_quotes(text) + " is neither auto nor never");
          allowed = text == "auto";
        });
    return *this;
  }
  /// --threads N from 1 to 1024; `into` keeps its value if the option is not given.
  program& threads(int& into) {
    one("--threads", "N", "Threads that run the tiles, from 1 to 1024 (" + std::to_string(into) + ")", [&into](std::string const& text) {
      auto const value = whole_number(text, 1, 1024);
      if (!value) refuse("--threads", tessera::io_detail::in_quotes(text) + " is not a whole number from 1 to 1024");
      into = *value;
    });
    return *this;
  }
  /// --output DIR, required: the folder results are written to.
  program& output_folder(std::string& into) {
    one("--output", "DIR", "Folder for the results; made if it is missing", [&into](std::string const& text) {
      if (text.empty()) refuse("--output", "the name of a folder is missing");
      into = text;
    })->required();
    return *this;
  }

  /// Parses the command line, does `work` and flushes the standard output. Returns the exit status.
  int run(int argc, char const* const* argv, std::function<void()> const& work) {
    try {
      app.parse(argc, argv);
    } catch (CLI::ParseError const& stop) {
      if (stop.get_exit_code() == 0) return app.exit(stop);  // --help
      return complain(stop.what(), 2);
    }
    try {
      work();
      flush_output();
      return 0;
    } catch (std::bad_alloc const&) {
      return complain("not enough memory", 1);
    } catch (std::exception const& failure) {
      return complain(failure.what(), 1);
    }
  }

  /// Ends the parsing with a message about an option.
  [[noreturn]] static void refuse(std::string const& option, std::string const& what) {
    throw CLI::ValidationError(option, what);
  }

 private:
  /// An option with one value that `use` checks and stores.
  CLI::Option* one(std::string const& option, std::string const& value, std::string const& help,
                   std::function<void(std::string const&)> use) {
    return app.add_option_function<std::string>(option, std::move(use), help)->type_name(value);
  }
  /// An option NAME=VALUE that may be given more than once; `add` returns false for a name it has already.
  void many(std::string const& option, std::string const& value, std::string const& help,
            std::function<bool(std::string, std::string)> add) {
    auto const use = [option, value, add](std::vector<std::string> const& texts) {
      for (std::string const& text : texts) {
        auto const equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
          refuse(option, tessera::io_detail::in_quotes(text) + " is not of the form " + value);
        }
        if (!add(text.substr(0, equals), text.substr(equals + 1))) {
          refuse(option, tessera::io_detail::in_quotes(text.substr(0, equals)) + " is given twice");
        }
      }
    };
    // One value an occurrence: what follows it is an argument of its own.
    app.add_option_function<std::vector<std::string>>(option, use, help)->type_name(value)->allow_extra_args(false);
  }
  int complain(std::string_view what, int status) const {
    std::cerr << name_ << ": " << one_line(what) << std::endl;
    return status;
  }

  std::string name_;
};

}  // namespace cli

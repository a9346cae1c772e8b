// SPDX-License-Identifier: Apache-2.0
// What the programs that run.py generates share: reading a case's inputs, writing its outputs, and the main function.
#pragma once

#include <tessera/graph.hpp>
#include <tessera/io.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ts = tessera;

namespace conformance {

/// Where a case is read and written, and with how many threads it runs.
struct arguments {
  std::string inputs;
  std::string outputs;
  int threads = 1;

  template <class T>
  void load(char const* name, std::span<T> into) const {
    auto const file = ts::npy::read(inputs + "/" + name + ".npy");
    auto const values = file.template values<T>();
    if (values.size() != into.size())
      throw ts::input_error(std::string(name) + ".npy has " + std::to_string(values.size()) + " elements, " +
                            std::to_string(into.size()) + " expected");
    std::copy(values.begin(), values.end(), into.begin());
  }

  template <class T>
  void store(char const* name, std::span<T const> values, std::vector<std::int64_t> const& shape) const {
    ts::npy::write<T>(outputs + "/" + name + ".npy", values, shape);
  }
};

template <class Case>
auto make(arguments const& at) {
  return ts::model<Case, ts::machines::host<>>({.threads = at.threads});
}

inline int main(int argc, char** argv, std::initializer_list<std::pair<int, void (*)(arguments const&)>> cases) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s CASE INPUT_FOLDER OUTPUT_FOLDER THREADS\n", argv[0]);
    return 2;
  }
  try {
    for (auto const& [index, run] : cases)
      if (index == std::atoi(argv[1])) {
        run({argv[2], argv[3], std::atoi(argv[4])});
        return 0;
      }
    std::fprintf(stderr, "no case %s\n", argv[1]);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  return 1;
}

}  // namespace conformance

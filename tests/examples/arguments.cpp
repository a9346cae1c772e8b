// SPDX-License-Identifier: Apache-2.0
#include "../../examples/models/detail/arguments.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace {

// A program with all shared options, run on `words`; keeps what it wrote to the standard error.
struct trial {
  cli::weights_source weights;
  std::vector<cli::named_file> inputs;
  cli::configuration config;
  int threads = 0;
  std::string output, model, errors;
  bool worked = false;

  int run(std::vector<char const*> words, std::function<void()> const& work = [] {}) {
    cli::program program("tessera-run", "Runs.");
    program.app.add_option("model", model)->required();
    program.weights(weights).inputs(inputs).config(config).threads(threads).output_folder(output);
    words.insert(words.begin(), "tessera-run");
    std::ostringstream caught;
    auto* const saved = std::cerr.rdbuf(caught.rdbuf());
    int const status = program.run(static_cast<int>(words.size()), words.data(), [&] {
      worked = true;
      work();
    });
    std::cerr.rdbuf(saved);
    errors = caught.str();
    return status;
  }
  // The line a wrong option gives when all others are right.
  static std::string refusal(std::vector<char const*> words) {
    trial t;
    words.insert(words.begin(), {"bert", "--weights", "w", "--output", "o"});
    CHECK(t.run(words) == 2);
    CHECK(!t.worked);
    CHECK(std::count(t.errors.begin(), t.errors.end(), '\n') == 1);
    CHECK(t.errors.starts_with("tessera-run: "));
    return t.errors.substr(13, t.errors.size() - 14);
  }
};

}  // namespace

TEST_CASE("a full command line") {
  trial t;
  CHECK(t.run({"--input", "a=x.npy", "--input", "b=y=z.npy", "bert", "--weights", "synthetic:18446744073709551615",
               "--config", "layers=3", "--threads", "4", "--output", "out"}) == 0);
  CHECK(t.worked);
  CHECK(t.errors.empty());
  CHECK(t.model == "bert");
  REQUIRE(t.inputs.size() == 2);
  CHECK(t.inputs[0].name == "a");
  CHECK(t.inputs[1].name == "b");
  CHECK(t.inputs[1].path == "y=z.npy");
  CHECK(t.weights.seed == 18446744073709551615u);
  CHECK(t.weights.path.empty());
  CHECK(t.threads == 4);
  CHECK(t.output == "out");
  CHECK(t.config.integer("layers", 6, 1, 48) == 3);
  CHECK(t.config.integer("heads", 12, 1, 48) == 12);
  CHECK_NOTHROW(t.config.refuse_the_rest());

  trial file;
  CHECK(file.run({"bert", "--weights=w.safetensors", "--output=o"}) == 0);
  CHECK(file.weights.path == "w.safetensors");
  CHECK(!file.weights.seed);
}

TEST_CASE("every malformed value is one line and status 2") {
  CHECK(trial::refusal({"--threads", "0"}) == "--threads: '0' is not a whole number from 1 to 1024");
  for (char const* bad : {"-1", "1025", "x", "2x", " 2", "1e3", "99999999999999999999", "", "0x4"}) {
    CAPTURE(bad);
    CHECK(trial::refusal({"--threads", bad}).find("is not a whole number from 1 to 1024") != std::string::npos);
  }
  CHECK(trial::refusal({"--input", "x.npy"}) == "--input: 'x.npy' is not of the form NAME=FILE");
  CHECK(trial::refusal({"--input", "=x.npy"}) == "--input: '=x.npy' is not of the form NAME=FILE");
  CHECK(trial::refusal({"--input", "a="}) == "--input: 'a=' is not of the form NAME=FILE");
  CHECK(trial::refusal({"--input", "a=x", "--input", "a=y"}) == "--input: 'a' is given twice");
  CHECK(trial::refusal({"--config", "k"}) == "--config: 'k' is not of the form KEY=VALUE");
  CHECK(trial::refusal({"--config", "k=1", "--config", "k=2"}) == "--config: 'k' is given twice");
  CHECK(trial::refusal({"--input"}).find("--input") != std::string::npos);
  CHECK(trial::refusal({"--speed", "9"}).find("--speed") != std::string::npos);
  CHECK(trial::refusal({"--input", "a=x", "stray"}).find("stray") != std::string::npos);
  CHECK(trial::refusal({"--input", "a\n\x1b[31m"}) == "--input: 'a\\x0a\\x1b[31m' is not of the form NAME=FILE");
  for (char const* bad :
       {"synthetic:", "synthetic:-1", "synthetic:x", "synthetic:18446744073709551616", "synthetic:1 "}) {
    CAPTURE(bad);
    trial t;
    CHECK(t.run({"bert", "--output", "o", "--weights", bad}) == 2);
    CHECK(t.errors.find("synthetic: takes a whole number from 0 to 2^64 - 1\n") != std::string::npos);
  }
  trial none;
  CHECK(none.run({}) == 2);
  CHECK(std::count(none.errors.begin(), none.errors.end(), '\n') == 1);
}

TEST_CASE("tensors that a model does not use are one line") {
  CHECK(cli::warning_of_unused("w", {}).empty());
  CHECK(cli::warning_of_unused("w", {"a"}) == "w: warning: the model does not use 1 of its tensors: 'a'\n");
  CHECK(cli::warning_of_unused("w\n", {"a", "b\x1b", "c", "d"}) ==
        "w\\x0a: warning: the model does not use 4 of its tensors: 'a', 'b\\x1b', 'c', …\n");
}

TEST_CASE("what goes wrong later is one line and status 1") {
  trial t;
  std::vector<char const*> const words{"bert", "--weights", "w", "--output", "o", "--config", "layers=x"};
  CHECK(t.run(words, [&] { t.config.integer("layers", 6, 1, 48); }) == 1);
  CHECK(t.errors == "tessera-run: --config layers: 'x' is not a whole number from 1 to 48\n");
  trial u;
  CHECK(u.run(words, [&] { u.config.refuse_the_rest(); }) == 1);
  CHECK(u.errors == "tessera-run: --config 'layers': the model has no such setting\n");
  trial v;
  CHECK(v.run(words, [] { throw tessera::io_error("a\nb: cannot be opened"); }) == 1);
  CHECK(v.errors == "tessera-run: a\\x0ab: cannot be opened\n");
  trial w;
  CHECK(w.run(words, [] { throw std::bad_alloc(); }) == 1);
  CHECK(w.errors == "tessera-run: not enough memory\n");
}

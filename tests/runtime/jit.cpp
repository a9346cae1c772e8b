// SPDX-License-Identifier: Apache-2.0
// Compiling on demand: what is compiled runs, once compiled it is found again, and nothing half-made is kept.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <tessera/runtime/jit.hpp>

namespace ts = tessera;
namespace fs = std::filesystem;

namespace {

/// A folder for one test case.
struct folder {
  fs::path path;
  folder() {
    std::string name = (fs::temp_directory_path() / "tessera-jit.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~folder() { fs::remove_all(path); }
  std::string file(char const* name) const { return (path / name).string(); }
};

std::set<std::string> names_in(fs::path const& path) {
  std::set<std::string> names;
  for (auto const& entry : fs::directory_iterator(path)) names.insert(entry.path().filename().string());
  return names;
}

/// What compile() says when it refuses.
template <class Error>
std::string refusal(std::string const& source, ts::jit::options const& how) {
  try {
    ts::jit::compile(source, "answer", how);
  } catch (Error const& e) {
    return e.what();
  }
  return "nothing";
}

std::string answering(int value) { return "TESSERA_ENTRY int answer() { return " + std::to_string(value) + "; }\n"; }

}  // namespace

TEST_CASE("a source is compiled once and comes from the cache afterwards") {
  folder const at;
  std::vector<std::string> said;
  ts::jit::options how{.title = "the answer", .cache = at.file("cache"),
                       .progress = [&](std::string const& line) { said.push_back(line); }};
  CHECK(ts::jit::compile(answering(42), "answer", how).entry<int()>()() == 42);
  REQUIRE(said.size() == 1);
  CHECK(said[0].starts_with("compiling the answer with "));
  CHECK(names_in(how.cache).size() == 1);

  how.allowed = false;   // no compiler is needed now
  ts::jit::library const again = ts::jit::compile(answering(42), "answer", how);
  CHECK(again.entry<int()>()() == 42);
  CHECK(said.size() == 1);
  CHECK(refusal<ts::run_error>(answering(43), how) ==
        "tessera: the answer is not compiled yet, and no compiler may be run");

  how.allowed = true;
  CHECK(ts::jit::compile(answering(43), "answer", how).entry<int()>()() == 43);
  how.flags = {"-DUNUSED"};   // other flags may be other code
  CHECK(ts::jit::compile(answering(43), "answer", how).entry<int()>()() == 43);
  CHECK(said.size() == 3);
  CHECK(names_in(how.cache).size() == 3);
}

TEST_CASE("the cache is closed to other users, and must be a folder of this one") {
  folder const at;
  ts::jit::options how{.cache = at.file("a/b")};
  CHECK(ts::jit::compile(answering(1), "answer", how).entry<int()>()() == 1);
  struct stat status{};
  REQUIRE(::stat(how.cache.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  REQUIRE(::chmod(how.cache.c_str(), 0755) == 0);
  CHECK(ts::jit::compile(answering(1), "answer", how).entry<int()>()() == 1);
  REQUIRE(::stat(how.cache.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);

  std::ofstream(at.file("file")) << "x";
  fs::create_directory_symlink(how.cache, at.file("link"));
  for (char const* name : {"file", "link"}) {
    how.cache = at.file(name);
    CHECK(refusal<ts::io_error>(answering(1), how) == how.cache + ": is no folder");
  }
  how.cache = at.file("file") + "/cache";
  CHECK(refusal<ts::io_error>(answering(1), how).starts_with(how.cache + ": cannot be made a folder"));
}

TEST_CASE("what cannot be compiled is one line, and leaves nothing behind") {
  folder const at;
  ts::jit::options how{.title = "this", .cache = at.file("cache")};
  std::string const syntax = refusal<ts::run_error>("TESSERA_ENTRY int answer() { return forty; }\n", how);
  CHECK(syntax.find("tessera: this is not compiled yet, and ") == 0);
  CHECK(syntax.find("error") != std::string::npos);
  CHECK(syntax.find("forty") != std::string::npos);
  CHECK(syntax.find('\n') == std::string::npos);
  CHECK(refusal<ts::io_error>("TESSERA_ENTRY int other() { return 1; }\n", how).ends_with("has no answer"));
  CHECK(refusal<ts::io_error>("int answer() { return 1; }\n", how).ends_with("has no answer"));   // not an entry
  how.compiler = at.file("no-compiler");
  CHECK(refusal<ts::run_error>(answering(1), how).find("there is no compiler \"" + how.compiler + "\"") !=
        std::string::npos);
  how.headers = at.path.string();
  CHECK(refusal<ts::io_error>(answering(1), how).find("the headers of tessera are not there") != std::string::npos);
  CHECK(names_in(how.cache).empty());
}

TEST_CASE("threads may compile the same source at once") {
  folder const at;
  ts::jit::options const how{.cache = at.file("cache")};
  int results[3] = {};
  std::vector<std::thread> threads;
  for (int& result : results)
    threads.emplace_back([&] { result = ts::jit::compile(answering(7), "answer", how).entry<int()>()(); });
  for (std::thread& t : threads) t.join();
  for (int result : results) CHECK(result == 7);
  CHECK(names_in(how.cache).size() == 1);
}

namespace {

/// A program for `n` elements that are doubled.
ts::jit::library doubling(int n, std::string const& cache) {
  // [jit]
  std::string const source = R"(
      #include <tessera/tile.hpp>
      namespace ts = tessera;
      constexpr int n = )" + std::to_string(n) + R"(;
      struct twice {
        ts::inout<float> v;
        TESSERA_FIELDS(twice, v);
        void compute() const {
          for (int i = 0; i < v.size(); ++i) v(i) = 2 * v(i);
        }
      };
      constexpr ts::tensor<"v", float, ts::shape<n>, ts::by_rows> v;
      constexpr auto doubled = ts::program<ts::machines::host<4>>([] {
        return ts::sequence(ts::inputs(v), ts::outputs(v), ts::execute<twice>(v));
      });
      TESSERA_ENTRY void run(float* values) {
        ts::engine engine{doubled};
        engine.write(v, std::span<float const>(values, n));
        engine.run();
        engine.read(v, std::span<float>(values, n));
      })";
  ts::jit::library const code = ts::jit::compile(source, "run", {.title = "a program that doubles", .cache = cache});
  // code.entry<void(float*)>()(values) runs it
  // [end]
  return code;
}

}  // namespace

TEST_CASE("a program of vertices is compiled for the size at hand, and runs") {
  folder const at;
  std::vector<float> values(100, 1.5f);
  doubling(100, at.file("cache")).entry<void(float*)>()(values.data());
  CHECK(values == std::vector<float>(100, 3.0f));
}

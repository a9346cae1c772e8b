// SPDX-License-Identifier: Apache-2.0
// The C functions: models by name, tensors in place, and a sentence for everything that is wrong.
#include <tessera/c_api.hpp>
#include <tessera/nn.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ts = tessera;

namespace {

/// y = x · weightᵀ + bias, for up to six rows.
struct line {
  static constexpr void build(ts::graph& g) {
    auto const rows = g.run_time_length("rows", 6);
    auto const x = g.input<float>("x", {rows, 3});
    g.output("y", ts::nn::linear(g, "fc", x, 2));
  }
};
/// Rows of a table that the host gives, by numbers that it gives.
struct rows_of {
  static constexpr void build(ts::graph& g) {
    auto const table = g.input<float>("table", {4, 2});
    auto const numbers = g.input<std::int64_t>("numbers", {3});
    g.output("rows", ts::embedding(g, table, numbers));
  }
};

struct file {
  std::string path = (std::filesystem::temp_directory_path() / ("tessera-c." + std::to_string(::getpid()))).string();
  explicit file(std::vector<float> const& bias = {10, 20}) {
    std::vector<float> const weight = {1, 2, 3, 4, 5, 6};
    ts::safetensors::write(path, std::vector<ts::safetensors::entry>{
                                     {"fc.weight", ts::element::float32, {2, 3}, std::as_bytes(std::span(weight))},
                                     {"fc.bias", ts::element::float32, {static_cast<std::int64_t>(bias.size())},
                                      std::as_bytes(std::span(bias))}});
  }
  ~file() { std::remove(path.c_str()); }
};

std::string error() { return tessera_last_error(); }

}  // namespace

TESSERA_C_API(ts::c_api::exported<line>{"line"}, ts::c_api::exported<rows_of>{"rows_of"});

TEST_CASE("a model is opened by its name, and runs on its own memory") {
  file const weights;
  CHECK(std::string(tessera_version()) == TESSERA_VERSION);
  REQUIRE(tessera_models() == 2);
  CHECK(std::string(tessera_model_name(0)) == "line");
  CHECK(std::string(tessera_model_name(1)) == "rows_of");
  CHECK(tessera_model_name(2) == nullptr);

  tessera_model* model = nullptr;
  REQUIRE(tessera_open("line", weights.path.c_str(), 2, &model) == TESSERA_OK);
  CHECK(error().empty());
  CHECK(tessera_inputs(model) == 1);
  CHECK(tessera_outputs(model) == 1);
  tessera_tensor x, y, again;
  REQUIRE(tessera_input(model, "x", &x) == TESSERA_OK);
  REQUIRE(tessera_output(model, "y", &y) == TESSERA_OK);
  REQUIRE(tessera_input_at(model, 0, &again) == TESSERA_OK);
  CHECK(std::memcmp(&x, &again, sizeof x) == 0);
  CHECK(std::string(y.name) == "y");
  CHECK(x.element == TESSERA_FLOAT32);
  CHECK(x.rank == 2);
  CHECK((x.shape[0] == 6 && x.shape[1] == 3 && x.shape[2] == 1 && x.shape[3] == 1));
  CHECK((y.shape[0] == 6 && y.shape[1] == 2));
  CHECK(x.bytes == 6 * 3 * sizeof(float));

  auto* const from = static_cast<float*>(x.data);
  auto const* const to = static_cast<float const*>(y.data);
  for (int i = 0; i < 18; ++i) from[i] = static_cast<float>(i);
  REQUIRE(tessera_run(model) == TESSERA_OK);
  for (int r = 0; r < 6; ++r) {
    float const* const v = from + 3 * r;
    CHECK(to[2 * r] == v[0] + 2 * v[1] + 3 * v[2] + 10);
    CHECK(to[2 * r + 1] == 4 * v[0] + 5 * v[1] + 6 * v[2] + 20);
  }
  float const kept = to[2];
  REQUIRE(tessera_set_length(model, "rows", 1) == TESSERA_OK);
  from[0] = 100;
  from[3] = 100;
  REQUIRE(tessera_run(model) == TESSERA_OK);
  CHECK(to[0] == 100 + 2 * 1 + 3 * 2 + 10);
  CHECK(to[2] == kept);   // beyond the length
  tessera_close(model);
  tessera_close(nullptr);
}

TEST_CASE("what is wrong is a status and a sentence") {
  file const weights;
  tessera_model* model = nullptr;
  tessera_tensor t;
  auto const refused = [&](tessera_status status, tessera_status expected) {
    CHECK(status == expected);
    return error();
  };
  CHECK(refused(tessera_open("lines", weights.path.c_str(), 1, &model), TESSERA_INPUT_ERROR) ==
        "tessera: there is no model lines");
  CHECK(refused(tessera_open("line", "no/such/file", 1, &model), TESSERA_IO_ERROR).starts_with("no/such/file: "));
  CHECK(refused(tessera_open("line", nullptr, 1, &model), TESSERA_INPUT_ERROR) == "tessera: weights is NULL");
  CHECK(refused(tessera_open(nullptr, nullptr, 1, &model), TESSERA_INPUT_ERROR) == "tessera: name is NULL");
  CHECK(refused(tessera_open("rows_of", nullptr, 1, nullptr), TESSERA_INPUT_ERROR) == "tessera: opened is NULL");
  for (int const threads : {0, -1, 1025})
    CHECK(refused(tessera_open("rows_of", nullptr, threads, &model), TESSERA_INPUT_ERROR) ==
          "tessera: threads is " + std::to_string(threads) + ", not in [1, 1024]");
  CHECK(refused(tessera_open("", weights.path.c_str(), 1, &model), TESSERA_INPUT_ERROR) ==
        "tessera: there is no model ");
  CHECK(refused(tessera_open("line", "", 1, &model), TESSERA_IO_ERROR).starts_with(": cannot be opened"));
  CHECK(refused(tessera_open("line", ".", 1, &model), TESSERA_IO_ERROR) == ".: is not a regular file");
  CHECK(model == nullptr);
  for (auto const& status : {+[](tessera_tensor*) { return tessera_run(nullptr); },
                             +[](tessera_tensor*) { return tessera_set_length(nullptr, "rows", 1); },
                             +[](tessera_tensor* f) { return tessera_input(nullptr, "x", f); },
                             +[](tessera_tensor* f) { return tessera_output(nullptr, "y", f); },
                             +[](tessera_tensor* f) { return tessera_input_at(nullptr, 0, f); },
                             +[](tessera_tensor* f) { return tessera_output_at(nullptr, 0, f); }})
    CHECK(refused(status(&t), TESSERA_INPUT_ERROR) == "tessera: model is NULL");
  CHECK(tessera_inputs(nullptr) == 0);
  CHECK(tessera_outputs(nullptr) == 0);

  REQUIRE(tessera_open("line", weights.path.c_str(), 1, &model) == TESSERA_OK);
  CHECK(refused(tessera_input(model, "y", &t), TESSERA_INPUT_ERROR) == "tessera: the model has no input y, only x");
  CHECK(refused(tessera_output_at(model, 1, &t), TESSERA_INPUT_ERROR) == "tessera: the model has no output 1, only y");
  CHECK(refused(tessera_input_at(model, ~std::size_t{0}, &t), TESSERA_INPUT_ERROR).ends_with(", only x"));
  CHECK(refused(tessera_output(model, "", &t), TESSERA_INPUT_ERROR) == "tessera: the model has no output , only y");
  CHECK(refused(tessera_input(model, nullptr, &t), TESSERA_INPUT_ERROR) == "tessera: name is NULL");
  CHECK(refused(tessera_output_at(model, 0, nullptr), TESSERA_INPUT_ERROR) == "tessera: found is NULL");
  CHECK(refused(tessera_set_length(model, nullptr, 1), TESSERA_INPUT_ERROR) == "tessera: name is NULL");
  CHECK(refused(tessera_input(model, "x", nullptr), TESSERA_INPUT_ERROR) == "tessera: found is NULL");
  CHECK(refused(tessera_set_length(model, "row", 1), TESSERA_INPUT_ERROR) ==
        "tessera: the model has no length row, only rows");
  for (std::int64_t const n : {std::int64_t{-1}, std::int64_t{7}, std::int64_t{1} << 40})
    CHECK(refused(tessera_set_length(model, "rows", n), TESSERA_INPUT_ERROR) ==
          "tessera: length rows is " + std::to_string(n) + ", not in [0, 6]");
  CHECK(tessera_run(model) == TESSERA_OK);
  CHECK(error().empty());
  tessera_close(model);

  REQUIRE(tessera_open("rows_of", nullptr, 1, &model) == TESSERA_OK);
  REQUIRE(tessera_input(model, "numbers", &t) == TESSERA_OK);
  CHECK(t.element == TESSERA_INT64);
  for (std::int64_t i = 0; i < 3; ++i) static_cast<std::int64_t*>(t.data)[i] = 3 + i % 2;
  CHECK(refused(tessera_run(model), TESSERA_RUN_ERROR).find("4") != std::string::npos);
  static_cast<std::int64_t*>(t.data)[1] = 3;
  CHECK(tessera_run(model) == TESSERA_OK);   // it can be run again
  tessera_close(model);
}

TEST_CASE("weights that are wrong open nothing, and leave what is open as it is") {
  tessera_model* good = nullptr;
  {
    file const weights;
    REQUIRE(tessera_open("line", weights.path.c_str(), 1, &good) == TESSERA_OK);
  }
  tessera_model* model = good;
  auto const refused = [&](file const& weights) {
    CHECK(tessera_open("line", weights.path.c_str(), 1, &model) == TESSERA_IO_ERROR);
    CHECK(model == good);
    std::string const message = error();
    CHECK(message.starts_with(weights.path + ": tensor 'fc.bias' "));
    return message.substr(weights.path.size() + 19);
  };
  CHECK(refused(file({1, 2, 3})) == "has shape [3], expected [2]");
  CHECK(refused(file({1, std::numeric_limits<float>::infinity()})) == "holds an infinity at index 1");
  CHECK(refused(file({std::numeric_limits<float>::quiet_NaN(), 1})) == "holds a NaN at index 0");
  CHECK(tessera_run(good) == TESSERA_OK);
  tessera_close(good);
}

TEST_CASE("each thread has its own last error") {
  CHECK(tessera_run(nullptr) == TESSERA_INPUT_ERROR);
  std::string other = "none";
  std::thread([&] {
    other = error();
    tessera_model* model = nullptr;
    CHECK(tessera_open("nothing", nullptr, 1, &model) == TESSERA_INPUT_ERROR);
  }).join();
  CHECK(other.empty());
  CHECK(error() == "tessera: model is NULL");
}

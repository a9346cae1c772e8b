// SPDX-License-Identifier: Apache-2.0
#include "io/files.hpp"
#include <tessera/io/safetensors.hpp>
#include <tessera/models/bert_checkpoint.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ts = tessera;

namespace {

// A file of vectors of two numbers, the first of which is the tensor's number in the list.
class checkpoint {
 public:
  explicit checkpoint(std::vector<std::string> const& names, std::map<std::string, std::string> const& metadata = {}) {
    std::vector<std::vector<float>> values;
    for (std::size_t i = 0; i < names.size(); ++i) values.push_back({static_cast<float>(i), 0.5f});
    std::vector<ts::safetensors::entry> entries;
    for (std::size_t i = 0; i < names.size(); ++i)
      entries.push_back({names[i], ts::element::float32, {2}, std::as_bytes(std::span(values[i]))});
    ts::safetensors::write(folder_ / "w", entries, metadata);
    file_.push_back(ts::safetensors::open(folder_ / "w"));
  }
  ts::safetensors::file const& file() const { return file_.front(); }

 private:
  test::temporary_folder folder_;
  std::vector<ts::safetensors::file> file_;
};

float read(ts::models::bert_checkpoint<ts::safetensors::file> const& from, std::string_view name) {
  std::int64_t const shape[] = {2};
  float values[2] = {};
  from.read_float32(name, shape, values);
  return values[0];
}

}  // namespace

TEST_CASE("names with and without a prefix, new and old") {
  checkpoint const stored({"a.weight", "bert.b.weight", "c.LayerNorm.gamma", "bert.d.LayerNorm.beta",
                           "bert.e.LayerNorm.bias"});
  ts::models::bert_checkpoint const weights(stored.file());
  CHECK(read(weights, "a.weight") == 0);
  CHECK(read(weights, "b.weight") == 1);
  CHECK(read(weights, "bert.b.weight") == 1);
  CHECK(read(weights, "c.LayerNorm.weight") == 2);
  CHECK(read(weights, "d.LayerNorm.bias") == 3);
  CHECK(read(weights, "e.LayerNorm.bias") == 4);
  CHECK(weights.unused().empty());
}

TEST_CASE("what was not used, but for what is no parameter") {
  checkpoint const stored({"a.weight", "cls.seq_relationship.bias", "embeddings.position_ids", "bert.b.weight",
                           "bert.embeddings.position_ids", "cls.predictions.decoder.weight", "qa_outputs.bias"},
                          {{"also_a.weight", "a.weight"}});
  ts::models::bert_checkpoint const weights(stored.file());
  CHECK(weights.unused() ==
        std::vector<std::string>{"a.weight", "cls.seq_relationship.bias", "bert.b.weight", "qa_outputs.bias"});
  read(weights, "also_a.weight");
  read(weights, "b.weight");
  CHECK(weights.unused() == std::vector<std::string>{"cls.seq_relationship.bias", "qa_outputs.bias"});
}

TEST_CASE("a name that is not there is in the message, with one that is like it") {
  checkpoint const stored({"model.bert.pooler.dense.weight", "x"});
  ts::models::bert_checkpoint const weights(stored.file());
  std::string message;
  try {
    read(weights, "pooler.dense.weight");
  } catch (ts::io_error const& e) {
    message = e.what();
  }
  CHECK(message ==
        stored.file().path() + ": has no tensor 'pooler.dense.weight'; there is 'model.bert.pooler.dense.weight'");
  CHECK(weights.unused().size() == 2);
}

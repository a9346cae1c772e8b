// SPDX-License-Identifier: Apache-2.0
// Files of weights as they come: of every type, with names new and old, with and without a prefix.
#include "io/files.hpp"
#include "models/scalar_bert.hpp"
#include <tessera/io/safetensors.hpp>
#include <tessera/models/bert_checkpoint.hpp>
#include <tessera/models/packed_encoder.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ts = tessera;
using ts::models::bert_checkpoint;
using ts::models::token_sequence;

namespace {

template <int Tokens>
struct tiny {
  static constexpr ts::models::bert_configuration value{.layers = 1,
                                                        .hidden = 24,
                                                        .heads = 3,
                                                        .intermediate = 40,
                                                        .vocabulary = 50,
                                                        .positions = 20,
                                                        .tokens = Tokens,
                                                        .sequences = Tokens / 2};
};
using encoder = ts::models::packed_encoder<ts::models::bert, tiny, 8>;

/// What the model asks for: a shape a name. The values are those of bert_weights.
struct asked {
  mutable std::map<std::string, std::vector<std::int64_t>> shapes;
  void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> out) const {
    shapes[std::string(name)].assign(shape.begin(), shape.end());
    reference::bert_weights{}.read_float32(name, shape, out);
  }
};

/// A tensor in a file.
struct stored {
  std::vector<std::int64_t> shape;
  ts::element element;
  std::string bytes;
};

template <class Stored>
stored stored_as(std::string const& name, std::vector<std::int64_t> const& shape) {
  std::size_t count = 1;
  for (std::int64_t const extent : shape) count *= static_cast<std::size_t>(extent);
  stored t{shape, ts::element_of<Stored>, {}};
  for (float const v : reference::bert_weights::values(name, count)) {
    Stored const rounded = static_cast<Stored>(v);
    t.bytes.append(reinterpret_cast<char const*>(&rounded), sizeof rounded);
  }
  return t;
}
stored stored_as(ts::element e, std::string const& name, std::vector<std::int64_t> const& shape) {
  switch (e) {
    case ts::element::float64: return stored_as<double>(name, shape);
    case ts::element::float16: return stored_as<ts::half>(name, shape);
    case ts::element::bfloat16: return stored_as<ts::bf16>(name, shape);
    default: return stored_as<float>(name, shape);
  }
}

using tensors = std::map<std::string, stored>;

tensors checkpoint(ts::element e, std::string const& prefix, bool old_names) {
  asked const source;
  encoder const model{source};
  tensors all;
  for (auto const& [name, shape] : source.shapes) {
    std::string as = prefix + name;
    auto const norm = as.find("LayerNorm.");
    if (old_names && norm != std::string::npos)
      as = as.substr(0, norm) + (as.ends_with("weight") ? "LayerNorm.gamma" : "LayerNorm.beta");
    all[as] = stored_as(e, name, shape);
  }
  all[prefix + "embeddings.position_ids"] = {{1, 2}, ts::element::int64, std::string(16, '\0')};   // nobody wants it
  return all;
}

void write(std::string const& path, tensors const& all) {
  std::vector<ts::safetensors::entry> entries;
  for (auto const& [name, t] : all) entries.push_back({name, t.element, t.shape, test::as_bytes(t.bytes)});
  ts::safetensors::write(path, entries);
}

std::vector<float> encode(std::string const& path) {
  auto const file = ts::safetensors::open(path);
  encoder e{bert_checkpoint(file)};
  token_sequence s;
  for (int i = 0; i < 7; ++i) s.add(i * 7 % 50, i > 3, i);
  std::vector<float> all;
  e.encode(std::vector{s}, [&](std::size_t, ts::models::encoded const& x) {
    for (auto const part : {x.last_hidden_state, x.pooler_output, x.sentence_embedding})
      all.insert(all.end(), part.begin(), part.end());
  });
  return all;
}

// A file of vectors of two numbers, the first of which is the tensor's number in the list.
class small_file {
 public:
  explicit small_file(std::vector<std::string> const& names, std::map<std::string, std::string> const& metadata = {}) {
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

// A file that only copies.
struct copying_file {
  ts::safetensors::file const& file;
  auto tensors() const { return file.tensors(); }
  auto const* find(std::string_view name) const { return file.find(name); }
  void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> values) const {
    file.read_float32(name, shape, values);
  }
};
static_assert(ts::LendingWeightSource<bert_checkpoint<ts::safetensors::file>>);
static_assert(ts::WeightSource<bert_checkpoint<copying_file>>);
static_assert(!ts::LendingWeightSource<bert_checkpoint<copying_file>>);

template <class File>
float read(bert_checkpoint<File> const& from, std::string_view name) {
  std::int64_t const shape[] = {2};
  float values[2] = {};
  from.read_float32(name, shape, values);
  return values[0];
}

}  // namespace

TEST_CASE("whatever its parameters are called and stored as, a model computes the same") {
  test::temporary_folder const folder;
  std::string const path = folder / "model.safetensors";
  write(path, checkpoint(ts::element::float32, "", false));
  std::vector<float> const exact = encode(path);
  REQUIRE(exact.size() == 7 * 24 + 24 + 24);
  for (auto const& [e, off] : {std::pair{ts::element::float32, 0.0f}, std::pair{ts::element::float64, 0.0f},
                               std::pair{ts::element::float16, 0.01f}, std::pair{ts::element::bfloat16, 0.1f}}) {
    INFO(ts::name_of(e));
    write(path, checkpoint(e, "", false));
    std::vector<float> const want = encode(path);
    float most = 0;
    for (std::size_t i = 0; i < want.size(); ++i) most = std::max(most, std::abs(want[i] - exact[i]));
    CHECK(most <= off);   // the numbers in the file are rounded, everything else is as before
    CHECK((off == 0) == (most == 0));
    for (std::string const prefix : {"", "bert."})
      for (bool const old_names : {false, true}) {
        INFO(prefix, old_names);
        write(path, checkpoint(e, prefix, old_names));
        CHECK(encode(path) == want);
      }
  }
}

TEST_CASE("tensors need not be aligned, nor all of one type") {
  test::temporary_folder const folder;
  std::string const path = folder / "model.safetensors";
  tensors const plain = checkpoint(ts::element::float32, "bert.", true);
  write(path, plain);
  std::vector<float> const want = encode(path);

  std::string header, data = "x";   // one byte before all others
  for (auto const& [name, t] : plain) {
    header += ",\"" + name + "\":{\"dtype\":\"" + (t.element == ts::element::int64 ? "I64" : "F32") + "\",\"shape\":[";
    for (std::size_t d = 0; d < t.shape.size(); ++d) header += (d > 0 ? "," : "") + std::to_string(t.shape[d]);
    header += "],\"data_offsets\":[" + std::to_string(data.size()) + ",";
    data += t.bytes;
    header += std::to_string(data.size()) + "]}";
  }
  header = "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}" + header + "}";
  test::write_bytes(path, test::little<8>(header.size()) + header + data);
  CHECK(encode(path) == want);

  tensors mixed = plain;
  std::string const wide = "embeddings.word_embeddings.weight";
  mixed["bert." + wide] = stored_as(ts::element::float64, wide, {50, 24});
  write(path, mixed);
  CHECK(encode(path) == want);
}

TEST_CASE("what is wrong with a tensor is said with its name") {
  test::temporary_folder const folder;
  std::string const path = folder / "model.safetensors";
  for (ts::element const e : {ts::element::float32, ts::element::float64, ts::element::float16, ts::element::bfloat16})
    for (std::string const name : {"bert.embeddings.word_embeddings.weight", "bert.embeddings.LayerNorm.gamma",
                                   "bert.encoder.layer.0.output.dense.weight", "bert.pooler.dense.bias"}) {
      INFO(ts::name_of(e), " ", name);
      tensors const good = checkpoint(e, "bert.", true);
      auto const refused = [&](auto change) {
        tensors bad = good;
        change(bad, bad.at(name));
        write(path, bad);
        std::string const message = MESSAGE_OF(ts::io_error, encode(path));
        CHECK(message.starts_with(path + ": "));
        return message.substr(std::min(message.size(), path.size() + 2));
      };
      std::string const now = name.ends_with("gamma") ? "embeddings.LayerNorm.weight" : name.substr(5);
      CHECK(refused([&](tensors& all, stored&) { all.erase(name); }).starts_with("has no tensor '" + now + "'"));
      CHECK(refused([](tensors&, stored& t) {
              t.shape.push_back(1);
            }).starts_with("tensor '" + name + "' has shape ["));
      CHECK(refused([](tensors&, stored& t) {
              t.bytes.resize(t.bytes.size() / static_cast<std::size_t>(ts::bytes_of(t.element)));
              t.element = ts::element::boolean;
            }) == "tensor '" + name + "' is of type 'BOOL', expected F32, F16, BF16 or F64");
      for (float const wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity()}) {
        auto const last = good.at(name).bytes.size() / static_cast<std::size_t>(ts::bytes_of(e)) - 1;
        CHECK(refused([&](tensors&, stored& t) {
                auto const put = [&](auto value) { std::memcpy(&t.bytes[last * sizeof value], &value, sizeof value); };
                if (e == ts::element::float64) put(double{wrong});
                else if (e == ts::element::float16) put(static_cast<ts::half>(wrong));
                else if (e == ts::element::bfloat16) put(static_cast<ts::bf16>(wrong));
                else put(wrong);
              }) == "tensor '" + name + "' holds " + (wrong != wrong ? "a NaN" : "an infinity") + " at index " +
                        std::to_string(last));
      }
    }
}

TEST_CASE("names with and without a prefix, new and old") {
  small_file const stored({"a.weight", "bert.b.weight", "c.LayerNorm.gamma", "bert.d.LayerNorm.beta",
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
  small_file const stored({"a.weight", "cls.seq_relationship.bias", "embeddings.position_ids", "bert.b.weight",
                           "bert.embeddings.position_ids", "cls.predictions.decoder.weight", "qa_outputs.bias"},
                          {{"also_a.weight", "a.weight"}});
  ts::models::bert_checkpoint const weights(stored.file());
  CHECK(weights.unused() ==
        std::vector<std::string>{"a.weight", "cls.seq_relationship.bias", "bert.b.weight", "qa_outputs.bias"});
  read(weights, "also_a.weight");
  read(weights, "b.weight");
  CHECK(weights.unused() == std::vector<std::string>{"cls.seq_relationship.bias", "qa_outputs.bias"});

  copying_file const copied{stored.file()};
  bert_checkpoint const copies(copied);
  CHECK(read(copies, "b.weight") == read(weights, "b.weight"));
  CHECK(copies.unused() ==
        std::vector<std::string>{"a.weight", "cls.seq_relationship.bias", "qa_outputs.bias"});
}

TEST_CASE("a name that is not there is in the message, with one that is like it") {
  small_file const stored({"model.bert.pooler.dense.weight", "x"});
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

  // A model that reads both of a layer's tensors is not offered the one for the other.
  small_file const layer({"fc1.weight", "fc2.weigth"});
  std::string_view const names[] = {"fc1.weight", "fc2.weight"};
  try {
    ts::models::bert_checkpoint const checkpoint(layer.file());
    for (std::string_view const name : names) checkpoint.require(name, names);
    FAIL("accepted");
  } catch (ts::io_error const& e) {
    message = e.what();
  }
  CHECK(message == layer.file().path() + ": has no tensor 'fc2.weight'; there is 'fc2.weigth'");
}

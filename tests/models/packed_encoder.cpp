// SPDX-License-Identifier: Apache-2.0
#include "io/files.hpp"
#include "laws/close.hpp"
#include "models/scalar_bert.hpp"
#include "reference/loops.hpp"
#include <tessera/models/packed_encoder.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ts = tessera;
using ts::models::token_sequence;

namespace {

template <int Tokens>
struct tiny {
  static constexpr ts::models::bert_configuration value{.layers = 2,
                                                        .hidden = 24,
                                                        .heads = 3,
                                                        .intermediate = 40,
                                                        .vocabulary = 50,
                                                        .positions = 20,
                                                        .tokens = Tokens,
                                                        .sequences = Tokens / 2};
};
using encoder = ts::models::packed_encoder<ts::models::bert, tiny, 8, 32>;
/// The same, with weights of bf16.
template <int Tokens>
struct narrow {
  static constexpr ts::models::bert_configuration value = [] {
    ts::models::bert_configuration c = tiny<Tokens>::value;
    c.weights = ts::element::bfloat16;
    return c;
  }();
};
using narrow_encoder = ts::models::packed_encoder<ts::models::bert, narrow, 8, 32>;
static_assert(encoder::longest == 20);
static_assert(encoder::hidden == 24);

struct outputs {
  std::vector<float> states, pooled, embedding;
  friend bool operator==(outputs const&, outputs const&) = default;
};

template <class Encoder>
std::vector<outputs> encode(Encoder& e, std::vector<token_sequence> const& sequences) {
  std::vector<outputs> all;
  e.encode(sequences, [&](std::size_t i, ts::models::encoded const& x) {
    CHECK(i == all.size());
    all.push_back({{x.last_hidden_state.begin(), x.last_hidden_state.end()},
                   {x.pooler_output.begin(), x.pooler_output.end()},
                   {x.sentence_embedding.begin(), x.sentence_embedding.end()}});
  });
  return all;
}

token_sequence sequence_of(int tokens, int number) {
  token_sequence s;
  for (int i = 0; i < tokens; ++i) s.add((number * 13 + i * 7) % 50, i > tokens / 2, i);
  return s;
}

// Sequences of 1 to 20 tokens, in no order; their sizes fill runs exactly, nearly, and with one sequence each.
std::vector<token_sequence> sequences() {
  std::vector<token_sequence> all;
  int const sizes[] = {3, 20, 1, 1, 1, 12, 19, 13, 2, 8, 16, 16, 20, 20, 5, 7, 4, 1};
  for (int size : sizes) all.push_back(sequence_of(size, static_cast<int>(all.size())));
  for (int i = 0; i < 40; ++i) all.push_back(sequence_of(1, i));  // more than a run has room for
  return all;
}

}  // namespace

TEST_CASE("an encoder against plain loops, packed or one by one, with any number of threads") {
  reference::bert_weights const weights;
  auto const given = sequences();
  encoder one_thread{weights};
  CHECK(weights.reads.size() == 5 + 2 * 16 + 2);
  auto const packed = encode(one_thread, given);
  for (auto const& [name, count] : weights.reads) CHECK(count == 1);  // once for all capacities
  REQUIRE(packed.size() == given.size());
  reference::scalar_bert const scalar(tiny<8>::value);
  for (std::size_t i = 0; i < given.size(); ++i) {
    INFO("sequence ", i, " of ", given[i].ids.size());
    auto const want = scalar.run(given[i].ids, given[i].types);
    CHECK(close(packed[i].states, want.states, 5e-5));
    CHECK(close(packed[i].pooled, want.pooled, 5e-5));
    CHECK(close(packed[i].embedding, want.embedding, 5e-5));
  }

  std::vector<outputs> alone;
  for (auto const& s : given) alone.push_back(encode(one_thread, {s}).at(0));
  CHECK(alone == packed);
  for (int threads : {2, 3}) {
    encoder e{weights, {.threads = threads}};
    CHECK(encode(e, given) == packed);
  }
}

TEST_CASE("the heads of pre-training and of question answering against plain loops") {
  reference::bert_weights const weights;
  reference::scalar_bert const scalar(tiny<8>::value, "bert.");
  auto const given = sequences();
  std::size_t received = 0;
  ts::models::packed_encoder<ts::models::bert_pretraining, tiny, 8, 32> pretraining{weights, {.threads = 2}};
  pretraining.encode(given, [&](std::size_t i, ts::models::pretraining_logits const& made) {
    auto const want = scalar.run(given[i].ids, given[i].types);
    CHECK(close(made.prediction, want.prediction, 5e-5));
    CHECK(close(made.seq_relationship, want.relationship, 5e-5));
    ++received;
  });
  ts::models::packed_encoder<ts::models::bert_question_answering, tiny, 8, 32> answering{weights};
  answering.encode(given, [&](std::size_t i, ts::models::span_logits const& made) {
    auto const want = scalar.run(given[i].ids, given[i].types);
    CHECK(close(made.start, want.start, 5e-5));
    CHECK(close(made.end, want.end, 5e-5));
    ++received;
  });
  CHECK(received == 2 * given.size());
}

TEST_CASE("what an encoder refuses, before it runs anything") {
  reference::bert_weights const weights;
  encoder e{weights};
  auto const good = sequence_of(4, 1);
  auto const want = encode(e, {good});
  auto refused = [&](token_sequence const& bad) {
    std::string message;
    int received = 0;
    try {
      std::vector<token_sequence> const both = {good, bad};
      e.encode(both, [&](std::size_t, ts::models::encoded const&) { ++received; });
    } catch (ts::input_error const& failure) {
      message = failure.what();
    }
    CHECK(received == 0);
    CHECK(message.starts_with("tessera: sequence 1 has "));
    CHECK(MESSAGE_OF(ts::input_error, encoder::check(std::vector{good, bad})) == message);
    CHECK(encode(e, {good}) == want);
    return message.empty() ? message : message.substr(24);
  };
  CHECK(refused({}) == "no tokens");
  CHECK(refused(sequence_of(21, 0)) == "21 tokens, more than 20");
  auto changed = [&](auto change) {
    token_sequence s = good;
    change(s);
    return refused(s);
  };
  CHECK(changed([](auto& s) { s.ids[2] = 50; }) == "token id 50 at 2, not in [0, 50)");
  CHECK(changed([](auto& s) { s.ids[3] = -1; }) == "token id -1 at 3, not in [0, 50)");
  CHECK(changed([](auto& s) { s.types[0] = 2; }) == "segment 2 at 0, not in [0, 2)");
  CHECK(changed([](auto& s) { s.positions[1] = 20; }) == "position 20 at 1, not in [0, 20)");
  CHECK(changed([](auto& s) { s.types.pop_back(); }) == "not as many segments or positions as tokens");
  CHECK(changed([](auto& s) { s.positions.push_back(0); }) == "not as many segments or positions as tokens");
  CHECK(encode(e, {}).empty());
  encoder::check(std::vector{good});
}

TEST_CASE("sequences from ids") {
  std::vector<std::int64_t> const ids = {5, 6, 7}, types = {0, 0, 1};
  auto const s = token_sequence::from(std::span<std::int64_t const>(ids), std::span<std::int64_t const>(types));
  CHECK(s.ids == std::vector<std::int32_t>{5, 6, 7});
  CHECK(s.types == std::vector<std::int32_t>{0, 0, 1});
  CHECK(s.positions == std::vector<std::int32_t>{0, 1, 2});
  CHECK(token_sequence::from(std::span<std::int64_t const>(ids)).types == std::vector<std::int32_t>{0, 0, 0});
  token_sequence t;
  for (std::int64_t const wrong : {std::int64_t{-1}, std::int64_t{1} << 31, INT64_MIN, INT64_MAX}) {
    CHECK_THROWS_AS(t.add(wrong, 0, 0), ts::input_error);
    CHECK_THROWS_AS(t.add(0, wrong, 0), ts::input_error);
    CHECK_THROWS_AS(t.add(0, 0, wrong), ts::input_error);
  }
  CHECK(t.ids.empty());
  t.add(0x7fffffff, 0, 0);
  CHECK(t.ids.size() == 1);
}

TEST_CASE("weights of bf16 are those of float, rounded when they are loaded") {
  // Which parameters are rounded: the weights of the layers' products.
  struct rounded {
    void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> out) const {
      reference::bert_weights{}.read_float32(name, shape, out);
      if (name.starts_with("encoder.") && name.ends_with(".weight") && name.find("LayerNorm") == name.npos)
        for (float& value : out) value = static_cast<float>(ts::bf16(value));
    }
  };
  std::vector<outputs> want;
  {
    encoder e{rounded{}};
    want = encode(e, sequences());
  }
  for (int threads : {1, 2}) {
    narrow_encoder e{reference::bert_weights{}, {.threads = threads}};
    CHECK(encode(e, sequences()) == want);   // bit for bit: only the storage differs
  }
  encoder exact{reference::bert_weights{}};
  CHECK(encode(exact, sequences()) != want);
}

TEST_CASE("a number that bf16 has not is refused") {
  struct large {
    void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> out) const {
      reference::bert_weights{}.read_float32(name, shape, out);
      if (name == "encoder.layer.1.output.dense.weight") out[7] = -0x1.ffp127f;
    }
  };
  CHECK(MESSAGE_OF(ts::input_error, narrow_encoder{large{}}) ==
        "tessera: encoder.layer.1.output.dense.weight holds a number that bf16 has not");
}

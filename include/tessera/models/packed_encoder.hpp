// SPDX-License-Identifier: Apache-2.0
// Many sequences through a BERT: they are packed into runs, each in the smallest compiled capacity that holds it.
//
//   using namespace ts::models;
//   packed_encoder<bert, minilm_l6, 16, 32, 64, 128, 256, 512> encoder{weights, {.threads = 2}};
//   encoder.encode(sequences, [](std::size_t i, encoded const& e) { use(e.sentence_embedding); });
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tessera/base/error.hpp>
#include <tessera/graph/model.hpp>
#include <tessera/models/bert.hpp>
#include <tessera/models/token_sequence.hpp>

namespace tessera::models {

TESSERA_ISA_BEGIN

/// A model of models/bert.hpp in several capacities, in ascending order, that share their parameters. A capacity's memory
/// is made when it is first needed.
template <template <class> class Model, template <int> class Configuration, int... Capacity>
class packed_encoder {
  static constexpr int count = sizeof...(Capacity);
  static constexpr int capacity[count] = {Capacity...};
  static constexpr int sequence_capacity[count] = {Configuration<Capacity>::value.sequences...};
  static constexpr bert_configuration const& configuration = Configuration<capacity[0]>::value;
  template <int I>
  using type_at = Model<Configuration<capacity[I]>>;
  template <int I>
  using model_at = model<type_at<I>>;

 public:
  static constexpr int hidden = configuration.hidden;
  /// The longest sequence.
  static constexpr int longest =
      capacity[count - 1] < configuration.positions ? capacity[count - 1] : configuration.positions;

  /// Reads and packs the weights, into the smallest capacity.
  template <WeightSource Source>
  explicit packed_encoder(Source const& weights, engine_options const& options = {})
      : options_(options), smallest_(weights, options) {}

  /// Calls receive(number, result) for every sequence, in order, with what the model's result_of() returns. A sequence is
  /// checked before anything runs.
  /// @throws input_error  if a sequence is empty, too long, or holds an id, segment or position that the model has not
  template <class Receive>
  void encode(std::span<token_sequence const> sequences, Receive&& receive) {
    check(sequences);
    for (std::size_t first = 0; first < sequences.size();) {
      int tokens = 0;
      std::size_t last = first;
      while (last < sequences.size() && static_cast<int>(last - first) < sequence_capacity[count - 1] &&
             tokens + size(sequences[last]) <= capacity[count - 1])
        tokens += size(sequences[last++]);
      run_smallest<0>(sequences.subspan(first, last - first), first, tokens, receive);
      first = last;
    }
  }

  /// What encode() refuses, without a model: weights need not be read for it.
  /// @throws input_error  as encode()
  static void check(std::span<token_sequence const> sequences) {
    for (std::size_t i = 0; i < sequences.size(); ++i) check(sequences[i], i);
  }

  /// Whether runs are timed from now on, in every capacity.
  void profile(bool on) {
    profiling_ = on;
    for_each_capacity([&](int, auto& m) { m.profile(on); });
  }
  /// Calls visit(capacity, model) for each capacity that has been needed.
  template <class Visit>
  void for_each_capacity(Visit&& visit) {
    visit(capacity[0], smallest_);
    visit_larger(visit, std::make_integer_sequence<int, count>{});
  }

 private:
  template <class Visit, int... I>
  void visit_larger(Visit& visit, std::integer_sequence<int, I...>) {
    ((std::get<I>(larger_) != nullptr ? visit(capacity[I], *std::get<I>(larger_)) : void()), ...);
  }

  static int size(token_sequence const& s) { return static_cast<int>(s.ids.size()); }

  static void check(token_sequence const& s, std::size_t number) {
    auto fail = [&](std::string const& what) {
      throw input_error("tessera: sequence " + std::to_string(number) + " " + what, "input_ids");
    };
    if (s.ids.empty()) fail("has no tokens");
    if (s.types.size() != s.ids.size() || s.positions.size() != s.ids.size())
      fail("has not as many segments or positions as tokens");
    if (s.ids.size() > static_cast<std::size_t>(longest))
      fail("has " + std::to_string(s.ids.size()) + " tokens, more than " + std::to_string(longest));
    auto inside = [&](std::vector<std::int32_t> const& values, int bound, char const* what) {
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] < 0 || values[i] >= bound)
          fail("has " + std::string(what) + " " + std::to_string(values[i]) + " at " + std::to_string(i) +
               ", not in [0, " + std::to_string(bound) + ")");
    };
    inside(s.ids, configuration.vocabulary, "token id");
    inside(s.types, configuration.token_types, "segment");
    inside(s.positions, configuration.positions, "position");
  }

  template <int I, class Receive>
  void run_smallest(std::span<token_sequence const> sequences, std::size_t number, int tokens, Receive& receive) {
    if constexpr (I + 1 < count) {
      if (tokens > capacity[I] || static_cast<int>(sequences.size()) > sequence_capacity[I])
        return run_smallest<I + 1>(sequences, number, tokens, receive);
    }
    run<I>(sequences, number, tokens, receive);
  }

  template <int I>
  auto& at_capacity() {
    if constexpr (I == 0) {
      return smallest_;
    } else {
      auto& m = std::get<I>(larger_);
      if (m == nullptr) {
        m = std::make_unique<model_at<I>>(smallest_, options_);
        m->profile(profiling_);
      }
      return *m;
    }
  }

  template <int I, class Receive>
  void run(std::span<token_sequence const> sequences, std::size_t number, int tokens, Receive& receive) {
    model_at<I>& m = at_capacity<I>();
    auto const ids = m.template input<"input_ids">();
    auto const types = m.template input<"token_type_ids">();
    auto const positions = m.template input<"position_ids">();
    auto const sequence_of_token = m.template input<"sequence_of_token">();
    auto const bounds = m.template input<"sequences">();
    std::size_t at = 0;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      token_sequence const& s = sequences[i];
      auto const first = static_cast<std::int32_t>(at);
      auto const last = static_cast<std::int32_t>(at + s.ids.size());
      std::copy(s.ids.begin(), s.ids.end(), ids.begin() + first);
      std::copy(s.types.begin(), s.types.end(), types.begin() + first);
      std::copy(s.positions.begin(), s.positions.end(), positions.begin() + first);
      for (; at < static_cast<std::size_t>(last); ++at) {
        sequence_of_token[2 * at] = first;
        sequence_of_token[2 * at + 1] = last;
      }
      bounds[2 * i] = first;
      bounds[2 * i + 1] = last;
    }
    m.template set_length<"tokens">(tokens);
    m.template set_length<"sequences">(static_cast<int>(sequences.size()));
    m.run();

    packed_place place;
    for (token_sequence const& s : sequences) {
      place.tokens = s.ids.size();
      receive(number + place.sequence, type_at<I>::result_of(m, place));
      place.first_token += place.tokens;
      ++place.sequence;
    }
  }

  template <class>
  struct storage_of;
  template <int... I>
  struct storage_of<std::integer_sequence<int, I...>> {
    using type = std::tuple<std::unique_ptr<model_at<I>>...>;
  };

  engine_options options_;
  bool profiling_ = false;
  model_at<0> smallest_;
  typename storage_of<std::make_integer_sequence<int, count>>::type larger_;   // element 0 stays empty
};

TESSERA_ISA_END
}  // namespace tessera::models

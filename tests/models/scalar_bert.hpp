// SPDX-License-Identifier: Apache-2.0
// BERT in plain loops of double, one sequence at a time, written from the paper's definition (Devlin et al., 2018;
// post-norm, exact GELU), with the heads of pre-training and of question answering: the oracle of models/bert.hpp.
#pragma once

#include "reference/loops.hpp"
#include <tessera/models/bert.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reference {

/// Made-up parameters: a fixed sequence a name.
struct bert_weights {
  static std::vector<float> values(std::string_view name, std::size_t count) {
    std::uint32_t seed = 7;
    for (char c : name) seed = seed * 31 + static_cast<unsigned char>(c);
    auto x = numbers(count, seed);
    bool const gain = name.ends_with("LayerNorm.weight");
    for (float& v : x) v = gain ? 1.0f + 0.2f * v : name.ends_with("bias") ? 0.1f * v : 0.4f * v;
    return x;
  }
  void read_float32(std::string_view name, std::span<std::int64_t const>, std::span<float> out) const {
    auto const x = values(name, out.size());
    std::copy(x.begin(), x.end(), out.begin());
    ++reads[std::string(name)];
  }
  mutable std::map<std::string, int> reads;
};

struct bert_result {
  std::vector<double> states, pooled, embedding;
  std::vector<double> prediction, relationship;   ///< only where the model has heads
  std::vector<double> start, end;
};

/// The outputs for one sequence of ids and token types, at positions 0, 1, ….
class scalar_bert {
 public:
  /// @param prefix  of the names of the encoder's parameters: "bert." where the model has heads
  explicit scalar_bert(tessera::models::bert_configuration const& c, std::string prefix = "")
      : c_(c), width_(static_cast<index>(c.hidden)), prefix_(std::move(prefix)) {}

  bert_result run(std::vector<std::int32_t> const& ids, std::vector<std::int32_t> const& types) const {
    index const n = ids.size();
    auto const words = get(prefix_ + "embeddings.word_embeddings.weight", static_cast<index>(c_.vocabulary) * width_);
    auto const kinds = get(prefix_ + "embeddings.token_type_embeddings.weight", static_cast<index>(c_.token_types) * width_);
    auto const places = get(prefix_ + "embeddings.position_embeddings.weight", static_cast<index>(c_.positions) * width_);
    matrix x(n * width_);
    for (index t = 0; t < n; ++t)
      for (index j = 0; j < width_; ++j)
        x[t * width_ + j] = words[static_cast<index>(ids[t]) * width_ + j] +
                            kinds[static_cast<index>(types[t]) * width_ + j] + places[t * width_ + j];
    normalise(x, prefix_ + "embeddings.LayerNorm");
    for (int i = 0; i < c_.layers; ++i) {
      std::string const at = prefix_ + "encoder.layer." + std::to_string(i);
      auto a = linear(attention(x, at + ".attention.self"), at + ".attention.output.dense", width_);
      for (index k = 0; k < a.size(); ++k) a[k] += x[k];
      normalise(a, at + ".attention.output.LayerNorm");
      auto f = linear(a, at + ".intermediate.dense", static_cast<index>(c_.intermediate));
      for (double& v : f) v = gelu_erf(v);
      x = linear(f, at + ".output.dense", width_);
      for (index k = 0; k < a.size(); ++k) x[k] += a[k];
      normalise(x, at + ".output.LayerNorm");
    }
    bert_result result;
    result.states = x;
    result.pooled = linear(matrix(x.begin(), x.begin() + c_.hidden), prefix_ + "pooler.dense", width_);
    result.embedding = matrix(width_);
    for (double& v : result.pooled) v = std::tanh(v);
    double squares = 0;
    for (index j = 0; j < width_; ++j) {
      for (index t = 0; t < n; ++t) result.embedding[j] += x[t * width_ + j] / static_cast<double>(n);
      squares += result.embedding[j] * result.embedding[j];
    }
    for (double& v : result.embedding) v /= std::sqrt(squares);
    if (!prefix_.empty()) run_heads(result, words);
    return result;
  }

 private:
  using matrix = std::vector<double>;

  void run_heads(bert_result& r, matrix const& words) const {
    index const n = r.states.size() / width_, vocabulary = static_cast<index>(c_.vocabulary);
    auto h = linear(r.states, "cls.predictions.transform.dense", width_);
    for (double& v : h) v = gelu_erf(v);
    normalise(h, "cls.predictions.transform.LayerNorm");
    auto const bias = get("cls.predictions.bias", vocabulary);
    for (index t = 0; t < n; ++t)
      for (index w = 0; w < vocabulary; ++w) {
        double sum = bias[w];
        for (index k = 0; k < width_; ++k) sum += h[t * width_ + k] * words[w * width_ + k];
        r.prediction.push_back(sum);
      }
    r.relationship = linear(r.pooled, "cls.seq_relationship", 2);
    auto const both = linear(r.states, "qa_outputs", 2);
    for (index t = 0; t < n; ++t) {
      r.start.push_back(both[2 * t]);
      r.end.push_back(both[2 * t + 1]);
    }
  }
  static matrix get(std::string const& name, index count) {
    auto const x = bert_weights::values(name, count);
    return {x.begin(), x.end()};
  }
  /// x (n, in) -> (n, out).
  matrix linear(matrix const& x, std::string const& name, index out) const {
    index const in = name.ends_with(".output.dense") && !name.ends_with("attention.output.dense")
                         ? static_cast<index>(c_.intermediate)
                         : width_;
    index const n = x.size() / in;
    auto const weight = get(name + ".weight", out * in), bias = get(name + ".bias", out);
    matrix y(n * out);
    for (index t = 0; t < n; ++t)
      for (index o = 0; o < out; ++o) {
        double sum = bias[o];
        for (index k = 0; k < in; ++k) sum += x[t * in + k] * weight[o * in + k];
        y[t * out + o] = sum;
      }
    return y;
  }
  void normalise(matrix& x, std::string const& name) const {
    auto const weight = get(name + ".weight", width_), bias = get(name + ".bias", width_);
    for (index t = 0; t < x.size() / width_; ++t) {
      double* const row = x.data() + t * width_;
      double mean = 0, variance = 0;
      for (index j = 0; j < width_; ++j) mean += row[j] / static_cast<double>(width_);
      for (index j = 0; j < width_; ++j) variance += (row[j] - mean) * (row[j] - mean) / static_cast<double>(width_);
      for (index j = 0; j < width_; ++j) row[j] = (row[j] - mean) / std::sqrt(variance + c_.eps) * weight[j] + bias[j];
    }
  }
  matrix attention(matrix const& x, std::string const& at) const {
    index const n = x.size() / width_, heads = static_cast<index>(c_.heads), depth = width_ / heads;
    auto const q = linear(x, at + ".query", width_), k = linear(x, at + ".key", width_),
               v = linear(x, at + ".value", width_);
    matrix y(x.size());
    for (index h = 0; h < heads; ++h)
      for (index i = 0; i < n; ++i) {
        matrix score(n);
        for (index j = 0; j < n; ++j)
          for (index d = 0; d < depth; ++d)
            score[j] +=
                q[i * width_ + h * depth + d] * k[j * width_ + h * depth + d] / std::sqrt(static_cast<double>(depth));
        score = softmax(score);
        for (index j = 0; j < n; ++j)
          for (index d = 0; d < depth; ++d) y[i * width_ + h * depth + d] += score[j] * v[j * width_ + h * depth + d];
      }
    return y;
  }

  tessera::models::bert_configuration c_;
  index width_;
  std::string prefix_;
};

}  // namespace reference

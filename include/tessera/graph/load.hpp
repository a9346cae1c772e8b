// SPDX-License-Identifier: Apache-2.0
// Loading: parameters from wherever they are stored into a program, in the form in which it reads them.
#pragma once

#include <tessera/base/error.hpp>
#include <tessera/codelets/winograd.hpp>
#include <tessera/graph/graph.hpp>
#include <tessera/runtime/executor.hpp>
#include <tessera/simd/convert.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Something that parameters can be read from, such as a safetensors file: fills `values` with the tensor `name`, or
/// throws if it is not there or has another shape.
template <class S>
concept WeightSource = requires(S const& source, std::string_view name, std::span<std::int64_t const> shape,
                                std::span<float> values) { source.read_float32(name, shape, values); };

/// A source that can also show values where they lie, and that is told when they are no longer wanted: a file that is
/// larger than everything else need not be in memory twice. What is lent has as many values as the shape, which stay
/// until release(name); nothing is lent where values have to be converted, and read_float32 is called then. release is
/// called once for each parameter, however it was read.
template <class S>
concept LendingWeightSource =
    WeightSource<S> && requires(S const& source, std::string_view name, std::span<std::int64_t const> shape) {
      { source.lend_float32(name, shape) } -> std::same_as<std::span<float const>>;
      source.release(name);
    };

/// A source that is told the names of all parameters, and throws a better message for it if one is not there.
template <class S>
concept CheckingWeightSource =
    WeightSource<S> && requires(S const& source, std::string_view name, std::span<std::string_view const> names) {
      source.require(name, names);
    };

TESSERA_ISA_BEGIN
namespace isa_detail {

/// The parameters of a graph, one after another: what is read for one is given back before the next is read, since the
/// largest of them would stay in memory otherwise.
template <class Source>
class parameter_loader {
 public:
  parameter_loader(graph const& g, Source const& weights, executor& to) : g_(g), weights_(weights), to_(to) {}

  void load() const {
    std::vector<std::string_view> names;
    for (named_node const& p : g_.parameters) names.push_back(g_.name_of(p));
    for (named_node const& p : g_.parameters) {
      if constexpr (CheckingWeightSource<Source>) weights_.require(g_.name_of(p), names);
      if (p.id < 0) continue;   // of a norm that is folded into a filter, with which it is read
      auto const fold = std::find_if(g_.folded_norms.begin(), g_.folded_norms.end(),
                                     [&](folded_norm const& f) { return f.filter == p.id; });
      if (fold != g_.folded_norms.end()) load_folded(*fold);
      else load_one(p);
    }
  }

 private:
  void load_one(named_node const& p) const {
    std::string_view const name = g_.name_of(p);
    shape_of const shape(g_.shape({p.id}));
    if constexpr (LendingWeightSource<Source>) {
      bool const as_it_is = g_.type({p.id}) == element::float32 && transformed_tile(p.id) == 0;
      std::span<float const> const lent = as_it_is ? weights_.lend_float32(name, shape) : std::span<float const>{};
      if (!lent.empty() && lent.size() != volume(p.id))
        throw input_error("tessera: parameter " + std::string(name) + " has " + std::to_string(volume(p.id)) +
                              " elements, but " + std::to_string(lent.size()) + " were lent",
                          std::string(name));
      if (!lent.empty()) to_.write(p.id, lent.data());
      else write(p.id, name, read(name, shape, volume(p.id)).get());
      weights_.release(name);
    } else {
      write(p.id, name, read(name, shape, volume(p.id)).get());
    }
  }

  /// A filter and the norm behind it: rows of the filter times weight / √(variance + eps), and a bias that is what the norm
  /// adds. Sums and factors are in double.
  /// @throws input_error if a variance is negative
  void load_folded(folded_norm const& fold) const {
    shape_of const shape(g_.shape({fold.filter}));
    auto const filters = static_cast<std::size_t>(shape.extent[0]);
    auto const finished = [&](int parameter) {
      if constexpr (LendingWeightSource<Source>) weights_.release(g_.name_of(g_.parameters[parameter]));
    };
    auto const vector = [&](int parameter) {
      std::vector<float> values(filters);
      weights_.read_float32(g_.name_of(g_.parameters[parameter]), std::span(shape.extent, 1), values);
      finished(parameter);
      return values;
    };
    std::vector<float> const weight = vector(fold.weight), shift = vector(fold.shift), mean = vector(fold.mean),
                             variance = vector(fold.variance);
    std::vector<float> bias = fold.own_bias < 0 ? std::vector<float>(filters, 0.0f) : vector(fold.own_bias);
    std::string_view const filter = g_.name_of(g_.parameters[fold.filter_name]);
    auto const values = read(filter, shape, volume(fold.filter));
    finished(fold.filter_name);
    std::size_t const row = volume(fold.filter) / filters;
    for (std::size_t o = 0; o < filters; ++o) {
      std::string_view const name = g_.name_of(g_.parameters[fold.variance]);
      if (variance[o] < 0)
        throw input_error("tessera: " + std::string(name) + " holds a variance below 0 at index " + std::to_string(o),
                          std::string(name));
      double const scale = double{weight[o]} / std::sqrt(double{variance[o]} + fold.eps);
      for (std::size_t k = 0; k < row; ++k) values[o * row + k] = static_cast<float>(values[o * row + k] * scale);
      bias[o] = static_cast<float>(double{shift[o]} + (double{bias[o]} - double{mean[o]}) * scale);
    }
    write(fold.filter, filter, values.get());
    to_.write(fold.bias, bias.data());
  }

  std::unique_ptr<float[]> read(std::string_view name, std::span<std::int64_t const> shape, std::size_t count) const {
    auto values = std::make_unique_for_overwrite<float[]>(count);
    weights_.read_float32(name, shape, std::span<float>(values.get(), count));
    return values;
  }
  /// As the program has them: floats, filters transformed for Winograd's algorithm, or rounded to bf16.
  void write(int id, std::string_view name, float const* values) const {
    if (g_.type({id}) == element::bfloat16) return write_narrow(id, name, values);
    int const tile = transformed_tile(id);
    if (tile == 2) return write_transformed<2>(id, values);
    if (tile == 4) return write_transformed<4>(id, values);
    to_.write(id, values);
  }
  /// @throws input_error if a number is beyond bf16
  void write_narrow(int id, std::string_view name, float const* values) const {
    std::size_t const count = volume(id);
    constexpr float beyond = 0x1.ffp127f;   // from here on numbers would be rounded to infinity
    if (std::any_of(values, values + count, [](float v) { return v >= beyond || v <= -beyond; }))
      throw input_error("tessera: " + std::string(name) + " holds a number that bf16 has not", std::string(name));
    auto const narrow = std::make_unique_for_overwrite<bf16[]>(count);
    simd::from_float(values, narrow.get(), static_cast<int>(count));
    to_.write(id, narrow.get());
  }
  template <int Tile>
  void write_transformed(int id, float const* values) const {
    constexpr std::size_t taps = codelets::transformed_taps(Tile);
    std::size_t const filters = volume(id) / 9;   // of 3 x 3 taps, one for each pair of channels
    auto const transformed = std::make_unique_for_overwrite<float[]>(filters * taps);
    for (std::size_t f = 0; f < filters; ++f)
      codelets::transform_filter<Tile>(values + f * 9, transformed.get() + f * taps);
    to_.write(id, transformed.get());
  }

  /// The tile for which the program has a filter transformed; 0 if it has it as it is.
  int transformed_tile(int id) const {
    dims const& s = g_.shape({id});
    if (s.rank != 4) return 0;
    int const taps = to_.plan().program.tensors[id].extent[1] / s[1];
    for (int tile : {2, 4})
      if (s[2] * s[3] == 9 && taps == codelets::transformed_taps(tile)) return tile;
    return 0;
  }
  std::size_t volume(int id) const { return static_cast<std::size_t>(g_.shape({id}).volume()); }

  /// A shape as sources take it.
  struct shape_of {
    std::int64_t extent[max_rank] = {};
    int rank;
    explicit shape_of(dims const& s) : rank(s.rank) {
      for (int d = 0; d < s.rank; ++d) extent[d] = s[d];
    }
    operator std::span<std::int64_t const>() const { return {extent, static_cast<std::size_t>(rank)}; }
  };

  graph const& g_;
  Source const& weights_;
  executor& to_;
};

}  // namespace isa_detail

/// Reads every parameter of a graph into the program that it was lowered to.
/// @throws whatever the source throws, and input_error if it lends another number of values than a parameter has, or a
///         number cannot be one
template <class Source>
void load_parameters(graph const& g, Source const& weights, executor& to) {
  isa_detail::parameter_loader<Source>(g, weights, to).load();
}

TESSERA_ISA_END
}  // namespace tessera

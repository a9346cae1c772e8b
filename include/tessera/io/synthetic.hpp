// SPDX-License-Identifier: Apache-2.0
// Synthetic weights: a full-size network's parameters from a name, a shape and a seed, the same bits everywhere.
//
//   ts::synthetic::tensor("resnet", "layer1.0.bn1.weight", {64}, 1)[5]  ->  1.01746154f   (0x3f823c2e)
//
// value(i) = round32(round32(t·scale) + shift), t in [-1, 1) from a hash of the tensor's name, the seed and the flat
// row-major index i. Source of rule and table: section 1 of the conformance kit. Its two roundings must not become one
// fma; fill() sees to that whatever the compiler's flags are.
#pragma once

#include <tessera/base/config.hpp>
#include <tessera/base/error.hpp>
#include <tessera/io/detail/describe.hpp>
#include <tessera/io/detail/synthetic_gain.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::synthetic {

/// What a tensor's values look like. Of kind none: not synthetic (counters and constant buffers keep their values).
enum class kind : std::uint8_t { none, running_mean, running_var, bias, time, norm, embedding, weight };

/// The kind, and the interval [shift - scale, shift + scale) its values lie in.
struct rule {
  synthetic::kind kind = kind::none;
  float scale = 0;
  float shift = 0;
};

/// The family whose gains a model uses: "minilm_l6" -> "bert"; nothing if the model is unknown.
constexpr std::optional<std::string_view> family_of(std::string_view model) {
  if (model.starts_with("bert_") || model == "minilm_l6") return "bert";
  if (model == "resnet50" || model == "resnext101_32x4d") return "resnet";
  for (auto const& family : io_detail::synthetic_families) {
    if (family.name == model) return family.name;
  }
  return std::nullopt;
}

/// The name under which a shared tensor is hashed: "cls.predictions.decoder.bias" -> "cls.predictions.bias".
/// Names that are not shared come back as they are.
inline std::string canonical_name(std::string_view family, std::string_view name) {
  auto const renamed = [&](std::string_view from, std::string_view to) {
    return std::string(to) + std::string(name.substr(from.size()));
  };
  if (family == "bert") {
    if (name == "cls.predictions.decoder.weight") return "bert.embeddings.word_embeddings.weight";
    if (name == "cls.predictions.decoder.bias") return "cls.predictions.bias";
  }
  if (family == "tgn" && name.starts_with("embedding_module.time_encoder.w.")) {
    return renamed("embedding_module.", "");
  }
  if (family == "tgn_pyg" && name.starts_with("gnn.time_enc.")) return renamed("gnn.", "memory.");
  if (family == "schnet" && name.starts_with("interactions.")) {
    constexpr std::string_view inner = ".conv.nn.";
    if (auto const at = name.find(inner); at != std::string_view::npos) {
      return std::string(name.substr(0, at)) + ".mlp." + std::string(name.substr(at + inner.size()));
    }
  }
  return std::string(name);
}

/// The rule of the tensor with that name and shape.
/// @throws input_error  if the family is unknown, or a matrix' extents are not positive
inline rule rule_of(std::string_view family, std::string_view name, std::span<std::int64_t const> shape) {
  auto const gain = io_detail::synthetic_gain(family, name);
  if (!gain)
    throw input_error("no synthetic weights for the family " + io_detail::in_quotes(family), std::string(family));
  auto const dot = name.rfind('.');
  std::string_view const last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  std::string_view owner = dot == std::string_view::npos ? name : name.substr(0, dot);
  if (auto const before = owner.rfind('.'); before != std::string_view::npos) owner = owner.substr(before + 1);

  for (std::string_view const constant :
       {"num_batches_tracked", "position_ids", "offset", "last_update", "memory", "_assoc"}) {
    if (last == constant) return {};
  }
  if (last == "running_mean") return {kind::running_mean, 0.1f, 0.0f};
  if (last == "running_var") return {kind::running_var, 0.25f, 1.25f};
  if (last.find("bias") != std::string_view::npos) return {kind::bias, 0.05f, 0.0f};
  if (name == "time_encoder.w.weight" || name == "memory.time_enc.lin.weight") return {kind::time, 0.05f, 0.0f};
  if (shape.size() == 1) return {kind::norm, 0.1f, 1.0f};
  double fan_in = 1;  // exact: products of extents stay below 2^53
  for (std::size_t d = 1; d < shape.size(); ++d) fan_in *= static_cast<double>(shape[d]);
  if (!(fan_in >= 1)) {
    throw input_error(
        "no synthetic values for " + io_detail::in_quotes(name) + " of shape " + io_detail::shape_text(shape),
        std::string(name));
  }
  if (owner.find("embed") != std::string_view::npos) {
    double const width = shape.size() > 1 ? static_cast<double>(shape[1]) : 1.0;
    return {kind::embedding, family == "bert" ? static_cast<float>(std::sqrt(3.0 / width)) : 1.0f, 0.0f};
  }
  return {kind::weight, static_cast<float>(std::sqrt(3.0 / fan_in) * *gain), 0.0f};
}

/// FNV-1a, 64 bits.
constexpr std::uint64_t fnv1a64(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// The 64 random bits of flat index `index`: splitmix64's finaliser over a counter that starts at the hash.
constexpr std::uint64_t random_bits(std::uint64_t hash, std::uint64_t index) {
  std::uint64_t z = hash + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

TESSERA_ISA_BEGIN
/// Writes elements [first, first + out.size()) of the tensor hashed under `name` (see canonical_name) with `r`.
inline void fill(std::string_view name, rule r, std::uint64_t seed, std::span<float> out, std::uint64_t first = 0) {
  std::uint64_t const hash = fnv1a64(name) ^ (seed * 0x9e3779b97f4a7c15u);
  constexpr std::size_t block = 256;
  std::array<float, block> products;
  for (std::size_t begin = 0; begin < out.size(); begin += block) {
    std::size_t const count = std::min(block, out.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      // t = 2r - 1 with r = (u >> 40)·2^-24, in one exact step
      auto const centred = static_cast<std::int32_t>(random_bits(hash, first + begin + i) >> 40) - (1 << 23);
      products[i] = (static_cast<float>(centred) * 0x1p-23f) * r.scale;
    }
    // The products now exist as floats in memory: the compiler must assume that this line reads and changes them, and
    // so cannot merge the multiplication with the addition below, under -ffp-contract=fast or -ffast-math either.
    asm volatile("" : : "r"(products.data()) : "memory");
    if (r.shift == 0.0f) std::copy_n(products.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(begin));
    else
      for (std::size_t i = 0; i < count; ++i) out[begin + i] = products[i] + r.shift;
  }
}
TESSERA_ISA_END

/// The tensor with that name, all rules applied: shared tensors by their canonical name, and the raised blank of the
/// RNN-T's joint network, without which greedy decoding would hardly ever emit a blank.
/// @param out  as many elements as the shape has
/// @throws input_error  if it is not synthetic, the family is unknown or `out` has another size
inline void tensor(std::string_view family, std::string_view name, std::span<std::int64_t const> shape,
                   std::uint64_t seed, std::span<float> out) {
  std::string const canonical = canonical_name(family, name);
  rule const r = rule_of(family, canonical, shape);
  if (r.kind == kind::none) throw input_error(io_detail::in_quotes(name) + " is not synthetic", std::string(name));
  if (io_detail::checked_product(shape) != out.size()) {
    throw input_error(io_detail::in_quotes(name) + " of shape " + io_detail::shape_text(shape) + " does not have " +
                          std::to_string(out.size()) + " elements",
                      std::string(name));
  }
  fill(canonical, r, seed, out);
  constexpr std::size_t blank = 28;
  if (family == "rnnt" && canonical == "joint.net.3.bias" && out.size() > blank) out[blank] += 3.0f;
}

/// The same into a new vector.
inline std::vector<float> tensor(std::string_view family, std::string_view name, std::span<std::int64_t const> shape,
                                 std::uint64_t seed) {
  auto const count = io_detail::checked_product(shape, 1);
  if (!count) throw input_error(io_detail::in_quotes(name) + " has an impossible shape", std::string(name));
  std::vector<float> result(*count);
  tensor(family, name, shape, seed, result);
  return result;
}
inline std::vector<float> tensor(std::string_view family, std::string_view name,
                                 std::initializer_list<std::int64_t> shape, std::uint64_t seed) {
  return tensor(family, name, std::span(shape.begin(), shape.size()), seed);
}

/// Synthetic weights as something a model can be loaded from (WeightSource in tessera/graph/model.hpp).
class source {
 public:
  /// @param family  see family_of
  source(std::string_view family, std::uint64_t seed) : family_(family), seed_(seed) {}

  /// Fills `values` with the tensor of that name and shape.
  void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> values) const {
    tensor(family_, name, shape, seed_, values);
  }

 private:
  std::string family_;
  std::uint64_t seed_;
};

}  // namespace tessera::synthetic

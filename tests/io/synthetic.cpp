// SPDX-License-Identifier: Apache-2.0
// Holds under any flags; worth building with -O3 -march=native -ffp-contract=fast -ffast-math, too.
#include "io/files.hpp"
#include <tessera/io/synthetic.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cstring>
#include <fstream>
#include <vector>

namespace ts = tessera;
namespace synthetic = tessera::synthetic;

namespace {

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// FNV-1a of the tensor's bytes, little endian.
std::uint64_t digest(std::vector<float> const& values) {
  return synthetic::fnv1a64({reinterpret_cast<char const*>(values.data()), values.size() * sizeof(float)});
}

}  // namespace

TEST_CASE("the worked vectors of the conformance kit") {
  CHECK(synthetic::fnv1a64("conv1.weight") == 0x69a29a2cee47d254u);
  CHECK(synthetic::random_bits(0xf795e395910dae41u, 0) == 0x0186c3be35442a22u);
  struct {
    char const *family, *name;
    std::vector<std::int64_t> shape;
    std::uint64_t seed, index;
    std::uint32_t bits;
  } const vectors[] = {
      {"resnet", "conv1.weight", {64, 3, 7, 7}, 1, 0, 0xbe4bcd9c},
      {"resnet", "layer1.0.bn1.running_var", {64}, 1, 5, 0x3f9d2432},
      {"bert", "encoder.layer.0.attention.self.query.weight", {768, 768}, 7, 589823, 0xbda7ddac},
      {"bert", "embeddings.word_embeddings.weight", {30522, 768}, 7, 1000000, 0xbba433f0},
      {"schnet", "interactions.0.mlp.0.bias", {128}, 42, 127, 0x3d4752a5},
      {"resnet", "layer1.0.bn1.weight", {64}, 1, 5, 0x3f823c2e},  // an fma gives 0x3f823c2f
  };
  for (auto const& v : vectors) {
    CAPTURE(v.name);
    float value = 0;
    synthetic::fill(v.name, synthetic::rule_of(v.family, v.name, v.shape), v.seed, std::span(&value, 1), v.index);
    CHECK(bits(value) == v.bits);
  }
  CHECK(bits(synthetic::tensor("resnet", "layer1.0.bn1.weight", {64}, 1)[5]) == 0x3f823c2e);
}

TEST_CASE("whole tensors have the bits that NumPy computes") {
  // FNV-1a of synth.tensor(family, name, shape, seed).tobytes()
  struct {
    char const *family, *name;
    std::vector<std::int64_t> shape;
    std::uint64_t seed, digest;
  } const tensors[] = {
      {"resnet", "layer1.0.bn1.weight", {64}, 1u, 0x7063a2462c0574e2u},
      {"resnet", "layer1.0.bn1.running_var", {1024}, 1u, 0x531d1079d9756ddau},
      {"bert", "encoder.layer.0.attention.self.query.weight", {24, 32}, 7u, 0x6d93af6716882dcdu},
      {"bert", "embeddings.word_embeddings.weight", {30, 17}, 9223372036854775813u, 0x123b14925b6be40cu},
      {"tgn", "time_encoder.w.weight", {100, 1}, 3u, 0x11e73d7cfcd66f33u},
      {"rnnt", "prediction.embed.weight", {28, 20}, 11u, 0x8ff98b7608704bb3u},
      {"op", "w", {3, 5, 7}, 0u, 0x2d342b5f6a132124u},
  };
  for (auto const& t : tensors) {
    CAPTURE(t.name);
    CHECK(digest(synthetic::tensor(t.family, t.name, t.shape, t.seed)) == t.digest);
  }
}

TEST_CASE("both roundings happen, whatever the flags: each value against exact arithmetic") {
  // t has 24 bits and so has scale: their product is exact in double. Rounding it to float here, out of the compiler's
  // sight, gives what fill() must add the shift to.
  synthetic::rule const r{synthetic::kind::norm, 0.1f, 1.0f};
  std::vector<float> values(100000);
  synthetic::fill("n", r, 9, values);
  std::uint64_t const hash = synthetic::fnv1a64("n") ^ (9 * 0x9e3779b97f4a7c15u);
  int fma_would_differ = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double const t = (static_cast<double>(synthetic::random_bits(hash, i) >> 40) - 8388608.0) / 8388608.0;
    double const product = t * static_cast<double>(r.scale);
    float const volatile rounded = static_cast<float>(product);
    float const volatile sum = rounded + r.shift;
    REQUIRE(bits(values[i]) == bits(sum));
    fma_would_differ += bits(static_cast<float>(product + 1.0)) != bits(sum) ? 1 : 0;
  }
  CHECK(fma_would_differ > 1000);  // or this test could not tell
}

TEST_CASE("a piece of a tensor is the same as that piece of the whole") {
  synthetic::rule const r{synthetic::kind::norm, 0.1f, 1.0f};
  std::vector<float> whole(1000), piece(300);
  synthetic::fill("x", r, 1, whole);
  synthetic::fill("x", r, 1, piece, 511);
  CHECK(std::memcmp(piece.data(), whole.data() + 511, piece.size() * sizeof(float)) == 0);
}

TEST_CASE("shared names, the raised blank, and what is not synthetic") {
  CHECK(synthetic::canonical_name("bert", "cls.predictions.decoder.weight") ==
        "bert.embeddings.word_embeddings.weight");
  CHECK(synthetic::canonical_name("lstm", "cls.predictions.decoder.weight") == "cls.predictions.decoder.weight");
  CHECK(synthetic::canonical_name("schnet", "interactions.12.conv.nn.2.bias") == "interactions.12.mlp.2.bias");
  CHECK(synthetic::tensor("schnet", "interactions.0.conv.nn.0.bias", {128}, 42) ==
        synthetic::tensor("schnet", "interactions.0.mlp.0.bias", {128}, 42));
  auto const bias = synthetic::tensor("rnnt", "joint.net.3.bias", {29}, 5);
  CHECK(bits(bias[28]) == 0x403ff234);
  CHECK(bits(bias[27]) == 0xbcacc0a7);
  CHECK_THROWS_AS(synthetic::tensor("schnet", "distance_expansion.offset", {50}, 1), ts::input_error);
  CHECK_THROWS_AS(synthetic::tensor("none", "w", {5}, 1), ts::input_error);
  CHECK_THROWS_AS(synthetic::tensor("op", "w", {5, 0}, 1), ts::input_error);
  CHECK_THROWS_AS(synthetic::tensor("op", "w", {-5}, 1), ts::input_error);
  std::vector<float> small(4);
  std::vector<std::int64_t> const shape{5};
  CHECK_THROWS_AS(synthetic::tensor("op", "w", shape, 1, small), ts::input_error);
  CHECK(!synthetic::family_of("vgg16"));
}

TEST_CASE("patterns of the gain table") {
  using ts::io_detail::matches_pattern;
  CHECK(matches_pattern("layer3.12.conv3.weight", "layer3.#.conv3"));
  CHECK(!matches_pattern("layer3.x.conv3.weight", "layer3.#.conv3"));
  CHECK(!matches_pattern("layer3..conv3.weight", "layer3.#.conv3"));
  CHECK(!matches_pattern("features.10.0.block", "features.?.0"));
  CHECK(matches_pattern("fc.weight", "^fc."));
  CHECK(!matches_pattern("x.fc.weight", "^fc."));
  CHECK(!matches_pattern("fc", "^fc."));
  CHECK(matches_pattern("", ""));
  CHECK(*ts::io_detail::synthetic_gain("bert", "encoder.layer.10.output.dense.weight") == 1.4);
  CHECK(*ts::io_detail::synthetic_gain("bert", "encoder.layer.10.attention.output.dense.weight") == 0.7);
}

TEST_CASE("scale, shift, kind and shared name of every tensor in the conformance kit's manifests") {
  auto const root = test::shared();
  if (root.empty()) {
    MESSAGE("skipped: no reference data");
    return;
  }
  constexpr char const* kinds[] = {"none", "running_mean", "running_var", "bias",
                                   "time", "norm",         "embedding",   "weight"};
  int tensors = 0;
  for (auto const& found : std::filesystem::directory_iterator(root / "conformance/manifests")) {
    auto const manifest = nlohmann::json::parse(std::ifstream(found.path()));
    auto const family = manifest.at("family").get<std::string>();
    CAPTURE(found.path().string());
    CHECK(synthetic::family_of(manifest.at("model").get<std::string>()) == family);
    for (auto const& t : manifest.at("tensors")) {
      auto const name = t.at("name").get<std::string>();
      CAPTURE(name);
      auto const shape = t.at("shape").get<std::vector<std::int64_t>>();
      auto const canonical = synthetic::canonical_name(family, name);
      CHECK(canonical == t.value("same_tensor_as", name));
      auto const rule = synthetic::rule_of(family, canonical, shape);
      CHECK(kinds[static_cast<int>(rule.kind)] == t.at("kind").get<std::string>());
      CHECK(bits(rule.scale) == bits(t.value("scale", 0.0f)));
      CHECK(bits(rule.shift) == bits(t.value("shift", 0.0f)));
      ++tensors;
    }
  }
  CHECK(tensors > 3000);
}

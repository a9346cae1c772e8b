// SPDX-License-Identifier: Apache-2.0
// Runs a libFuzzer target without libFuzzer: every file of a corpus as it is, then mutations of them.
//
//   fuzz.safetensors 20000 corpus/safetensors [SEED]      the same inputs for the same seed, on every compiler
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

using bytes = std::vector<std::uint8_t>;

// The mutations that break parsers: flipped bits, boundary values, parts cut out, repeated, or taken from a neighbour.
bytes mutate(bytes input, bytes const& other, std::mt19937_64& random) {
  auto below = [&](std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(random() % bound); };
  static constexpr std::uint8_t boundary[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '"', '[', ']', '{', '}', '-', '9'};
  for (std::size_t rounds = 1 + below(4); rounds > 0; --rounds) {
    std::size_t const at = below(input.size());
    auto const here = input.begin() + static_cast<std::ptrdiff_t>(at);
    auto const rest = input.size() - at;
    switch (below(7)) {
      case 0:
        if (!input.empty()) input[at] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1:
        if (!input.empty()) input[at] = boundary[below(std::size(boundary))];
        break;
      case 2:
        for (std::size_t i = 0; i < 8 && i < rest; ++i) input[at + i] = at % 2 == 0 ? 0xff : 0;
        break;
      case 3: input.resize(at); break;
      case 4: input.erase(here, here + static_cast<std::ptrdiff_t>(below(rest + 1))); break;
      case 5: input.insert(here, 1 + below(16), boundary[below(std::size(boundary))]); break;
      case 6: {
        std::size_t const from = below(other.size());
        std::size_t const count = below(other.size() - from + 1);
        input.insert(here, other.begin() + static_cast<std::ptrdiff_t>(from),
                     other.begin() + static_cast<std::ptrdiff_t>(from + count));
        break;
      }
    }
    if (input.size() > 65536) input.resize(65536);
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s RUNS CORPUS_FOLDER [SEED]\n", argv[0]);
    return 2;
  }
  auto const runs = std::strtoull(argv[1], nullptr, 10);
  std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);

  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(argv[2]))
    for (auto const& entry : std::filesystem::directory_iterator(argv[2]))
      if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());  // the order of a directory differs between file systems

  std::vector<bytes> corpus;
  for (auto const& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  corpus.emplace_back();  // the empty input
  for (bytes const& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());

  for (unsigned long long run = 0; run < runs; ++run) {
    bytes const input = mutate(corpus[random() % corpus.size()], corpus[random() % corpus.size()], random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu inputs of the corpus, %llu mutations\n", corpus.size(), runs);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Any bytes are a safetensors file or an io_error; the tensors of a file tile its data and can be read.
#include <tessera/io/safetensors.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  namespace ts = tessera;
  try {
    auto const file = ts::safetensors::parse(std::as_bytes(std::span(data, size)));
    std::byte const* end = nullptr;
    for (auto const& t : file.tensors()) {
      if (end != nullptr && t.bytes.data() != end) std::abort();
      end = t.bytes.data() + t.bytes.size();
      if (file.find(t.name) != &t) std::abort();
      try {
        std::vector<float> const values = file.read_float32(t.name, t.shape);
        for (float const value : values) {
          if (!ts::io_detail::finite(value)) std::abort();
        }
      } catch (ts::io_error const&) {
        // another type, or a number that is not finite
      }
    }
    if (end != nullptr && end != reinterpret_cast<std::byte const*>(data + size)) std::abort();
    for (auto const& [name, kept] : file.metadata()) file.find(name);
  } catch (ts::io_error const&) {
  }
  return 0;
}

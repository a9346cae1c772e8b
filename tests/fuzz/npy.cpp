// SPDX-License-Identifier: Apache-2.0
// Any bytes are a .npy file or an io_error; an array that was read is the same after writing and reading it.
#include <tessera/io/npy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  namespace ts = tessera;
  try {
    ts::npy::array const first = ts::npy::parse(std::as_bytes(std::span(data, size)));
    std::string again = ts::io_detail::npy_header_text(first.element, first.shape);
    again.append(reinterpret_cast<char const*>(first.bytes.data()), first.bytes.size());
    ts::npy::array const second = ts::npy::parse(std::as_bytes(std::span(again.data(), again.size())));
    if (second.element != first.element || second.shape != first.shape || second.bytes != first.bytes) std::abort();
  } catch (ts::io_error const&) {
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// The bundled sentence encoder behind a small interface, so that its kernels are compiled once for all programs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tessera/models/token_sequence.hpp>

#include "arguments.hpp"

namespace cli {

/// all-MiniLM-L6-v2.
class encoder {
 public:
  static constexpr int hidden = 384;
  /// The longest sequence, in tokens.
  static constexpr int longest = 512;

  /// @throws io_error or input_error if the weights cannot be read
  encoder(weights_source const& weights, int threads);
  ~encoder();

  /// Calls receive(number, encoded) for every sequence, in order.
  void encode(std::span<tessera::models::token_sequence const> sequences,
              std::function<void(std::size_t, tessera::models::encoded const&)> const& receive);
  /// A static report of the largest capacity, as one HTML page.
  static std::string report();

 private:
  struct models;
  std::unique_ptr<models> models_;
};

}  // namespace cli

// SPDX-License-Identifier: Apache-2.0
// Checkpoint names: BERT parameters are stored with and without a prefix, and older files call a layer norm's gain gamma.
//
//   ts::models::bert_checkpoint weights{file};    // "encoder.layer.0.output.LayerNorm.weight" also finds
//                                                 // "bert.encoder.layer.0.output.LayerNorm.gamma"
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::models {

/// A view of a file of tensors under the names that the bert model asks for. File: find(name), read_float32(…),
/// lend_float32(…) and release(name), as ts::safetensors::file has them; it must outlive the view.
template <class File>
class bert_checkpoint {
 public:
  explicit bert_checkpoint(File const& file) : file_(file) {}

  /// @throws what the file throws if it has the tensor under none of the names, or of another shape
  void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> values) const {
    file_.read_float32(stored(name), shape, values);
  }
  /// The same where they lie, or nothing if they have to be copied.
  std::span<float const> lend_float32(std::string_view name, std::span<std::int64_t const> shape) const {
    return file_.lend_float32(stored(name), shape);
  }
  /// Gives the memory of what was read back.
  void release(std::string_view name) const { file_.release(stored(name)); }

 private:
  /// The name under which the file has it; the given one if it has it under none.
  std::string stored(std::string_view name) const {
    std::string const now(name), then = older(name);
    for (std::string const& found : {now, then, "bert." + now, "bert." + then})
      if (file_.find(found) != nullptr) return found;
    return now;
  }
  /// A layer norm's weight and bias under their older names; other names as they are.
  static std::string older(std::string_view name) {
    std::string text(name);
    for (auto const& [now, then] : {std::pair{"LayerNorm.weight", "LayerNorm.gamma"},
                                    std::pair{"LayerNorm.bias", "LayerNorm.beta"}})
      if (text.ends_with(now)) return text.replace(text.size() - std::string_view(now).size(), std::string::npos, then);
    return text;
  }

  File const& file_;
};

}  // namespace tessera::models

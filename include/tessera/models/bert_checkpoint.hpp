// SPDX-License-Identifier: Apache-2.0
// Checkpoint names: BERT parameters are stored with and without a prefix, and older files call a layer norm's gain gamma.
//
//   ts::models::bert_checkpoint weights{file};    // "encoder.layer.0.output.LayerNorm.weight" also finds
//                                                 // "bert.encoder.layer.0.output.LayerNorm.gamma"
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::models {

/// A view of a file of tensors under the names that the bert model asks for. File: find(name), read_float32(…) and
/// tensors(), as ts::safetensors::file has them, and lend_float32(…) and release(name) if values can be read in place;
/// it must outlive the view. Reads are noted for unused(): two models may not be loaded from one view at once.
template <class File>
class bert_checkpoint {
 public:
  explicit bert_checkpoint(File const& file) : file_(file) {}

  /// @throws what the file throws if it has the tensor under none of the names, or of another shape
  void read_float32(std::string_view name, std::span<std::int64_t const> shape, std::span<float> values) const {
    file_.read_float32(read(name), shape, values);
  }
  /// Checks that the file has this tensor, under one of its names.
  /// @param names  all that are read
  /// @throws what the file throws
  void require(std::string_view name, std::span<std::string_view const> names) const
    requires requires(File const& f) { f.require(name, names); }
  {
    if (file_.find(stored(name)) != nullptr) return;
    std::vector<std::string> here;
    for (std::string_view const n : names) here.push_back(stored(n));
    std::vector<std::string_view> const views(here.begin(), here.end());
    file_.require(name, views);
  }
  /// The values of read_float32 where they lie, or nothing if they have to be copied.
  std::span<float const> lend_float32(std::string_view name, std::span<std::int64_t const> shape) const
    requires requires(File const& f) { f.lend_float32(name, shape); }
  {
    return file_.lend_float32(read(name), shape);
  }
  /// Gives the memory of what was read back.
  void release(std::string_view name) const
    requires requires(File const& f) { f.release(name); }
  {
    file_.release(stored(name));
  }
  /// The file's tensors that nothing has read so far, such as a head that the model does not have. Not among them is what
  /// files hold though it is no parameter: position_ids, and second copies of tensors that two layers share.
  std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (auto const& t : file_.tensors())
      if (std::find(read_.begin(), read_.end(), t.name) == read_.end() && !is_no_parameter(t.name))
        names.push_back(t.name);
    return names;
  }

 private:
  /// The name under which the file has it; the given one if it has it under none.
  std::string stored(std::string_view name) const {
    std::string const now(name), then = older(name);
    for (std::string const& found : {now, then, "bert." + now, "bert." + then})
      if (file_.find(found) != nullptr) return found;
    return now;
  }
  /// The same; notes that it is used.
  std::string read(std::string_view name) const {
    std::string const found = stored(name);
    if (auto const* const t = file_.find(found)) read_.push_back(t->name);
    return found;
  }
  /// A layer norm's weight and bias under their older names; other names as they are.
  static std::string older(std::string_view name) {
    std::string text(name);
    for (auto const& [now, then] : {std::pair{"LayerNorm.weight", "LayerNorm.gamma"},
                                    std::pair{"LayerNorm.bias", "LayerNorm.beta"}})
      if (text.ends_with(now)) return text.replace(text.size() - std::string_view(now).size(), std::string::npos, then);
    return text;
  }

  static bool is_no_parameter(std::string_view name) {
    return name.ends_with("position_ids") || name.starts_with("cls.predictions.decoder.");
  }

  File const& file_;
  mutable std::vector<std::string> read_;   ///< as the file calls them
};

}  // namespace tessera::models

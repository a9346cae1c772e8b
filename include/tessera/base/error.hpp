// SPDX-License-Identifier: Apache-2.0
// Run-time errors: one family, with fields as well as text.
//
//   try { engine.run(); } catch (ts::run_error const& e) { e.tile(); e.tensor(); e.what(); }
//
// What a compiler can know is a compile error instead (tessera/plan/check.hpp).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tessera {

/// Base of everything the library throws.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument, shape, element type or number that a caller supplied is wrong. Thrown before anything is changed.
class input_error : public error {
 public:
  /// @param what     one sentence naming the value and its bound
  /// @param subject  the tensor, option or field concerned; may be empty
  explicit input_error(std::string const& what, std::string subject = {})
      : error(what), subject_(std::move(subject)) {}
  /// The tensor, option or field the sentence is about.
  std::string const& subject() const noexcept { return subject_; }

 private:
  std::string subject_;
};

/// A file cannot be read or written, or its content is not what its format demands.
class io_error : public error {
 public:
  /// @param what  one sentence; it begins with the path
  /// @param path  the file concerned
  explicit io_error(std::string const& what, std::string path = {}) : error(what), path_(std::move(path)) {}
  /// The file the sentence is about.
  std::string const& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Something went wrong on a tile while a program ran; the run ended at the next barrier.
class run_error : public error {
 public:
  /// @param what    one sentence naming tensor, value and bound
  /// @param tensor  the tensor concerned; may be empty
  /// @param tile    the tile on which it happened, or -1
  explicit run_error(std::string const& what, std::string tensor = {}, int tile = -1)
      : error(what), tensor_(std::move(tensor)), tile_(tile) {}
  /// The tensor the sentence is about.
  std::string const& tensor() const noexcept { return tensor_; }
  /// The tile on which it happened, or -1.
  int tile() const noexcept { return tile_; }

 private:
  std::string tensor_;
  int tile_;
};

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Engine: the memory and threads of one program.
//
//   ts::engine engine{heat, {.threads = 2}};
//   engine.write(u, values);   engine.run();   auto result = engine.read(u);
#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/base/config.hpp>
#include <tessera/plan/planned.hpp>
#include <tessera/runtime/executor.hpp>

namespace tessera {
TESSERA_ISA_BEGIN

namespace runtime_detail {

/// vector<bool> is no array; bytes of value 0 or 1 are what a bool tensor's host memory is.
template <class T>
using host_element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

}  // namespace runtime_detail

/// Runs one program. Engines of the same program are independent; one engine is not to be used by two threads at once.
template <class Program>
class engine {
 public:
  /// @throws input_error if options.threads is not in [1, 1024]
  explicit engine(Program, engine_options const& options = {}) : executor_(planned<Program>::plan(), options) {}

  /// Sets a tensor that the program declares in inputs() or parameters(), row-major.
  /// @throws input_error if `values` has not as many elements as the tensor
  template <Tensor T>
  void write(T, std::span<runtime_detail::host_element<typename T::element_type> const> values) {
    constexpr int number = known<T, true>();
    check_size<T>(values.size());
    executor_.write(number, values.data());
  }
  template <Tensor T>
  void write(T t, std::vector<runtime_detail::host_element<typename T::element_type>> const& values) {
    write(t, std::span<runtime_detail::host_element<typename T::element_type> const>(values));
  }

  /// Copies a tensor that the program declares in outputs(), row-major. Allocates nothing.
  /// @throws input_error if `values` has not as many elements as the tensor
  template <Tensor T>
  void read(T, std::span<runtime_detail::host_element<typename T::element_type>> values) const {
    constexpr int number = known<T, false>();
    check_size<T>(values.size());
    executor_.read(number, values.data());
  }
  /// The same into a new vector.
  template <Tensor T>
  std::vector<runtime_detail::host_element<typename T::element_type>> read(T t) const {
    std::vector<runtime_detail::host_element<typename T::element_type>> values(T::shape_type::volume);
    read(t, std::span(values));
    return values;
  }

  /// Runs the program once. No heap allocation.
  void run() { executor_.run(); }
  /// Restores the state of every vertex to its value before the first run.
  void reset() { executor_.reset(); }
  /// Whether runs are timed from now on, step by step; report::profile() shows the times.
  void profile(bool on) { executor_.profile(on); }
  std::vector<step_profile> profile() const { return executor_.profile(); }
  plan_view const& plan() const { return executor_.plan(); }
  int threads() const { return executor_.threads(); }
  /// Bytes of tile memory and workspaces.
  std::int64_t bytes() const { return executor_.bytes(); }

 private:
  template <Tensor T, bool Writes>
  static constexpr int known() {
    constexpr int number = Program::tensor_number(T{});
    if constexpr (number < 0) {
      static_assert(tensor_is_known<words::tensor_named<T::name>>,
                    "tessera: this tensor is not part of the program (docs/errors/tensor_is_known.md)");
    } else if constexpr (Writes && !Program::records.tensors[number].input &&
                         !Program::records.tensors[number].parameter) {
      static_assert(tensor_is_input<words::tensor_named<T::name>>,
                    "tessera: the host writes tensors of inputs() and parameters() only "
                    "(docs/errors/tensor_is_input.md)");
    } else if constexpr (!Writes && !Program::records.tensors[number].output) {
      static_assert(tensor_is_output<words::tensor_named<T::name>>,
                    "tessera: the host reads tensors of outputs() only (docs/errors/tensor_is_output.md)");
    }
    return number;
  }
  template <Tensor T>
  static void check_size(std::size_t given) {
    if (given != static_cast<std::size_t>(T::shape_type::volume))
      throw input_error("tessera: " + std::string(T::name.view()) + " has " +
                            std::to_string(T::shape_type::volume) + " elements, but " + std::to_string(given) +
                            " were given",
                        std::string(T::name.view()));
  }

  executor executor_;
};

/// An engine of a program in which a mistake has been reported: it does nothing.
template <>
class engine<refused_program> {
 public:
  explicit engine(refused_program, engine_options const& = {}) {}
  template <class T, class V>
  void write(T, V const&) {}
  template <Tensor T>
  void write(T, std::vector<runtime_detail::host_element<typename T::element_type>> const&) {}   // write(u, {1, 2, 3})
  template <class T, class V>
  void read(T, V const&) const {}
  template <Tensor T>
  std::vector<runtime_detail::host_element<typename T::element_type>> read(T) const {
    return {};
  }
  void run() {}
  void reset() {}
  void profile(bool) {}
  std::vector<step_profile> profile() const { return {}; }
  plan_view plan() const { return {}; }
  int threads() const { return 1; }
  std::int64_t bytes() const { return 0; }
};

template <class Program>
engine(Program) -> engine<Program>;
template <class Program>
engine(Program, engine_options) -> engine<Program>;

TESSERA_ISA_END
}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Models: a type with a constexpr build() as something that runs.
//
//   ts::model<two_layer_perceptron> mlp{ts::safetensors::open("mlp.safetensors")};
//   auto [y] = mlp.run(ts::in<"x">(pixels));
#pragma once

#include <tessera/graph/fuse.hpp>
#include <tessera/graph/kernels.hpp>
#include <tessera/graph/load.hpp>
#include <tessera/graph/lower.hpp>
#include <tessera/graph/rules.hpp>
#include <tessera/plan/parameters.hpp>
#include <tessera/plan/planned.hpp>
#include <tessera/runtime/engine.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// An input by name, for model::run().
template <label Name, class T>
struct named_input {
  std::span<T const> values;
};
/// ts::in<"x">(values): any contiguous range.
template <label Name, class Range>
auto in(Range const& values) {
  using value_type = std::remove_cvref_t<decltype(*std::data(values))>;
  return named_input<Name, value_type>{std::span<value_type const>(std::data(values), std::size(values))};
}

namespace detail {
template <element E> struct type_of_element;
template <> struct type_of_element<element::float32> {
  using type = float;
};
template <> struct type_of_element<element::float64> {
  using type = double;
};
template <> struct type_of_element<element::int32> {
  using type = std::int32_t;
};
template <> struct type_of_element<element::int64> {
  using type = std::int64_t;
};
template <> struct type_of_element<element::boolean> {
  using type = std::uint8_t;
};
template <> struct type_of_element<element::float16> {
  using type = half;
};
template <> struct type_of_element<element::bfloat16> {
  using type = bf16;
};

template <class M>
constexpr graph build_graph() {
  graph g;
  M::build(g);
  graph_mistake none;
  none.what = graph_mistake::kind::no_output;
  if (g.outputs.empty()) g.mistake(none);
  return g;
}
}  // namespace detail

/// The graph of a model type, built once and fused.
template <class M>
struct graph_of {
  static constexpr graph written = detail::build_graph<M>();   ///< operators one by one, as build() adds them
  static constexpr graph value = fused(written);
  static constexpr graph_mistake const& mistake = value.first_mistake;
};

TESSERA_ISA_BEGIN

/// A model's graph as a program: what planning and engines take.
template <class M, Machine Target>
struct graph_program {
  static constexpr graph const& built = graph_of<M>::value;
  static constexpr record_counts counts =
      isa_detail::lowering<isa_detail::lower_limits, false>(built, Target::value).used;
  static constexpr isa_detail::lowering<counts, true> lowered{built, Target::value};

  template <int... I>
  static constexpr program_records<counts> with_kernels(std::integer_sequence<int, I...>) {
    configured_kernel const kernels[] = {isa_detail::kernel_for<lowered.keys[I]>()...};
    program_records<counts> out = lowered.records;
    ((out.kernels[I] = kernels[I].functions), ...);
    for (int e = 0; e < counts.executes; ++e)
      if (!lowered.keeps_state[e]) out.executes[e].state = kernels[out.executes[e].kernel].configure;
    return out;
  }
  static constexpr program_records<counts> records = with_kernels(std::make_integer_sequence<int, counts.kernels>{});
  static constexpr program_view view() { return records.view(); }
};

/// A model on a machine with shared memory: parameters, memory and threads.
template <class M, Machine Target = machines::host<>>
class model {
  static_assert(Target::value.shared || machine_has_shared_memory<Target>,
                "tessera: models run on machines with shared memory, such as machines::host<> "
                "(docs/errors/machine_has_shared_memory.md)");

 public:
  using program = graph_program<M, Target>;

  /// A model without parameters.
  explicit model(engine_options const& options = {})
    requires(graph_of<M>::value.parameters.empty())
      : executor_(plan(), with_cyclic(options)) {}

  /// Reads and packs the parameters.
  /// @throws io_error or input_error from the source, or input_error if it lends another number of values than a
  ///         parameter has, before anything of the model is used
  template <WeightSource Source>
  explicit model(Source const& weights, engine_options const& options = {}) : executor_(plan(), with_cyclic(options)) {
    load_parameters(graph_of<M>::value, weights, executor_);
  }

  /// The same parameters as another model whose graph has the same ones, such as another capacity of it: they are not
  /// read again, and lie in memory once.
  template <class Other>
  explicit model(model<Other, Target> const& other, engine_options const& options = {})
      : executor_(plan(), with_cyclic(options), other.parameters()) {
    static_assert(has_parameters_of<Other>() || parameters_agree<M, Other>,
                  "tessera: a model takes over the parameters of one that has the same ones "
                  "(docs/errors/parameters_agree.md)");
  }

  /// The values of an input: row-major, kept until they are overwritten.
  template <label Name>
  auto input() {
    constexpr int id = input_id<Name>();
    using T = typename detail::type_of_element<graph_of<M>::value.nodes[id].type>::type;
    return std::span<T>(reinterpret_cast<T*>(executor_.data_of(id)), volume(id));
  }
  /// The values of an output after run(): row-major, valid until the next run.
  template <label Name>
  auto output() const {
    constexpr int id = output_id<Name>();
    using T = typename detail::type_of_element<graph_of<M>::value.nodes[id].type>::type;
    return std::span<T const>(reinterpret_cast<T const*>(executor_.data_of(id)), volume(id));
  }
  /// Sets a run-time length, 0 to its capacity. Rows beyond it are not worked on: those of inputs may hold anything,
  /// and those of outputs do.
  /// @throws input_error if it is outside
  template <label Name>
  void set_length(int n) {
    set_length_at(length_number<Name>(), n);
  }

  /// The same where names are known at run time only, as other languages have them.
  /// @throws input_error if the model has no such length, naming those it has, or it is outside
  void set_length(std::string_view name, std::int64_t n) {
    graph const& g = graph_of<M>::value;
    int const number = find(g.lengths, name);
    if (number < 0) {
      std::string names;
      for (named_node const& l : g.lengths) names += (names.empty() ? ", only " : ", ") + std::string(g.name_of(l));
      throw input_error("tessera: the model has no length " + std::string(name) + names, std::string(name));
    }
    set_length_at(number, n);
  }
  /// The memory of an input or output of graph_of<M>.
  std::byte* memory_of(node n) { return executor_.data_of(n.id); }

  /// Computes all outputs from the inputs. No heap allocation.
  void run() { executor_.run(); }

  /// Sets every input, runs, and returns copies of the outputs, in the order of the graph.
  /// @throws input_error if an input has not as many elements as the graph says
  template <label... Names, class... T>
  auto run(named_input<Names, T> const&... given) {
    check_given<Names...>();
    (check_size(given), ...);  // all before any is changed
    (set(given), ...);
    run();
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return std::tuple{copy_of<I>()...};
    }(std::make_integer_sequence<int, graph_of<M>::value.outputs.count>{});
  }

  /// Whether runs are timed from now on, step by step; report::profile() shows the times.
  void profile(bool on) { executor_.profile(on); }
  std::vector<step_profile> profile() const { return executor_.profile(); }

  /// Bytes of memory that the model holds, parameters included.
  std::int64_t bytes() const { return executor_.bytes(); }
  int threads() const { return executor_.threads(); }
  std::shared_ptr<arena> const& parameters() const { return executor_.parameters(); }

  /// The model's plan.
  static constexpr plan_view plan() {
    if constexpr (!detail::graph_is_valid<graph_of<M>>()) return {};
    else if constexpr (!program_is_valid<program>()) return {};
    else if constexpr (!memory_is_valid<program, planned<program>>()) return {};
    else return planned<program>::plan();
  }

 private:
  void set_length_at(int number, std::int64_t n) {
    named_node const& l = graph_of<M>::value.lengths[number];
    if (n < 0 || n > l.id)
      throw input_error("tessera: length " + std::string(graph_of<M>::value.name_of(l)) + " is " + std::to_string(n) +
                            ", not in [0, " + std::to_string(l.id) + "]",
                        std::string(graph_of<M>::value.name_of(l)));
    executor_.set_length(number, static_cast<int>(n));
  }
  static engine_options with_cyclic(engine_options options) {
    options.cyclic = true;  // operators use tiles 0 … n: every thread gets its share of each
    return options;
  }
  static std::size_t volume(int id) { return static_cast<std::size_t>(graph_of<M>::value.nodes[id].shape.volume()); }

  /// Whether the other model has the same parameters, and packs them alike.
  template <class Other>
  static constexpr bool has_parameters_of() {
    graph const& g = graph_of<M>::value;
    graph const& h = graph_of<Other>::value;
    if (plan().program.step_count == 0) return true;   // refused, which has been said
    if (g.parameters.size() != h.parameters.size() || g.folded_norms.size() != h.folded_norms.size()) return false;
    for (int i = 0; i < g.parameters.size(); ++i)
      if (g.name_of(g.parameters[i]) != h.name_of(h.parameters[i])) return false;
    return same_parameters(plan(), model<Other, Target>::plan());
  }

  template <class List>
  static constexpr int find(List const& list, std::string_view name) {
    for (int i = 0; i < list.size(); ++i)
      if (graph_of<M>::value.name_of(list[i]) == name) return i;
    return -1;
  }
  template <auto List, int I>
  static constexpr auto label_in() {
    constexpr named_node n = (graph_of<M>::value.*List)[I];
    label<n.name_size + 1> text{{}};
    for (int c = 0; c < n.name_size; ++c) text.text[c] = graph_of<M>::value.characters[n.name_at + c];
    return text;
  }
  template <auto List, int... I>
  static constexpr auto names_in(std::integer_sequence<int, I...>) {
    return words::names_of_model<label_in<List, I>()...>{};
  }
  template <auto List>
  using names = decltype(names_in<List>(std::make_integer_sequence<int, (graph_of<M>::value.*List).count>{}));

  template <label Name>
  static constexpr int input_id() {
    constexpr int i = find(graph_of<M>::value.inputs, Name.view());
    if constexpr (i < 0) {
      static_assert(input_is_known<words::name_wanted<Name>, names<&graph::inputs>>,
                    "tessera: the model has no input of this name (docs/errors/input_is_known.md)");
      return 0;
    } else {
      return graph_of<M>::value.inputs[i].id;
    }
  }
  template <label Name>
  static constexpr int output_id() {
    constexpr int i = find(graph_of<M>::value.outputs, Name.view());
    if constexpr (i < 0) {
      static_assert(output_is_known<words::name_wanted<Name>, names<&graph::outputs>>,
                    "tessera: the model has no output of this name (docs/errors/output_is_known.md)");
      return 0;
    } else {
      return graph_of<M>::value.outputs[i].id;
    }
  }
  template <label Name>
  static constexpr int length_number() {
    constexpr int i = find(graph_of<M>::value.lengths, Name.view());
    if constexpr (i < 0) {
      static_assert(length_is_known<words::name_wanted<Name>, names<&graph::lengths>>,
                    "tessera: the model has no length of this name (docs/errors/length_is_known.md)");
      return 0;
    } else {
      return i;
    }
  }

  template <label... Given>
  static constexpr void check_given() {
    constexpr bool all_known = ((find(graph_of<M>::value.inputs, Given.view()) >= 0) && ... && true);
    constexpr int wanted = graph_of<M>::value.inputs.count;
    constexpr bool distinct = [] {
      std::string_view const given[] = {Given.view()..., std::string_view{}};
      for (std::size_t i = 0; i < sizeof...(Given); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (given[i] == given[j]) return false;
      return true;
    }();
    if constexpr (all_known && (!distinct || static_cast<int>(sizeof...(Given)) != wanted))
      static_assert(every_input_given<names<&graph::inputs>, words::names_of_model<Given...>>,
                    "tessera: run() takes every input of the model once (docs/errors/every_input_given.md)");
  }
  template <label Name, class T>
  void set(named_input<Name, T> const& given) {
    auto const to = input<Name>();
    using wanted = typename decltype(to)::element_type;
    if constexpr (!std::is_same_v<T, wanted>) {
      static_assert(
          input_type_matches<words::name_wanted<Name>, words::element_of_field<T>, words::element_of_tensor<wanted>>,
          "tessera: these values are of another type than the input (docs/errors/input_type_matches.md)");
    } else {
      std::copy(given.values.begin(), given.values.end(), to.begin());
    }
  }
  template <label Name, class T>
  static void check_size(named_input<Name, T> const& given) {
    std::size_t const wanted = volume(input_id<Name>());
    if (given.values.size() != wanted)
      throw input_error("tessera: input " + std::string(Name.view()) + " has " + std::to_string(wanted) +
                            " elements, but " + std::to_string(given.values.size()) + " were given",
                        std::string(Name.view()));
  }
  template <int I>
  auto copy_of() const {
    constexpr int id = graph_of<M>::value.outputs[I].id;
    using T = typename detail::type_of_element<graph_of<M>::value.nodes[id].type>::type;
    auto const* values = reinterpret_cast<T const*>(executor_.data_of(id));
    return std::vector<T>(values, values + volume(id));
  }

  executor executor_;
};

TESSERA_ISA_END
}  // namespace tessera

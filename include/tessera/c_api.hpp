// SPDX-License-Identifier: Apache-2.0
// A shared library of compiled models, for other languages: what is declared in tessera/c_api.h.
//
//   #include <tessera/c_api.hpp>                         // perceptron.cpp  ->  libperceptron.so
//   TESSERA_C_API(ts::c_api::exported<perceptron>{"perceptron"}, ts::c_api::exported<other_model>{"other"})
#pragma once

#include <tessera/c_api.h>
#include <tessera/graph/model.hpp>
#include <tessera/io/safetensors.hpp>
#include <tessera/version.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

/// A model behind the C functions.
struct tessera_model {
  virtual ~tessera_model() = default;
  virtual std::span<tessera::named_node const> inputs() const = 0;
  virtual std::span<tessera::named_node const> outputs() const = 0;
  virtual tessera_tensor tensor(tessera::named_node const& n) = 0;
  virtual char const* name(tessera::named_node const& n) const = 0;
  virtual void set_length(std::string_view name, std::int64_t length) = 0;
  virtual void run() = 0;
};

namespace tessera::c_api {

/// A model type under a name. Weights goes round an open file of weights, where the model asks for other names than
/// those in it, as models::bert_checkpoint does.
template <class M, template <class> class Weights = std::type_identity_t>
struct exported {
  char const* name;
};

namespace detail {

static_assert(static_cast<int>(element::float32) == TESSERA_FLOAT32 &&
              static_cast<int>(element::float64) == TESSERA_FLOAT64 &&
              static_cast<int>(element::int32) == TESSERA_INT32 && static_cast<int>(element::int64) == TESSERA_INT64 &&
              static_cast<int>(element::boolean) == TESSERA_BOOL &&
              static_cast<int>(element::float16) == TESSERA_FLOAT16 &&
              static_cast<int>(element::bfloat16) == TESSERA_BFLOAT16);

template <class M>
class model_of final : public tessera_model {
 public:
  template <class... Arguments>
  explicit model_of(Arguments const&... arguments) : model_(arguments...) {}

  std::span<named_node const> inputs() const override { return {g.inputs.begin(), g.inputs.end()}; }
  std::span<named_node const> outputs() const override { return {g.outputs.begin(), g.outputs.end()}; }
  char const* name(named_node const& n) const override { return g.characters.items + n.name_at; }
  tessera_tensor tensor(named_node const& n) override {
    node_record const& record = g.nodes[n.id];
    tessera_tensor t{name(n), static_cast<tessera_element>(record.type), record.shape.rank, {1, 1, 1, 1}, nullptr, 0};
    for (int d = 0; d < record.shape.rank; ++d) t.shape[d] = record.shape[d];
    t.data = model_.memory_of({n.id});
    t.bytes = static_cast<std::size_t>(record.shape.volume() * bytes_of(record.type));
    return t;
  }
  void set_length(std::string_view name, std::int64_t length) override { model_.set_length(name, length); }
  void run() override { model_.run(); }

 private:
  static constexpr graph const& g = graph_of<M>::value;
  model<M> model_;
};

inline std::string& last_error() {
  static thread_local std::string text;
  return text;
}

/// Does `work`; what it throws becomes a status and the last error.
template <class Work>
tessera_status guarded(Work const& work) noexcept {
  auto const keep = [](tessera_status status, char const* what) {
    try {
      last_error() = what;
    } catch (...) {
      last_error().clear();
    }
    return status;
  };
  try {
    last_error().clear();
    work();
    return TESSERA_OK;
  } catch (input_error const& e) {
    return keep(TESSERA_INPUT_ERROR, e.what());
  } catch (io_error const& e) {
    return keep(TESSERA_IO_ERROR, e.what());
  } catch (run_error const& e) {
    return keep(TESSERA_RUN_ERROR, e.what());
  } catch (std::bad_alloc const&) {
    return keep(TESSERA_NO_MEMORY, "not enough memory");
  } catch (std::exception const& e) {
    return keep(TESSERA_OTHER_ERROR, e.what());
  } catch (...) {
    return keep(TESSERA_OTHER_ERROR, "unknown error");
  }
}

inline void refuse_null(void const* pointer, char const* what) {
  if (pointer == nullptr) throw input_error("tessera: " + std::string(what) + " is NULL", what);
}

/// Opens the exported model if its name is `name`.
template <class M, template <class> class Weights>
bool open(exported<M, Weights> const& e, std::string_view name, char const* weights, int threads,
          std::unique_ptr<tessera_model>& opened) {
  if (name != e.name) return false;
  engine_options const options{.threads = threads};
  if constexpr (graph_of<M>::value.parameters.count == 0) {
    opened = std::make_unique<model_of<M>>(options);
  } else {
    refuse_null(weights, "weights");
    safetensors::file const file = safetensors::open(weights);
    if constexpr (std::is_same_v<Weights<safetensors::file>, safetensors::file>)
      opened = std::make_unique<model_of<M>>(file, options);
    else
      opened = std::make_unique<model_of<M>>(Weights<safetensors::file>(file), options);
  }
  return true;
}

/// An input or an output by its number or name.
inline tessera_status find(tessera_model* model, bool input, std::size_t i, char const* name, bool by_name,
                           tessera_tensor* found) {
  return guarded([&] {
    refuse_null(model, "model");
    refuse_null(found, "found");
    if (by_name) refuse_null(name, "name");
    auto const list = input ? model->inputs() : model->outputs();
    if (by_name)
      i = static_cast<std::size_t>(std::find_if(list.begin(), list.end(), [&](named_node const& n) {
            return std::string_view(model->name(n)) == name;
          }) - list.begin());
    if (i >= list.size()) {
      std::string names;
      for (named_node const& n : list) names += (names.empty() ? "" : ", ") + std::string(model->name(n));
      throw input_error("tessera: the model has no " + std::string(input ? "input " : "output ") +
                            (by_name ? name : std::to_string(i)) + ", only " + names,
                        by_name ? name : "");
    }
    *found = model->tensor(list[i]);
  });
}

}  // namespace detail
}  // namespace tessera::c_api

/// Defines the functions of tessera/c_api.h for these models, each a ts::c_api::exported. Once in a shared library.
#define TESSERA_C_API(...)                                                                                            \
  namespace {                                                                                                         \
  template <class Use>                                                                                                \
  void tessera_each_export(Use const& use) {                                                                          \
    auto const all = [&](auto const&... exported) { (use(exported), ...); };                                          \
    all(__VA_ARGS__);                                                                                                 \
  }                                                                                                                   \
  }                                                                                                                   \
  char const* tessera_version(void) { return TESSERA_VERSION; }                                                       \
  char const* tessera_last_error(void) { return ::tessera::c_api::detail::last_error().c_str(); }                     \
  std::size_t tessera_models(void) {                                                                                  \
    std::size_t count = 0;                                                                                            \
    tessera_each_export([&](auto const&) { ++count; });                                                               \
    return count;                                                                                                     \
  }                                                                                                                   \
  char const* tessera_model_name(std::size_t i) {                                                                     \
    char const* name = nullptr;                                                                                       \
    tessera_each_export([&](auto const& exported) {                                                                   \
      if (i-- == 0) name = exported.name;                                                                             \
    });                                                                                                               \
    return name;                                                                                                      \
  }                                                                                                                   \
  tessera_status tessera_open(char const* name, char const* weights, int threads, tessera_model** opened) {           \
    return ::tessera::c_api::detail::guarded([&] {                                                                    \
      ::tessera::c_api::detail::refuse_null(name, "name");                                                            \
      ::tessera::c_api::detail::refuse_null(opened, "opened");                                                        \
      std::unique_ptr<tessera_model> model;                                                                           \
      bool found = false;                                                                                             \
      tessera_each_export([&](auto const& exported) {                                                                 \
        found = found || ::tessera::c_api::detail::open(exported, name, weights, threads, model);                     \
      });                                                                                                             \
      if (!found) throw ::tessera::input_error("tessera: there is no model " + std::string(name), name);              \
      *opened = model.release();                                                                                      \
    });                                                                                                               \
  }                                                                                                                   \
  void tessera_close(tessera_model* model) { delete model; }                                                          \
  std::size_t tessera_inputs(tessera_model const* model) { return model == nullptr ? 0 : model->inputs().size(); }    \
  std::size_t tessera_outputs(tessera_model const* model) { return model == nullptr ? 0 : model->outputs().size(); }  \
  tessera_status tessera_input_at(tessera_model* model, std::size_t i, tessera_tensor* found) {                       \
    return ::tessera::c_api::detail::find(model, true, i, nullptr, false, found);                                     \
  }                                                                                                                   \
  tessera_status tessera_output_at(tessera_model* model, std::size_t i, tessera_tensor* found) {                      \
    return ::tessera::c_api::detail::find(model, false, i, nullptr, false, found);                                    \
  }                                                                                                                   \
  tessera_status tessera_input(tessera_model* model, char const* name, tessera_tensor* found) {                       \
    return ::tessera::c_api::detail::find(model, true, 0, name, true, found);                                         \
  }                                                                                                                   \
  tessera_status tessera_output(tessera_model* model, char const* name, tessera_tensor* found) {                      \
    return ::tessera::c_api::detail::find(model, false, 0, name, true, found);                                        \
  }                                                                                                                   \
  tessera_status tessera_set_length(tessera_model* model, char const* name, std::int64_t length) {                    \
    return ::tessera::c_api::detail::guarded([&] {                                                                    \
      ::tessera::c_api::detail::refuse_null(model, "model");                                                          \
      ::tessera::c_api::detail::refuse_null(name, "name");                                                            \
      model->set_length(name, length);                                                                                \
    });                                                                                                               \
  }                                                                                                                   \
  tessera_status tessera_run(tessera_model* model) {                                                                  \
    return ::tessera::c_api::detail::guarded([&] {                                                                    \
      ::tessera::c_api::detail::refuse_null(model, "model");                                                          \
      model->run();                                                                                                   \
    });                                                                                                               \
  }                                                                                                                   \
  static_assert(true)

// SPDX-License-Identifier: Apache-2.0
// The interpreter: what a program means, written from the definitions and for nothing but being obviously right.
//
//   reference::interpreter<machine, steps> i;   i.write(u, values);   i.run();   i.read(u)
//
// It shares with the library the types of steps, accesses, tensors and mappings, and the vertices' compute(). It walks
// the typed steps itself, finds every box element by element, copies all tensors at every superstep and never plans.
// On the way it checks what the compiler claims to have proven: one writer an element, nobody reads what another vertex
// writes in the same superstep, nothing is read before it is written.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/hana/at.hpp>

#include <tessera/program/steps.hpp>

#include <reference/definitions.hpp>

namespace reference {

// --- Vertices ---------------------------------------------------------------------------------------------------------

enum class role { in, out, inout, scratch, state };
enum class order { rows, columns, column_panels, row_panels };

template <class L>
struct order_of;
template <>
struct order_of<ts::row_major> { static constexpr order value = order::rows; static constexpr int width = 1; };
template <>
struct order_of<ts::col_major> { static constexpr order value = order::columns; static constexpr int width = 1; };
template <int W>
struct order_of<ts::panels<W>> { static constexpr order value = order::column_panels; static constexpr int width = W; };
template <int W>
struct order_of<ts::row_panels<W>> { static constexpr order value = order::row_panels; static constexpr int width = W; };

/// A field of a vertex and what it is connected to.
struct field {
  role is = role::state;
  order elements = order::rows;
  int width = 1;
  int bytes = 0;        ///< of an element; scratch: of all
  int rank = 1;
  request wants;
};

template <class F>
struct read_field {
  static field get() { return {}; }
};
template <class T, int R, class L>
struct read_field<ts::input<T, R, L>> {
  static field get() { return {role::in, order_of<L>::value, order_of<L>::width, int(sizeof(T)), R, {}}; }
};
template <class T, int R>
struct read_field<ts::output<T, R>> {
  static field get() { return {role::out, order::rows, 1, int(sizeof(T)), R, {}}; }
};
template <class T, int R>
struct read_field<ts::inout<T, R>> {
  static field get() { return {role::inout, order::rows, 1, int(sizeof(T)), R, {}}; }
};
template <class T, int N>
struct read_field<ts::scratch<T, N>> {
  static field get() { return {role::scratch, order::rows, 1, int(sizeof(T) * N), 1, {}}; }
};

/// Memory of exactly `bytes` bytes, aligned as vectors want it.
struct memory {
  explicit memory(std::size_t bytes, unsigned char fill = 0)
      : data(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 64) / 64 * 64))) {
    std::memset(data.get(), fill, (bytes + 64) / 64 * 64);
  }
  struct release {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, release> data;
};

/// One execute: a vertex type on a range of tiles, with the vertices' objects, which keep their state.
struct vertex_use {
  std::string name;
  int first = 0, last = 0, stride = 1;
  std::size_t object_bytes = 0;
  void (*construct)(void*, ts::tile) = nullptr;
  void (*bind)(void*, ts::field_binding const*) = nullptr;
  void (*run)(void*) = nullptr;
  std::vector<field> fields;
  std::map<int, memory> objects;   ///< by tile
};

/// The argument of each field, or -1: state fields take a state argument, where the next argument is one; edges take
/// the next argument; scratch takes none.
template <class... A, class... F>
constexpr std::array<int, sizeof...(F)> match_arguments(ts::detail::field_types<F...>) {
  constexpr bool is_state[] = {ts::detail::is_state<A>..., false};
  constexpr ts::detail::field_role roles[] = {ts::detail::role_of<F>...};
  std::array<int, sizeof...(F)> argument{};
  int next = 0;
  for (std::size_t f = 0; f < sizeof...(F); ++f) {
    bool const state = roles[f] == ts::detail::field_role::state;
    bool const takes = roles[f] != ts::detail::field_role::scratch && next < int(sizeof...(A)) &&
                       is_state[next] == state;
    argument[f] = takes ? next++ : -1;
  }
  return argument;
}

template <class V, class... A>
struct arguments {
  using types = ts::detail::field_types_of<V>;
  static constexpr auto of_field = match_arguments<A...>(types{});
  template <int I>
  using pick = typename ts::detail::pick<I, A...>::type;

  template <int F>
  static void set(V& vertex, ts::tile t) {
    constexpr int argument = of_field[F];
    if constexpr (argument >= 0) {
      if constexpr (ts::detail::is_state<pick<argument>>) {
        auto& state = ts::detail::field_in(vertex, boost::hana::at_c<F>(ts::detail::fields_of<V>()));
        state = static_cast<std::remove_reference_t<decltype(state)>>(pick<argument>::get(t));
      }
    }
  }
  template <int F>
  static void connect(field& f, world& w) {
    constexpr int argument = of_field[F];
    if constexpr (argument >= 0) {
      if constexpr (!ts::detail::is_state<pick<argument>>) f.wants = read_access<pick<argument>>::in(w);
    }
  }
  template <int... I>
  static void construct_all(void* object, ts::tile t, std::integer_sequence<int, I...>) {
    V& vertex = *::new (object) V{};
    (set<I>(vertex, t), ...);
  }
  static void construct(void* object, ts::tile t) {
    construct_all(object, t, std::make_integer_sequence<int, types::count>{});
  }
  template <class... F, int... I>
  static std::vector<field> fields(world& w, ts::detail::field_types<F...>, std::integer_sequence<int, I...>) {
    std::vector<field> list = {read_field<F>::get()...};
    (connect<I>(list[I], w), ...);
    return list;
  }
  static vertex_use use(world& w, int first, int last, int stride) {
    vertex_use u;
    u.name = std::string(ts::detail::type_name<V>());
    u.first = first;
    u.last = last < 0 ? w.tiles - 1 : last;
    u.stride = stride;
    u.object_bytes = sizeof(V);
    u.construct = &construct;
    u.bind = &ts::detail::bind_vertex<V>;
    u.run = &ts::detail::run_vertex<V>;
    u.fields = fields(w, types{}, std::make_integer_sequence<int, types::count>{});
    return u;
  }
};

// --- Steps ------------------------------------------------------------------------------------------------------------

struct step {
  enum class kind { compute, copy, sequence, repeat, repeat_while, branch } is = kind::sequence;
  int times = 1;
  int tensor = -1, other = -1;   ///< copy: source and destination; repeat_while, branch: the predicate
  std::vector<vertex_use> vertices = {};
  std::vector<step> inner = {};
};

template <class S>
struct read_step;
template <class V, int First, int Last, int Stride, class... A>
struct read_step<ts::execute_step<V, First, Last, Stride, A...>> {
  static void use(world& w, step& s) { s.vertices.push_back(arguments<V, A...>::use(w, First, Last, Stride)); }
  static step in(world& w) {
    step s{.is = step::kind::compute};
    use(w, s);
    return s;
  }
};
template <class... E>
struct read_step<ts::compute_set_step<E...>> {
  static step in(world& w) {
    step s{.is = step::kind::compute};
    (read_step<E>::use(w, s), ...);
    return s;
  }
};
template <class S, class D>
struct read_step<ts::copy_step<S, D>> {
  static step in(world& w) {
    step s{.is = step::kind::copy};
    s.tensor = w.number_of<S>();
    s.other = w.number_of<D>();
    return s;
  }
};
template <class... S>
struct read_step<ts::sequence_step<S...>> {
  static step in(world& w) {
    step s;
    (s.inner.push_back(read_step<S>::in(w)), ...);
    return s;
  }
};
template <int Times, class Body>
struct read_step<ts::repeat_step<Times, Body>> {
  static step in(world& w) {
    step s{.is = step::kind::repeat, .times = Times};
    s.inner.push_back(read_step<Body>::in(w));
    return s;
  }
};
template <class P, class Body>
struct read_step<ts::repeat_while_step<P, Body>> {
  static step in(world& w) {
    step s{.is = step::kind::repeat_while, .tensor = w.number_of<P>()};
    s.inner.push_back(read_step<Body>::in(w));
    return s;
  }
};
template <class P, class Then, class Else>
struct read_step<ts::if_step<P, Then, Else>> {
  static step in(world& w) {
    step s{.is = step::kind::branch, .tensor = w.number_of<P>()};
    s.inner.push_back(read_step<Then>::in(w));
    s.inner.push_back(read_step<Else>::in(w));
    return s;
  }
};
template <ts::label Name, class Body>
struct read_step<ts::block_step<Name, Body>> : read_step<Body> {};
template <ts::boundary Side, class... T>
struct read_step<ts::boundary_step<Side, T...>> {
  static step in(world& w) {
    (w.number_of<T>(), ...);
    return {};
  }
};

/// Runs steps on the variables of a world.
class walker {
 public:
  explicit walker(world& w) : world_(w) {}

  void run(step& s) {
    switch (s.is) {
      case step::kind::sequence:
        for (step& inner : s.inner) run(inner);
        break;
      case step::kind::repeat:
        for (int i = 0; i < s.times; ++i) run(s.inner[0]);
        break;
      case step::kind::repeat_while:
        for (int rounds = 0; is_true(s.tensor); ++rounds) {
          if (rounds == 1000) throw not_proven("repeat_while does not end");
          run(s.inner[0]);
        }
        break;
      case step::kind::branch: run(s.inner[is_true(s.tensor) ? 0 : 1]); break;
      case step::kind::copy: {
        variable const& from = world_.of(s.tensor);
        variable& to = world_.of(s.other);
        for (std::size_t i = 0; i < from.volume(); ++i)
          if (!from.written[i]) throw not_proven("copy reads " + from.name + " before it is written");
        to.value = from.value;
        to.written = from.written;
        break;
      }
      case step::kind::compute: superstep(s); break;
    }
  }

 private:
  bool is_true(int tensor) {
    variable& v = world_.of(tensor);
    if (v.volume() != 1 || !v.written[0]) throw not_proven("the predicate " + v.name + " is not one written element");
    return std::any_of(v.value.begin(), v.value.end(), [](std::byte b) { return b != std::byte{0}; });
  }

  /// Who touched each element of each variable in this superstep: vertices are numbered from 1.
  struct traces {
    std::vector<int> writer, reader;
    std::vector<char> several_readers;
  };

  void superstep(step& s) {
    std::vector<variable> old = world_.variables;
    std::vector<traces> touched;
    for (variable const& v : old)
      touched.push_back({std::vector<int>(v.volume()), std::vector<int>(v.volume()), std::vector<char>(v.volume())});
    int vertex = 0;
    for (vertex_use& use : s.vertices)
      for (int tile = use.first; tile <= use.last; tile += use.stride) run_vertex(use, tile, ++vertex, old, touched);
    for (std::size_t i = 0; i < old.size(); ++i)
      for (std::size_t e = 0; e < old[i].volume(); ++e) {
        traces const& t = touched[i];
        if (t.writer[e] != 0 && t.reader[e] != 0 && (t.reader[e] != t.writer[e] || t.several_readers[e]))
          throw not_proven("a vertex reads elements of " + old[i].name + " that another one writes");
      }
  }

  template <class Visit>
  static void for_each(window const& w, Visit&& visit) {
    std::size_t n = 0;
    for (int a : w.along[0].index)
      for (int b : w.along[1].index)
        for (int c : w.along[2].index)
          for (int d : w.along[3].index) visit(n++, coordinates{a, b, c, d});
  }

  void run_vertex(vertex_use& use, int tile, int vertex, std::vector<variable>& old, std::vector<traces>& touched) {
    std::vector<window> shown(use.fields.size());
    bool runs = false;
    for (std::size_t f = 0; f < use.fields.size(); ++f) {
      role const is = use.fields[f].is;
      if (is != role::out && is != role::inout) continue;
      shown[f] = look(old, use.fields[f].wants, tile, world_.tiles);
      runs |= !shown[f].empty;
    }
    if (!runs) return;
    auto object = use.objects.find(tile);
    if (object == use.objects.end()) {
      object = use.objects.emplace(tile, memory(use.object_bytes)).first;
      use.construct(object->second.data.get(), {tile, world_.tiles});
    }

    std::vector<ts::field_binding> bindings(use.fields.size());
    std::vector<memory> buffers;
    for (std::size_t f = 0; f < use.fields.size(); ++f) {
      field const& now = use.fields[f];
      ts::field_binding& b = bindings[f];
      if (now.is == role::state) {
        buffers.emplace_back(0);
      } else if (now.is == role::scratch) {
        buffers.emplace_back(static_cast<std::size_t>(now.bytes), static_cast<unsigned char>(0xa5));
      } else {
        if (now.is == role::in) shown[f] = look(old, now.wants, tile, world_.tiles);
        place(b, shown[f], old[static_cast<std::size_t>(now.wants.tensor)]);
        buffers.push_back(fill(now, shown[f], vertex, old, touched));
      }
      b.data = buffers.back().data.get();
    }
    use.bind(object->second.data.get(), bindings.data());
    use.run(object->second.data.get());

    for (std::size_t f = 0; f < use.fields.size(); ++f) {
      field const& now = use.fields[f];
      if (now.is != role::out && now.is != role::inout) continue;
      variable& v = world_.of(now.wants.tensor);
      std::vector<int>& writer = touched[static_cast<std::size_t>(now.wants.tensor)].writer;
      if (shown[f].empty) continue;
      for_each(shown[f], [&](std::size_t n, coordinates const& c) {
        std::size_t const e = v.number(c);
        if (writer[e] != 0) throw not_proven("two vertices, or fields, write an element of " + v.name);
        writer[e] = vertex;
        v.written[e] = 1;
        std::memcpy(v.at(e), buffers[f].data.get() + n * static_cast<std::size_t>(now.bytes),
                    static_cast<std::size_t>(now.bytes));
      });
    }
  }

  static void place(ts::field_binding& b, window const& w, variable const& v) {
    std::ptrdiff_t stride = 1;
    for (int d = v.rank - 1; d >= 0; --d) {
      axis const& a = w.along[d];
      b.extent[d] = w.empty ? 0 : static_cast<int>(a.index.size());
      b.first[d] = w.empty ? 0 : a.first;
      b.before[d] = w.empty ? 0 : a.before;
      b.after[d] = w.empty ? 0 : a.after;
      b.tensor_extent[d] = v.extent[static_cast<std::size_t>(d)];
      b.stride[d] = stride;
      stride *= b.extent[d];
    }
  }

  /// A private copy of what a field shows, in the order that it wants.
  static memory fill(field const& now, window const& w, int vertex, std::vector<variable>& old,
                     std::vector<traces>& touched) {
    variable& v = old[static_cast<std::size_t>(now.wants.tensor)];
    traces& t = touched[static_cast<std::size_t>(now.wants.tensor)];
    auto const bytes = static_cast<std::size_t>(now.bytes);
    std::size_t elements = w.empty ? 0 : 1;
    for (axis const& a : w.along) elements *= a.index.size();
    memory rows(elements * bytes, 0xa5);
    if (elements == 0) return rows;
    if (now.is == role::out) return rows;
    for_each(w, [&](std::size_t n, coordinates const& c) {
      if (std::any_of(c.begin(), c.end(), [](int i) { return i < 0; })) {
        std::memset(rows.data.get() + n * bytes, 0, bytes);
        return;
      }
      std::size_t const e = v.number(c);
      if (!v.written[e]) throw not_proven("an element of " + v.name + " is read before it is written");
      if (t.reader[e] != 0 && t.reader[e] != vertex) t.several_readers[e] = 1;
      t.reader[e] = vertex;
      std::memcpy(rows.data.get() + n * bytes, v.at(e), bytes);
    });
    if (now.elements == order::rows) return rows;
    return reorder(now, rows, static_cast<int>(w.along[0].index.size()), static_cast<int>(w.along[1].index.size()));
  }

  /// The elements of a matrix in the order of a layout, written down element after element.
  static memory reorder(field const& now, memory const& rows, int height, int width) {
    auto const bytes = static_cast<std::size_t>(now.bytes);
    std::vector<std::byte> out;
    auto const put = [&](int i, int j) {
      bool const inside = i < height && j < width;
      std::byte const* from = rows.data.get() + static_cast<std::size_t>(i * width + j) * bytes;
      for (std::size_t k = 0; k < bytes; ++k) out.push_back(inside ? from[k] : std::byte{0});
    };
    if (now.elements == order::columns) {
      for (int j = 0; j < width; ++j)
        for (int i = 0; i < height; ++i) put(i, j);
    } else if (now.elements == order::column_panels) {
      for (int panel = 0; panel < width; panel += now.width)
        for (int i = 0; i < height; ++i)
          for (int j = panel; j < panel + now.width; ++j) put(i, j);
    } else {
      for (int panel = 0; panel < height; panel += now.width)
        for (int j = 0; j < width; ++j)
          for (int i = panel; i < panel + now.width; ++i) put(i, j);
    }
    memory result(out.size());
    std::memcpy(result.data.get(), out.data(), out.size());
    return result;
  }

  world& world_;
};

/// Runs the typed steps of a program.
template <class Machine, class Steps>
class interpreter {
 public:
  interpreter() {
    world_.tiles = Machine::value.tiles;
    root_ = read_step<Steps>::in(world_);
  }
  template <class T>
  void write(T, void const* values) {
    variable& v = world_.of(world_.number_of<T>());
    std::memcpy(v.value.data(), values, v.value.size());
    std::fill(v.written.begin(), v.written.end(), char{1});
  }
  /// The value of a tensor, all of which must have been written.
  template <class T>
  std::vector<std::byte> read(T) {
    variable& v = world_.of(world_.number_of<T>());
    for (char w : v.written)
      if (!w) throw not_proven("an element of the output " + v.name + " is not written");
    return v.value;
  }
  /// What no input or output holds is gone when a run ends.
  template <class... Boundary>
  void forget_all_but() {
    int const kept[] = {world_.number_of<Boundary>()..., -1};
    for (int i = 0; i < static_cast<int>(world_.variables.size()); ++i)
      if (std::find(std::begin(kept), std::end(kept), i) == std::end(kept))
        std::fill(world_.of(i).written.begin(), world_.of(i).written.end(), char{0});
  }
  void run() { walker(world_).run(root_); }
  void reset() { reset(root_); }
  int tiles() const { return world_.tiles; }

 private:
  static void reset(step& s) {
    for (vertex_use& use : s.vertices) use.objects.clear();
    for (step& inner : s.inner) reset(inner);
  }
  world world_;
  step root_;
};

}  // namespace reference

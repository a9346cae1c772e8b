// SPDX-License-Identifier: Apache-2.0
// Proof 4: no element is read before something wrote it, and every output is written when the program ends.
//
//   execute(halo<1>(u), v) first, without inputs(u)  ->  written_before_read, tensor u, tile 0, rows [0, 33)
//
// A forward walk: a branch has written what both sides have, a while loop may run zero times, a repeat runs at least
// once. The first walk knows only tensors that are written completely; those for which that is not enough are followed
// one by one, as the own blocks of a set of tiles and up to 64 disjoint boxes.
#pragma once

#include <tessera/plan/detail/bit_row.hpp>
#include <tessera/plan/detail/ranges.hpp>
#include <tessera/plan/detail/written_part.hpp>
#include <tessera/plan/finding.hpp>
#include <tessera/plan/summary.hpp>

namespace tessera {

namespace detail {

/// Whether a write covers its whole tensor: every block, or boxes that fill it. Boxes of one access do not overlap
/// (tessera/plan/races.hpp), so that as many elements as the tensor has are all of them.
constexpr bool covers_tensor(program_view const& p, at_summaries const& at, execute_record const& e, int access) {
  access_record const& a = p.accesses[access];
  tensor_record const& t = p.tensors[a.tensor];
  if (a.kind == access_kind::at) return at.of(access).volume == whole_of(t).volume();
  if (a.kind == access_kind::whole) return true;
  if (!boxes_cover_tensor(p, a) || p.tensors[a.by].map.replicated) return false;
  mapping_record const& map = p.tensors[a.by].map;
  return e.stride == 1 && e.first_tile <= map.first_tile && e.last_tile >= map.first_tile + map.tiles() - 1;
}

/// The first walk, with the set of tensors that are written completely; `open` collects those it cannot follow.
template <int Tensors>
struct coarse_walk {
  program_view const& p;
  at_summaries const& at;
  bit_row<Tensors> open{};

  constexpr void read(bit_row<Tensors> const& state, int tensor_index) {
    if (!state.test(tensor_index)) open.set(tensor_index);
  }
  constexpr void compute(bit_row<Tensors>& state, step_record const& s) {
    for (int i = s.first; i < s.first + s.count; ++i) {
      execute_record const& e = p.executes[i];
      for (int j = e.first_access; j < e.first_access + e.accesses; ++j) {
        access_record const& a = p.accesses[j];
        if (a.dir != direction::out) read(state, a.tensor);
        if (a.kind == access_kind::gather) read(state, a.index);
      }
    }
    for (int i = s.first; i < s.first + s.count; ++i) {
      execute_record const& e = p.executes[i];
      for (int j = e.first_access; j < e.first_access + e.accesses; ++j)
        if (p.accesses[j].dir != direction::in && covers_tensor(p, at, e, j)) state.set(p.accesses[j].tensor);
    }
  }
  /// Steps [from, to).
  constexpr void walk(bit_row<Tensors>& state, int from, int to) {
    for (int i = from; i < to; ++i) {
      step_record const& s = p.steps[i];
      if (s.kind == step_kind::compute) {
        compute(state, s);
      } else if (s.kind == step_kind::copy) {
        read(state, p.accesses[s.first].tensor);
        if (state.test(p.accesses[s.first].tensor)) state.set(p.accesses[s.first + 1].tensor);
      } else if (s.kind == step_kind::while_begin) {
        read(state, s.tensor);
        bit_row<Tensors> body = state;
        walk(body, i + 1, s.other);
        read(body, s.tensor);
        i = s.other;
      } else if (s.kind == step_kind::if_begin) {
        read(state, s.tensor);
        int const middle = s.other;
        int const last = p.steps[middle].other;
        bit_row<Tensors> otherwise = state;
        walk(state, i + 1, middle);
        walk(otherwise, middle + 1, last);
        state.keep(otherwise);
        i = last;
      }
    }
  }
};

/// The exact walk for one tensor.
template <int Tiles>
struct exact_walk {
  program_view const& p;
  at_summaries const& at;
  int tensor_index;
  finding first{};

  using part = written_part<Tiles>;

  constexpr tensor_record const& record() const { return p.tensors[tensor_index]; }
  constexpr void report(part const& state, int step, int execute, int tile_index, region const& r) {
    if (first.found()) return;
    first.what = state.boxes.full ? check::parts_can_be_followed : check::written_before_read;
    first.tensor_index = tensor_index;
    first.step = step;
    first.execute_a = execute;
    first.tile_a = tile_index;
    first.box = r;
    first.available = part_list::capacity;
  }
  constexpr void read_all(part const& state, int step, int read_tensor) {
    if (read_tensor == tensor_index && !state.has(record(), whole_of(record())))
      report(state, step, -1, -1, whole_of(record()));
  }
  constexpr void read(part const& state, int step, int execute, int access, access_record const& a) {
    execute_record const& e = p.executes[execute];
    execute_tiles const range = range_of(p, e);
    region const all = whole_of(record());
    region const most = a.kind == access_kind::at ? at.of(access).covered : hull_of(p, range, a);
    if (state.has(record(), most)) return;
    for (int i = 0; i < range.count && !first.found(); ++i) {
      int const tile_index = range.tile_at(i);
      if (!runs_on(p, e, tile_index)) continue;
      if (a.kind == access_kind::halo && a.edge == edge_rule::wrap) {
        for_each_piece(p, a, tile_index, [&](piece const& part_of) {
          if (!state.has(record(), part_of.source)) report(state, step, execute, tile_index, part_of.source);
        });
        continue;
      }
      region r = covered(p, a, tile_index);
      if (a.kind == access_kind::gather && !r.empty()) r = all;
      r = intersect(r, all);
      if (!state.has(record(), r)) report(state, step, execute, tile_index, r);
    }
  }
  constexpr void compute(part& state, int step) {
    step_record const& s = p.steps[step];
    for (int i = s.first; i < s.first + s.count; ++i) {
      execute_record const& e = p.executes[i];
      for (int j = e.first_access; j < e.first_access + e.accesses && !first.found(); ++j) {
        access_record const& a = p.accesses[j];
        if (a.tensor == tensor_index && a.dir != direction::out) read(state, step, i, j, a);
        if (a.kind != access_kind::gather || a.index != tensor_index) continue;
        access_record index;
        index.tensor = index.by = a.index;
        index.dim[0].from = 0;
        read(state, step, i, j, index);
      }
    }
    for (int i = s.first; i < s.first + s.count && !state.all && !first.found(); ++i) {
      execute_record const& e = p.executes[i];
      for (int j = e.first_access; j < e.first_access + e.accesses; ++j)
        if (p.accesses[j].tensor == tensor_index && p.accesses[j].dir != direction::in) write(state, e, j);
    }
  }
  constexpr void write(part& state, execute_record const& e, int access) {
    access_record const& a = p.accesses[access];
    if (covers_tensor(p, at, e, access)) {
      state.all = true;
      return;
    }
    if (a.kind == access_kind::at && at.of(access).volume == at.of(access).covered.volume()) {
      state.add(record(), at.of(access).covered);
      return;
    }
    execute_tiles const range = range_of(p, e);
    for (int i = 0; i < range.count; ++i) {
      int const tile_index = range.tile_at(i);
      if (a.kind == access_kind::own && a.by == a.tensor) {
        if (record().map.has_tile(tile_index)) state.own.set(tile_index);
      } else {
        state.add(record(), intersect(covered(p, a, tile_index), whole_of(record())));
      }
    }
  }
  /// Steps [from, to).
  constexpr void walk(part& state, int from, int to) {
    for (int i = from; i < to && !first.found(); ++i) {
      step_record const& s = p.steps[i];
      if (s.kind == step_kind::compute) {
        compute(state, i);
      } else if (s.kind == step_kind::copy) {
        read_all(state, i, p.accesses[s.first].tensor);
        if (p.accesses[s.first + 1].tensor == tensor_index) state.all = true;
      } else if (s.kind == step_kind::while_begin) {
        read_all(state, i, s.tensor);
        part body = state;
        walk(body, i + 1, s.other);
        read_all(body, s.other, s.tensor);
        i = s.other;
      } else if (s.kind == step_kind::if_begin) {
        read_all(state, i, s.tensor);
        int const middle = s.other;
        int const last = p.steps[middle].other;
        part otherwise = state;
        walk(state, i + 1, middle);
        walk(otherwise, middle + 1, last);
        state.keep_common(record(), otherwise);
        i = last;
      }
    }
  }
};

}  // namespace detail

/// The tensors that the first walk cannot follow.
template <int Tensors>
struct open_tensors {
  int tensor_index[Tensors + 1] = {};
  int count = 0;
};

/// Tensors that are read, or are outputs, without having been written completely before.
template <int Tensors>
constexpr open_tensors<Tensors> find_partly_written(program_view const& p, at_summaries const& at) {
  detail::coarse_walk<Tensors> coarse{p, at};
  detail::bit_row<Tensors> state;
  for (int t = 0; t < p.tensor_count; ++t)
    if (p.tensors[t].input || p.tensors[t].parameter) state.set(t);
  coarse.walk(state, 0, p.step_count);
  open_tensors<Tensors> open;
  for (int t = 0; t < p.tensor_count; ++t)
    if (coarse.open.test(t) || (p.tensors[t].output && !state.test(t))) open.tensor_index[open.count++] = t;
  return open;
}

/// The first element of a tensor that is read before it is written, or that an output lacks at the end.
template <int Tiles>
constexpr finding find_unwritten_in(program_view const& p, at_summaries const& at, int tensor_index) {
  detail::exact_walk<Tiles> exact{p, at, tensor_index};
  detail::written_part<Tiles> state;
  tensor_record const& t = p.tensors[tensor_index];
  state.all = t.input || t.parameter;
  exact.walk(state, 0, p.step_count);
  if (exact.first.found() || !t.output || state.has(t, whole_of(t))) return exact.first;
  finding f;
  f.what = state.boxes.full ? check::parts_can_be_followed : check::outputs_are_written;
  f.tensor_index = tensor_index;
  f.step = p.step_count;
  f.available = detail::part_list::capacity;
  for (int tile_index = 0; tile_index < p.target.tiles; ++tile_index) {
    f.box = block_of(t, tile_index);
    f.tile_a = tile_index;
    if (!state.has(t, f.box)) break;
  }
  return f;
}

/// The earliest of all.
template <int Tensors, int Tiles>
constexpr finding find_unwritten(program_view const& p, at_summaries const& at) {
  open_tensors<Tensors> const open = find_partly_written<Tensors>(p, at);
  finding first;
  for (int i = 0; i < open.count; ++i) {
    finding const f = find_unwritten_in<Tiles>(p, at, open.tensor_index[i]);
    if (f.found() && (!first.found() || f.step < first.step)) first = f;
  }
  return first;
}

namespace detail {

template <class Program>
inline constexpr auto open_tensors_of =
    find_partly_written<Program::view().tensor_count>(Program::view(), summaries_of<Program>.view());

/// One tensor in an evaluation of its own.
template <class Program, int Tensor>
inline constexpr finding unwritten_in =
    find_unwritten_in<Program::view().target.tiles>(Program::view(), summaries_of<Program>.view(), Tensor);

template <class Program, int... I>
constexpr finding first_unwritten(std::integer_sequence<int, I...>) {
  finding first;
  [[maybe_unused]] auto const earlier = [&](finding const& f) {
    if (f.found() && (!first.found() || f.step < first.step)) first = f;
  };
  (earlier(unwritten_in<Program, open_tensors_of<Program>.tensor_index[I]>), ...);
  return first;
}

}  // namespace detail

/// The earliest read before a write of a program that the compiler knows.
template <class Program>
inline constexpr finding unwritten_of =
    detail::first_unwritten<Program>(std::make_integer_sequence<int, detail::open_tensors_of<Program>.count>{});

}  // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Runs a program in the engine, with several numbers of threads, and in the interpreter, on the same data, several
// times in a row, and compares every output bit for bit.
//
//   compare("p0", program, host_side(fresh<100>(a), kept<7>(b)), results(x, y))   ->   true, or a line on stdout
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/tile.hpp>

#include <reference/interpreter.hpp>
#include <reference/vertices.hpp>

namespace reference {

/// A machine with private memory.
template <int Tiles>
struct separate {
  static constexpr ts::machine value{.tiles = Tiles, .workers = 1, .bytes_per_tile = 1 << 20, .working_set = 1 << 20,
                                     .clock_hz = 1e9, .exchange_bytes_per_cycle = 4, .local_bytes_per_cycle = 16,
                                     .sync_cycles = 100, .flops_per_cycle = 16, .shared = false};
};

/// A tensor that the host writes with numbers below `Bound`: before every run, or (kept) before the first and third only.
template <std::uint64_t Bound, bool Kept, class T>
struct host_tensor {
  static constexpr std::uint64_t bound = Bound;
  static constexpr bool kept = Kept;
  using tensor = T;
};
template <std::uint64_t Bound, class T>
constexpr host_tensor<Bound, false, T> fresh(T) {
  return {};
}
template <std::uint64_t Bound, class T>
constexpr host_tensor<Bound, true, T> kept(T) {
  return {};
}
template <class... T>
struct list {};
template <class... T>
constexpr list<T...> host_side(T...) {
  return {};
}
template <class... T>
constexpr list<T...> results(T...) {
  return {};
}

namespace comparison {

template <class T>
using host_vector = std::vector<ts::runtime_detail::host_element<typename T::element_type>>;

/// The values of an input before run `run`.
template <class H>
host_vector<typename H::tensor> values(std::uint64_t seed, int run) {
  using T = typename H::tensor;
  host_vector<T> list(T::shape_type::volume);
  std::uint64_t h = mix(seed * 100 + static_cast<std::uint64_t>(run));
  for (char c : T::name.view()) h = mix(h + static_cast<unsigned char>(c));
  for (auto& value : list) {
    h = h * 6364136223846793005u + 1442695040888963407u;
    value = element_from<ts::runtime_detail::host_element<typename T::element_type>>((h >> 33) % H::bound);
  }
  return list;
}
template <class H>
constexpr bool writes(int run) {
  return !H::kept || run != 1;
}

using bytes = std::vector<std::byte>;

template <class P, class... In, class... Out>
std::vector<bytes> expected(int runs, std::uint64_t seed, list<In...>, list<Out...>) {
  interpreter<typename P::machine_type, typename P::steps_type> oracle;
  std::vector<bytes> all;
  for (int run = 0; run < runs; ++run) {
    auto const give = [&]<class H>(H) {
      if (writes<H>(run)) oracle.write(typename H::tensor{}, values<H>(seed, run).data());
    };
    if (run == 2) oracle.reset();
    (give(In{}), ...);
    oracle.run();
    (all.push_back(oracle.read(Out{})), ...);
    oracle.template forget_all_but<typename In::tensor..., Out...>();
  }
  return all;
}

template <class P, class... In, class... Out>
std::vector<bytes> computed(P program, int runs, std::uint64_t seed, ts::engine_options options, list<In...>,
                            list<Out...>) {
  ts::engine engine{program, options};
  std::vector<bytes> all;
  for (int run = 0; run < runs; ++run) {
    auto const give = [&]<class H>(H) {
      if (writes<H>(run)) engine.write(typename H::tensor{}, values<H>(seed, run));
    };
    auto const take = [&]<class T>(T tensor) {
      auto const result = engine.read(tensor);
      auto const as_bytes = std::as_bytes(std::span(result));
      all.emplace_back(as_bytes.begin(), as_bytes.end());
    };
    if (run == 2) engine.reset();
    (give(In{}), ...);
    engine.run();
    (take(Out{}), ...);
  }
  return all;
}

/// Planned memory may exceed the largest sum of live bytes by a tenth.
template <class P>
bool memory_is_tight(char const* name) {
  constexpr auto const& memory = ts::planned<P>::memory;
  bool tight = true;
  for (int c = 0; c < memory.classes; ++c) {
    if (memory.arena_bytes[c] * 10 <= memory.live_bytes[c] * 11) continue;
    std::printf("%s: %lld bytes are planned, but at most %lld are live at a time\n", name,
                static_cast<long long>(memory.arena_bytes[c]), static_cast<long long>(memory.live_bytes[c]));
    tight = false;
  }
  return tight;
}

}  // namespace comparison

/// Whether engine and interpreter agree on three runs of a program (two, where it has many tiles): the first two with
/// different inputs, kept ones unchanged, the third after a reset.
template <class P, class... In, class... Out>
bool compare(char const* name, P program, list<In...> in, list<Out...> out, std::uint64_t seed = 1) {
  constexpr int tiles = P::machine_type::value.tiles;
  int const runs = tiles > 100 ? 2 : 3;
  bool same = ts::planted_fault != 0 || comparison::memory_is_tight<P>(name);
  std::vector<comparison::bytes> want;
  try {
    want = comparison::expected<P>(runs, seed, in, out);
  } catch (std::exception const& e) {
    std::printf("%s: the interpreter refuses: %s\n", name, e.what());
    return false;
  }
  char const* const names[] = {Out::name.text...};
  ts::engine_options const ways[] = {{1, false}, {2, false}, {4, false}, {2, true}, {4, true}};
  for (ts::engine_options const& way : ways) {
    if (tiles > 100 && way.cyclic) continue;
    sleep_one_in = way.threads > 1 ? static_cast<unsigned>(tiles / 4 + 3) : 0;
    try {
      std::vector<comparison::bytes> const got = comparison::computed(program, runs, seed, way, in, out);
      for (std::size_t i = 0; i < want.size(); ++i) {
        if (got[i] == want[i]) continue;
        std::size_t first = 0;
        while (got[i][first] == want[i][first]) ++first;
        std::printf("%s: threads %d%s, run %zu, output %s differs from byte %zu on\n", name, way.threads,
                    way.cyclic ? " cyclic" : "", i / sizeof...(Out), names[i % sizeof...(Out)], first);
        same = false;
        break;
      }
    } catch (std::exception const& e) {
      std::printf("%s: threads %d: the engine throws: %s\n", name, way.threads, e.what());
      same = false;
    }
  }
  return same;
}

}  // namespace reference

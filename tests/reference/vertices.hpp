// SPDX-License-Identifier: Apache-2.0
// Vertices for generated programs. What each writes depends on everything that it can see: every element it reads and
// where in its fields that is, the fields' extents, places and halos, and its state. All sums are of integers, so they
// are exact in any order.
//
//   ts::execute<map1<ts::input<float, 2>, ts::output<half, 1>>>(ts::halo<1>(u), v)
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <type_traits>

#include <tessera/program/vertex.hpp>

namespace reference {

namespace ts = tessera;

/// One vertex in `sleep_one_in` sleeps before it reads and before it writes, so that a barrier that is missing shows.
inline std::atomic<unsigned> sleep_one_in{0};

inline void linger() {
  static std::atomic<unsigned> seeds{1};
  thread_local unsigned random = seeds.fetch_add(1) * 2654435761u;
  unsigned const period = sleep_one_in.load(std::memory_order_relaxed);
  if (period == 0) return;
  random = random * 1664525u + 1013904223u;
  if ((random >> 12) % period == 0) std::this_thread::sleep_for(std::chrono::microseconds(60));
}

// --- Elements ---------------------------------------------------------------------------------------------------------

/// Values of T are the integers below this: exact in T, and in float sums of a few thousand of them.
template <class T> inline constexpr std::uint64_t modulus = 1000003;
template <> inline constexpr std::uint64_t modulus<float> = 8191;
template <> inline constexpr std::uint64_t modulus<bool> = 2;
template <> inline constexpr std::uint64_t modulus<ts::half> = 1021;
template <> inline constexpr std::uint64_t modulus<ts::bf16> = 251;

template <class T>
std::uint64_t to_integer(T value) {
  if constexpr (std::is_same_v<T, ts::half> || std::is_same_v<T, ts::bf16>)
    return static_cast<std::uint64_t>(static_cast<float>(value));
  else return static_cast<std::uint64_t>(value);
}
/// An element of T from any number.
template <class T>
T element_from(std::uint64_t number) {
  std::uint64_t const n = number % modulus<T>;
  if constexpr (std::is_same_v<T, ts::half> || std::is_same_v<T, ts::bf16>) return T(static_cast<float>(n));
  else return static_cast<T>(n);
}

inline std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 31;
  h *= 0x7fb5d329728ea185u;
  h ^= h >> 27;
  h *= 0x81dadef4bc2dd44du;
  return h ^ (h >> 33);
}

// --- Fields -----------------------------------------------------------------------------------------------------------

using position = std::array<int, ts::max_rank>;

template <class F, class Visit>
void for_each_position(F const& field, Visit&& visit) {
  position n{1, 1, 1, 1};
  for (int d = 0; d < F::rank; ++d) n[static_cast<std::size_t>(d)] = field.extent(d);
  position at{};
  for (at[0] = 0; at[0] < n[0]; ++at[0])
    for (at[1] = 0; at[1] < n[1]; ++at[1])
      for (at[2] = 0; at[2] < n[2]; ++at[2])
        for (at[3] = 0; at[3] < n[3]; ++at[3]) visit(at);
}
template <class F>
decltype(auto) element(F& field, position const& p) {
  if constexpr (F::rank == 1) return field(p[0]);
  else if constexpr (F::rank == 2) return field(p[0], p[1]);
  else if constexpr (F::rank == 3) return field(p[0], p[1], p[2]);
  else return field(p[0], p[1], p[2], p[3]);
}

/// A number that depends on everything an input or inout shows.
template <class F>
std::uint64_t digest(F const& field) {
  using T = typename F::element_type;
  std::uint64_t h = 17;
  for (int d = 0; d < F::rank; ++d) {
    int const seen[] = {field.extent(d), field.first(d), field.before(d), field.after(d), field.tensor_extent(d)};
    for (int s : seen) h = mix(h + static_cast<std::uint64_t>(s + 1000));
  }
  std::uint64_t sum = 0;
  [[maybe_unused]] T exact{};   // what is below 16 times 8, added up in T itself
  for_each_position(field, [&](position const& p) {
    std::uint64_t const value = to_integer(element(field, p));
    int const weight = 1 + ((p[0] * 61 + p[1]) * 53 + p[2]) * 47 + p[3];
    sum += value * (static_cast<std::uint64_t>(weight) * 2654435761u % 1000003);
    if constexpr (std::is_floating_point_v<T>) exact += static_cast<T>(value % 16) * static_cast<T>(weight % 8);
  });
  h = mix(h + sum) + to_integer(exact);
  if constexpr (!F::layout.is_row_major()) {   // memory as it is, padding included
    auto const memory = unchecked(field).data;
    std::int64_t const size = F::layout.size(field.extent(0), field.extent(1));
    for (std::int64_t i = 0; i < size; ++i) h = mix(h + to_integer(memory[i]));
  }
  return h;
}

/// The element of `field` at a place of its tensor, or 0 where the field does not show it.
template <class F>
std::uint64_t shown_at(F const& field, position const& place) {
  position p{};
  for (int d = 0; d < F::rank; ++d) {
    int const i = place[static_cast<std::size_t>(d)] - field.first(d);
    if (i < 0 || i >= field.extent(d)) return 0;
    p[static_cast<std::size_t>(d)] = i;
  }
  return to_integer(element(field, p));
}

/// Writes every element of an output or inout: a function of `h`, of the element's place, of what the inputs show
/// there, and of the old value of an inout.
template <class Y, class... Inputs>
void emit(Y const& y, std::uint64_t h, Inputs const&... inputs) {
  using T = typename Y::element_type;
  for_each_position(y, [&](position const& p) {
    position place{};
    std::uint64_t number = h;
    for (int d = 0; d < Y::rank; ++d) {
      auto const i = static_cast<std::size_t>(d);
      place[i] = p[i] + y.first(d);
      number = number * 8191 + static_cast<std::uint64_t>(place[i] + 100 * y.tensor_extent(d));
    }
    auto const add = [&](auto const& in) { number = mix(number) + shown_at(in, place); };
    (add(inputs), ...);
    if constexpr (Y::dir == ts::direction::inout) number = mix(number) + to_integer(element(y, p));
    element(y, p) = element_from<T>(mix(number));
  });
}

// --- Vertices ---------------------------------------------------------------------------------------------------------

/// y from a. Y may be an inout, which is read too.
template <class A, class Y>
struct map1 {
  A a;
  Y y;
  TESSERA_FIELDS(map1, a, y);
  void compute() const {
    linger();
    std::uint64_t const h = digest(a);
    linger();
    emit(y, h, a);
  }
};

/// y from a and b; the output comes first.
template <class Y, class A, class B>
struct map2 {
  Y y;
  A a;
  B b;
  TESSERA_FIELDS(map2, y, a, b);
  void compute() const {
    linger();
    std::uint64_t const h = digest(a) + 3 * digest(b);
    linger();
    emit(y, h, a, b);
  }
};

/// y from three inputs, through scratch memory.
template <class A, class B, class Y, class C>
struct map3 {
  A a;
  B b;
  ts::scratch<std::uint64_t, 3> digests;
  Y y;
  C c;
  ts::scratch<char, 5> letters;
  TESSERA_FIELDS(map3, a, b, digests, y, c, letters);
  void compute() const {
    linger();
    digests[0] = digest(a);
    digests[1] = digest(b);
    digests[2] = digest(c);
    for (int i = 0; i < letters.size(); ++i) letters[i] = static_cast<char>('a' + i);
    linger();
    emit(y, digests[0] + 3 * digests[1] + 5 * digests[2] + static_cast<std::uint64_t>(letters[4]), a, b, c);
  }
};

/// Two outputs from one input.
template <class A, class Y, class Z>
struct split2 {
  A a;
  Y y;
  Z z;
  TESSERA_FIELDS(split2, a, y, z);
  void compute() const {
    linger();
    std::uint64_t const h = digest(a);
    linger();
    emit(y, h, a);
    emit(z, h + 1, a);
  }
};

/// y from nothing but its place.
template <class Y>
struct iota {
  Y y;
  TESSERA_FIELDS(iota, y);
  void compute() const {
    linger();
    emit(y, 7);
  }
};

/// State that is given, and state that counts the calls, also from run to run.
struct parameters {
  int a = 1;
  std::int64_t b = 2;
};
template <class A, class Y>
struct stateful {
  parameters given;
  A a;
  int calls = 0;
  Y y;
  TESSERA_FIELDS(stateful, given, a, calls, y);
  void compute() {
    linger();
    ++calls;
    std::uint64_t const h = digest(a);
    linger();
    emit(y, h + static_cast<std::uint64_t>(given.a + given.b * 1000 + calls * 77), a);
  }
};

/// Row numbers below `bound`, for a gather to come.
template <class A, class Y>
struct choose_rows {
  A a;
  Y y;
  int bound = 1;
  TESSERA_FIELDS(choose_rows, a, y, bound);
  void compute() const {
    linger();
    std::uint64_t const h = digest(a);
    for_each_position(y, [&](position const& p) {
      std::uint64_t const row = mix(h + static_cast<std::uint64_t>(p[0] + y.first(0))) % static_cast<unsigned>(bound);
      element(y, p) = static_cast<typename Y::element_type>(row);
    });
  }
};

/// A predicate that is one step nearer to false: counts down, or is false.
template <class T>
struct count_down {
  ts::inout<T, 1> left;
  TESSERA_FIELDS(count_down, left);
  void compute() const {
    linger();
    for (int i = 0; i < left.rows(); ++i) left(i) = left(i) > T(1) ? static_cast<T>(left(i) - T(1)) : T(0);
  }
};

/// A predicate that depends on data.
template <class A, class T>
struct decide {
  A a;
  ts::output<T, 1> y;
  TESSERA_FIELDS(decide, a, y);
  void compute() const {
    linger();
    std::uint64_t const h = digest(a);
    linger();
    for (int i = 0; i < y.rows(); ++i) y(i) = static_cast<T>((h >> 7) % 2);
  }
};

}  // namespace reference

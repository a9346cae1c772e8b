// SPDX-License-Identifier: Apache-2.0
// Engines: errors inside a run, state and reset, sizes, threads, swaps from run to run, two engines at once.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

constexpr int tiles = 8;
using machine = ts::machines::host<tiles>;
constexpr ts::tensor<"x", int, ts::shape<13>, ts::by_rows> x;
constexpr ts::tensor<"y", int, ts::shape<13>, ts::by_rows> y;
constexpr ts::tensor<"ids", std::int32_t, ts::shape<13>, ts::by_rows> ids;
constexpr ts::tensor<"table", int, ts::shape<5>, ts::on_tile<0>> table;

/// Fails on every tile that holds a negative number.
struct positive {
  ts::input<int> a;
  ts::output<int> b;
  TESSERA_FIELDS(positive, a, b);
  void compute() const {
    for (int i = 0; i < a.rows(); ++i) {
      if (a(i) < 0) throw std::domain_error("element " + std::to_string(a.tensor_row(i)));
      b(i) = a(i) + 1;
    }
  }
};

/// Adds how often it was called.
struct counting {
  ts::input<int> a;
  ts::output<int> b;
  int calls = 0;
  int start = 0;
  TESSERA_FIELDS(counting, a, b, calls, start);
  void compute() {
    ++calls;
    for (int i = 0; i < a.rows(); ++i) b(i) = a(i) + 100 * calls + start;
  }
};

struct take {
  ts::input<int> rows;
  ts::output<int> b;
  TESSERA_FIELDS(take, rows, b);
  void compute() const {
    for (int i = 0; i < b.rows(); ++i) b(i) = rows(i);
  }
};

std::vector<int> numbers() {
  std::vector<int> v(13);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

constexpr auto simple =
    ts::program<machine>([] { return ts::sequence(ts::inputs(x), ts::outputs(y), ts::execute<positive>(x, y)); });

}  // namespace

TEST_CASE("the exception of the lowest failing tile arrives, with any number of threads") {
  for (int threads : {1, 2, 3, 4, 8})
    for (bool cyclic : {false, true}) {
      CAPTURE(threads);
      ts::engine engine{simple, {.threads = threads, .cyclic = cyclic}};
      std::vector<int> bad = numbers();
      bad[12] = bad[5] = bad[9] = -1;
      for (int round = 0; round < 20; ++round) {
        engine.write(x, bad);
        CHECK_THROWS_WITH_AS(engine.run(), "element 5", std::domain_error);
        engine.write(x, numbers());           // the engine is as good as new
        engine.run();
        CHECK(engine.read(y)[12] == 13);
      }
    }
}

TEST_CASE("indices out of range are found when they are used, with their place and bound") {
  constexpr auto gathering = ts::program<machine>(
      [] { return ts::sequence(ts::inputs(table, ids), ts::outputs(y), ts::execute<take>(ts::gather(table, ids), y)); });
  for (int threads : {1, 4}) {
    ts::engine engine{gathering, {.threads = threads}};
    std::vector<std::int32_t> rows(13, 4);
    engine.write(table, std::vector<int>{10, 11, 12, 13, 14});
    engine.write(ids, rows);
    engine.run();
    CHECK(engine.read(y) == std::vector<int>(13, 14));
    for (int wrong : {5, -1, 1000000}) {
      rows.assign(13, 0);
      rows[7] = wrong;
      rows[11] = -7;
      engine.write(ids, rows);
      try {
        engine.run();
        FAIL("no exception");
      } catch (ts::run_error const& e) {
        CHECK(std::string(e.what()) == "tessera: ids[7] is " + std::to_string(wrong) + ", but table has rows 0 to 4");
        CHECK(e.tensor() == "ids");
        CHECK(e.tile() == 4);
      }
    }
    rows.assign(13, 2);
    engine.write(ids, rows);
    engine.run();
    CHECK(engine.read(y) == std::vector<int>(13, 12));
  }
}

TEST_CASE("state keeps its value from run to run until it is reset") {
  constexpr auto program = ts::program<machine>([] {
    return ts::sequence(ts::inputs(x), ts::outputs(y),
                        ts::execute<counting>(x, y, ts::value<10>, ts::per_tile([](ts::tile t) { return t.index; })));
  });
  for (int threads : {1, 3}) {
    ts::engine engine{program, {.threads = threads}};
    engine.write(x, std::vector<int>(13, 0));
    engine.run();
    CHECK(engine.read(y)[0] == 1100);
    CHECK(engine.read(y)[12] == 1107);
    engine.run();
    CHECK(engine.read(y)[12] == 1207);
    engine.reset();
    engine.run();
    CHECK(engine.read(y)[12] == 1107);
  }
}

TEST_CASE("sizes are checked before anything is changed") {
  ts::engine engine{simple, {}};
  engine.write(x, numbers());
  CHECK_THROWS_WITH_AS(engine.write(x, std::vector<int>(12)), "tessera: x has 13 elements, but 12 were given",
                       ts::input_error);
  engine.run();
  CHECK(engine.read(y)[3] == 4);
  std::vector<int> too_long(14);
  CHECK_THROWS_AS(engine.read(y, std::span<int>(too_long)), ts::input_error);
}

TEST_CASE("threads are checked, and never more than tiles") {
  CHECK_THROWS_WITH_AS((ts::engine{simple, {.threads = 0}}), "tessera: threads is 0, not in [1, 1024]", ts::input_error);
  CHECK_THROWS_AS((ts::engine{simple, {.threads = 1025}}), ts::input_error);
  ts::engine engine{simple, {.threads = 100}};
  CHECK(engine.threads() == tiles);
  engine.write(x, numbers());
  engine.run();
  CHECK(engine.read(y)[12] == 13);
}

namespace {

constexpr ts::tensor<"u", double, ts::shape<17, 3>, ts::by_rows> u;
constexpr ts::tensor<"v", double, ts::shape<17, 3>, ts::by_rows> v;

struct smooth {
  ts::input<double, 2> u;
  ts::output<double, 2> v;
  TESSERA_FIELDS(smooth, u, v);
  void compute() const {
    for (int i = 0; i < v.rows(); ++i)
      for (int j = 0; j < v.cols(); ++j) {
        int const k = i + u.before(0);
        double const above = k > 0 ? u(k - 1, j) : 0.0, below = k + 1 < u.rows() ? u(k + 1, j) : 0.0;
        v(i, j) = u(k, j) + 2 * above + 3 * below;
      }
  }
};

template <class M, int Rounds>
std::vector<double> swapped(int threads, int runs) {
  constexpr auto program = ts::program<M>([] {
    return ts::sequence(ts::inputs(u), ts::outputs(u),
                        ts::repeat<Rounds>(ts::execute<smooth>(ts::halo<1>(u), v), ts::copy(v, u)));
  });
  using planned = ts::planned<std::remove_const_t<decltype(program)>>;
  static_assert(planned::swaps.swap[2], "the copy is to become a swap");
  ts::engine engine{program, {.threads = threads}};
  std::vector<double> values(51);
  std::iota(values.begin(), values.end(), 1.0);
  engine.write(u, values);
  for (int i = 0; i < runs; ++i) {
    engine.run();
    if (i % 2 == 1) engine.write(u, engine.read(u));   // reads and writes find the tensor where the swaps left it
  }
  return engine.read(u);
}

std::vector<double> smoothed(int times) {
  std::vector<double> a(51), b(51);
  std::iota(a.begin(), a.end(), 1.0);
  for (; times > 0; --times, a = b)
    for (std::size_t i = 0; i < 17; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        b[i * 3 + j] = a[i * 3 + j] + 2 * (i > 0 ? a[i * 3 + j - 3] : 0.0) + 3 * (i < 16 ? a[i * 3 + j + 3] : 0.0);
  return a;
}

}  // namespace

TEST_CASE("swaps last from run to run, also odd numbers of them") {
  for (int threads : {1, 2, 4})
    for (int runs : {1, 2, 3, 4}) {
      CHECK(swapped<machine, 3>(threads, runs) == smoothed(3 * runs));
      CHECK(swapped<machine, 2>(threads, runs) == smoothed(2 * runs));
      CHECK(swapped<ts::machines::gc200, 3>(threads, runs) == smoothed(3 * runs));
    }
}

namespace {

/// Fails in the run's second superstep, after a swap that not all threads may have made.
struct fails_on_demand {
  ts::input<double, 2> u;
  ts::output<double, 2> v;
  TESSERA_FIELDS(fails_on_demand, u, v);
  void compute() const {
    for (int i = 0; i < v.rows(); ++i)
      for (int j = 0; j < v.cols(); ++j) {
        if (u(i, j) < 0) throw std::runtime_error("negative");
        v(i, j) = u(i, j) * 2;
      }
  }
};

}  // namespace

TEST_CASE("an engine works after a run that failed amid swaps") {
  constexpr auto program = ts::program<machine>([] {
    return ts::sequence(ts::inputs(u), ts::outputs(u),
                        ts::repeat<3>(ts::execute<fails_on_demand>(u, v), ts::copy(v, u)));
  });
  for (int threads : {1, 2, 4}) {
    ts::engine engine{program, {.threads = threads}};
    std::vector<double> bad(51, 1.0);
    bad[40] = -1.0;
    for (int round = 0; round < 10; ++round) {
      engine.write(u, bad);
      CHECK_THROWS_WITH(engine.run(), "negative");
      engine.write(u, std::vector<double>(51, 1.0));
      engine.run();
      CHECK(engine.read(u) == std::vector<double>(51, 8.0));
    }
  }
}

TEST_CASE("a thread may fail before another has left the barrier") {
  constexpr auto program = ts::program<machine>([] {
    return ts::sequence(ts::inputs(u), ts::outputs(u),
                        ts::repeat<4>(ts::execute<smooth>(ts::halo<1>(u), v), ts::execute<smooth>(ts::halo<1>(v), u)),
                        ts::execute<fails_on_demand>(u, v), ts::execute<smooth>(ts::halo<1>(v), u),
                        ts::repeat<4>(ts::execute<smooth>(ts::halo<1>(u), v), ts::execute<smooth>(ts::halo<1>(v), u)));
  });
  std::vector<double> bad(51, 1.0);
  bad[0] = -1e9;
  for (int threads : {2, 3, 4}) {
    ts::engine engine{program, {.threads = threads}};
    for (int round = 0; round < 2000; ++round) {
      engine.write(u, bad);
      REQUIRE_THROWS_WITH(engine.run(), "negative");
    }
  }
}

TEST_CASE("two engines of one program run at once") {
  constexpr auto program = ts::program<machine>([] {
    return ts::sequence(ts::inputs(u), ts::outputs(u),
                        ts::repeat<50>(ts::execute<smooth>(ts::halo<1>(u), v), ts::execute<smooth>(ts::halo<1>(v), u)));
  });
  auto const work = [&](double start, std::vector<double>& result) {
    ts::engine engine{program, {.threads = 2}};
    engine.write(u, std::vector<double>(51, start));
    engine.run();
    result = engine.read(u);
  };
  std::vector<double> one, two, alone;
  work(1.0, alone);
  std::thread first(work, 1.0, std::ref(one));
  std::thread second(work, 2.0, std::ref(two));
  first.join();
  second.join();
  CHECK(one == alone);
  for (std::size_t i = 0; i < 51; ++i) CHECK(two[i] == 2 * alone[i]);
}

// SPDX-License-Identifier: Apache-2.0
// Vertices: fields by TESSERA_FIELDS and by BOOST_HANA_DEFINE_STRUCT, sixteen of them, state, what a kernel record holds.
#include <doctest/doctest.h>

#include <boost/hana/define_struct.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

struct pair_of {
  int a = 1;
  double b = 2.0;
};

struct listed {
  ts::input<float, 2> x;
  ts::scratch<double, 5> memory;
  ts::output<float, 2> y;
  pair_of state;
  TESSERA_FIELDS(listed, x, memory, y, state);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = x(i, j) * static_cast<float>(state.b);
  }
};

struct defined {
  BOOST_HANA_DEFINE_STRUCT(defined, (ts::input<float, 2>, x), (ts::output<float, 2>, y), (int, factor));
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = x(i, j) * static_cast<float>(factor);
  }
};

template <class T>
struct sixteen {
  ts::output<T> a;
  ts::input<T> b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
  TESSERA_FIELDS(sixteen, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  void compute() const {
    for (int r = 0; r < a.rows(); ++r)
      a(r) = b(r) + 2 * c(r) + d(r) + e(r) + f(r) + g(r) + h(r) + i(r) + j(r) + k(r) + l(r) + m(r) + n(r) + o(r) +
             100 * p(r);
  }
};

struct costs {
  ts::input<float, 2> x;
  ts::output<float, 2> y;
  TESSERA_FIELDS(costs, x, y);
  static constexpr ts::work cost(ts::extents in, ts::extents out) { return {in.volume() * 3, out.volume() * 4}; }
  void compute() const {}
};
struct no_fields {
  void compute() const {}
};

constexpr ts::tensor<"m", float, ts::shape<9, 5>, ts::by_rows> m;
constexpr ts::tensor<"n", float, ts::shape<9, 5>, ts::by_rows> n;
constexpr ts::tensor<"o", float, ts::shape<9, 5>, ts::by_rows> o;
constexpr ts::tensor<"v", int, ts::shape<7>, ts::by_rows> v;
constexpr ts::tensor<"w", int, ts::shape<7>, ts::by_rows> w;

}  // namespace

TEST_CASE("what is a vertex and what is not") {
  static_assert(ts::Vertex<listed>);
  static_assert(ts::Vertex<defined>);
  static_assert(ts::Vertex<sixteen<int>>);
  static_assert(!ts::Vertex<no_fields>);
  static_assert(!ts::Vertex<int>);
}

TEST_CASE("a kernel record says what a vertex needs") {
  constexpr ts::kernel_record k = ts::kernel_of<listed>();
  CHECK(k.fields == 4);
  CHECK(k.object_bytes == sizeof(listed));
  CHECK(k.state_bytes == sizeof(pair_of));
  CHECK(k.scratch_bytes == 64);
  CHECK(k.scratch_fields == 1);
  CHECK_FALSE(k.cost_stated);
  CHECK(std::string_view(k.name).find("listed") != std::string_view::npos);
  CHECK(std::string_view(ts::detail::field_name<listed>(3)) == "state");
  CHECK(std::string_view(ts::detail::field_name<defined>(1)) == "y");
  constexpr ts::kernel_record s = ts::kernel_of<costs>();
  CHECK(s.cost_stated);
  ts::region const box{{{0, 3}, {0, 4}, {0, 1}, {0, 1}}};
  ts::region const boxes[] = {box, box};
  CHECK(s.cost(boxes).flops == 36);
  CHECK(s.cost(boxes).bytes == 48);
  CHECK(ts::kernel_of<defined>().key != ts::kernel_of<listed>().key);
}

TEST_CASE("both ways to list fields run, with state by value and by default") {
  constexpr auto program = ts::program<ts::machines::host<4>>([] {
    return ts::sequence(ts::inputs(m), ts::outputs(n, o), ts::execute<listed>(m, n),
                        ts::execute<defined>(n, o, ts::value<5>));
  });
  ts::engine engine{program, {.threads = 2}};
  engine.write(m, std::vector<float>(45, 3.0f));
  engine.run();
  CHECK(engine.read(n) == std::vector<float>(45, 6.0f));
  CHECK(engine.read(o) == std::vector<float>(45, 30.0f));
}

TEST_CASE("sixteen fields arrive in order") {
  constexpr auto program = ts::program<ts::machines::host<3>>([] {
    return ts::sequence(ts::inputs(v), ts::outputs(w),
                        ts::execute<sixteen<int>>(w, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v));
  });
  ts::engine engine{program, {}};
  engine.write(v, std::vector<int>{0, 1, 2, 3, 4, 5, 6});
  engine.run();
  CHECK(engine.read(w) == std::vector<int>{0, 115, 230, 345, 460, 575, 690});
}

TEST_CASE("state may be a function of the tile") {
  constexpr auto program = ts::program<ts::machines::host<3>>([] {
    return ts::sequence(ts::inputs(m), ts::outputs(o),
                        ts::execute<defined>(m, o, ts::per_tile([](ts::tile t) { return t.index * 10 + t.count; })));
  });
  ts::engine engine{program, {}};
  engine.write(m, std::vector<float>(45, 1.0f));
  engine.run();
  auto const result = engine.read(o);
  CHECK(result[0] == 3.0f);
  CHECK(result[20] == 13.0f);
  CHECK(result[44] == 23.0f);
}

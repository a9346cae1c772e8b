// SPDX-License-Identifier: Apache-2.0
// Bundled vertices in programs of the tile level: the same bits on every machine and with any number of threads.
#include "laws/invariant.hpp"
#include "reference/loops.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <tessera/codelets.hpp>
#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

constexpr int rows = 53, cols = 71;   // neither divides by a number of tiles, a batch or a panel
constexpr ts::tensor<"x", float, ts::shape<rows, cols>, ts::by_rows> x;
constexpr ts::tensor<"y", float, ts::shape<rows, cols>, ts::by_rows> y;
constexpr ts::tensor<"weight", float, ts::shape<cols, 1>, ts::on_tile<0>> weight;
constexpr ts::tensor<"bias", float, ts::shape<cols, 1>, ts::on_tile<0>> bias;

struct normalised {
  template <class M>
  static std::vector<float> run(ts::engine_options const& options) {
    static constexpr auto program = ts::program<M>([] {
      return ts::sequence(ts::inputs(x, weight, bias), ts::outputs(y),
                          ts::execute<ts::codelets::layer_norm>(x, ts::whole(weight), ts::whole(bias), y));
    });
    ts::engine engine{program, options};
    engine.write(x, reference::numbers(rows * cols, 1));
    engine.write(weight, reference::numbers(cols, 2));
    engine.write(bias, reference::numbers(cols, 3));
    engine.run();
    return engine.read(y);
  }
};

constexpr ts::tensor<"mask", std::int64_t, ts::shape<1, cols>, ts::on_tile<0>> mask;
struct probabilities {
  template <class M>
  static std::vector<float> run(ts::engine_options const& options) {
    static constexpr auto program = ts::program<M>([] {
      return ts::sequence(
          ts::inputs(x, mask), ts::outputs(y),
          ts::execute<ts::codelets::softmax_rows<true>>(x, ts::whole(mask), y, ts::value<rows>));
    });
    ts::engine engine{program, options};
    std::vector<std::int64_t> keep(cols, 1);
    keep[3] = keep[70] = 0;
    engine.write(x, reference::numbers(rows * cols, 1));
    engine.write(mask, keep);
    engine.run();
    return engine.read(y);
  }
};

// Rows by their numbers, some of them twice.
constexpr ts::tensor<"ids", std::int32_t, ts::shape<rows>, ts::by_rows> ids;
struct copy_rows {
  ts::input<float, 2> picked;
  ts::output<float, 2> v;
  TESSERA_FIELDS(copy_rows, picked, v);
  void compute() const {
    for (int i = 0; i < v.rows(); ++i)
      for (int j = 0; j < v.cols(); ++j) v(i, j) = picked(i, j);
  }
};
struct gathered {
  template <class M>
  static std::vector<float> run(ts::engine_options const& options) {
    static constexpr auto program = ts::program<M>([] {
      return ts::sequence(ts::inputs(x, ids), ts::outputs(y), ts::execute<copy_rows>(ts::gather(x, ids), y));
    });
    ts::engine engine{program, options};
    std::vector<std::int32_t> numbers(rows);
    for (int i = 0; i < rows; ++i) numbers[static_cast<std::size_t>(i)] = 7 * i * i % rows;
    engine.write(x, reference::numbers(rows * cols, 1));
    engine.write(ids, numbers);
    engine.run();
    return engine.read(y);
  }
};

template <class Vertex>
struct mapped {
  template <class M>
  static std::vector<float> run(ts::engine_options const& options) {
    static constexpr auto program =
        ts::program<M>([] { return ts::sequence(ts::inputs(x), ts::outputs(y), ts::execute<Vertex>(x, y)); });
    ts::engine engine{program, options};
    engine.write(x, reference::numbers(rows * cols, 1));
    engine.run();
    return engine.read(y);
  }
};

// A product of 53 x 29 and 29 x 71 by rows: each tile multiplies its own by all of b.
constexpr ts::tensor<"a", float, ts::shape<rows, 29>, ts::by_rows> a;
constexpr ts::tensor<"b", float, ts::shape<29, cols>, ts::by_rows> b;
struct multiplied {
  template <class M>
  static std::vector<float> run(ts::engine_options const& options) {
    static constexpr auto program = ts::program<M>([] {
      return ts::sequence(ts::inputs(a, b), ts::outputs(y), ts::execute<ts::codelets::gemm>(a, ts::whole(b), y));
    });
    ts::engine engine{program, options};
    engine.write(a, reference::numbers(rows * 29, 1));
    engine.write(b, reference::numbers(29 * cols, 2));
    engine.run();
    return engine.read(y);
  }
};

/// Each element moves towards the mean of the rows above and below.
struct relax {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(relax, u, v);
  void compute() const {
    for (int i = 0; i < v.rows(); ++i)
      for (int j = 0; j < v.cols(); ++j) v(i, j) = u(i + 1, j) * 0.5f + (u(i, j) + u(i + 2, j)) * 0.25f;
  }
};
struct relaxed {
  template <class M>
  static std::vector<float> run(ts::engine_options const& options) {
    static constexpr auto program = ts::program<M>([] {
      return ts::sequence(
          ts::inputs(x), ts::outputs(x),
          ts::repeat<10>(ts::execute<relax>(ts::halo<1>(x, ts::edge::clamp), y), ts::copy(y, x)));
    });
    ts::engine engine{program, options};
    engine.write(x, reference::numbers(rows * cols, 1));
    engine.run();
    return engine.read(x);
  }
};

}  // namespace

TEST_CASE("layer normalisation") { laws::check_invariant<normalised>(); }
TEST_CASE("normalisation to length 1") { laws::check_invariant<mapped<ts::codelets::l2_normalize>>(); }
TEST_CASE("GELU, whose rows are one long row where they follow one another") {
  laws::check_invariant<mapped<ts::codelets::map_elements<ts::activation::gelu_erf>>>();
}
TEST_CASE("a masked softmax") { laws::check_invariant<probabilities>(); }
TEST_CASE("a gather") { laws::check_invariant<gathered>(); }
TEST_CASE("a product with the right operand in panels") { laws::check_invariant<multiplied>(); }
TEST_CASE("a loop over halos") { laws::check_invariant<relaxed>(); }

// SPDX-License-Identifier: Apache-2.0
// A vertex is told which packed parameters its thread reads after its own.
#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <tessera/base/ahead.hpp>
#include <tessera/tile.hpp>

namespace ts = tessera;

namespace {

struct seen {
  void const* own;
  ts::memory_ahead ahead;
};
std::mutex lock;
std::map<std::thread::id, std::vector<seen>> by_thread;   // in the order in which vertices ran

/// y = 0; notes the panels that it has and those that it is told of.
struct note {
  ts::input<float, 2, ts::panels<4>> w;
  ts::output<float, 2> y;
  TESSERA_FIELDS(note, w, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = 0;
    std::lock_guard const guard(lock);
    by_thread[std::this_thread::get_id()].push_back({unchecked(w).data, ts::next_memory});
  }
};
/// Has no packed operand.
struct plain {
  ts::input<float, 2> x;
  ts::output<float, 2> y;
  TESSERA_FIELDS(plain, x, y);
  void compute() const {
    for (int i = 0; i < y.rows(); ++i)
      for (int j = 0; j < y.cols(); ++j) y(i, j) = x(i, j);
  }
};

constexpr ts::tensor<"w", float, ts::shape<8, 16>, ts::by_blocks<2, 2>> w;
constexpr ts::tensor<"v", float, ts::shape<8, 16>, ts::by_blocks<2, 2>> v;
constexpr ts::tensor<"y", float, ts::shape<6, 16>, ts::by_blocks<2, 2>> y;
constexpr ts::tensor<"z", float, ts::shape<6, 16>, ts::by_blocks<2, 2>> z;

// Both parameters are cut into two packed halves, which two tiles each read.
constexpr auto program = ts::program<ts::machines::host<4>>([] {
  return ts::sequence(ts::parameters(w, v), ts::outputs(y, z), ts::execute<note>(ts::cols(w), y),
                      ts::execute<plain>(y, z), ts::execute<note>(ts::cols(v), y));
});

}  // namespace

TEST_CASE("a vertex is told of the next panels of its thread that differ from its own") {
  for (int threads : {1, 2, 4}) {
    by_thread.clear();
    ts::engine engine(program, {.threads = threads});
    engine.write(w, std::vector<float>(8 * 16));
    engine.write(v, std::vector<float>(8 * 16));
    engine.run();
    CHECK(static_cast<int>(by_thread.size()) == threads);
    for (auto const& [id, vertices] : by_thread) {
      CHECK(static_cast<int>(vertices.size()) == 8 / threads);
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        std::size_t next = i + 1;
        while (next < vertices.size() && vertices[next].own == vertices[i].own) ++next;
        bool const last = next == vertices.size();
        CHECK(static_cast<void const*>(vertices[i].ahead.data) == (last ? nullptr : vertices[next].own));
        CHECK(vertices[i].ahead.bytes == (last ? 0 : 4 * 8 * 8));
      }
    }
  }
}

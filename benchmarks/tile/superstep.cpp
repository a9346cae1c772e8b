// SPDX-License-Identifier: Apache-2.0
// What a superstep costs: a barrier with two threads, an empty vertex, and an exchange against memcpy.
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include <tessera/tile.hpp>

#include "../rounds.hpp"

namespace ts = tessera;

namespace {

struct touch {
  ts::input<float> x;
  ts::output<float> y;
  TESSERA_FIELDS(touch, x, y);
  void compute() const { y(0) = x(0); }
};

constexpr int steps = 20000;
constexpr ts::tensor<"p", float, ts::shape<64>, ts::by_rows> p;
constexpr ts::tensor<"q", float, ts::shape<64>, ts::by_rows> q;

/// Own blocks only: no barrier is needed. From the neighbour: one for each superstep.
template <int Tiles>
constexpr auto own = ts::program<ts::machines::host<Tiles>>([] {
  return ts::sequence(ts::inputs(p), ts::outputs(p),
                      ts::repeat<steps / 2>(ts::execute<touch>(p, q), ts::execute<touch>(q, p)));
});
template <int Tiles>
constexpr auto from_neighbour = ts::program<ts::machines::host<Tiles>>([] {
  return ts::sequence(ts::inputs(p), ts::outputs(p),
                      ts::repeat<steps / 2>(ts::execute<touch>(ts::neighbour<1>(p, ts::edge::wrap), q),
                                            ts::execute<touch>(ts::neighbour<1>(q, ts::edge::wrap), p)));
});

template <class Program>
void time_step(char const* name, Program program, int threads, int tiles) {
  ts::engine engine(program, {.threads = threads});
  engine.write(p, std::vector<float>(64, 1.0f));
  engine.run();
  std::vector<double> ns;
  for (int round = 0; round < 11; ++round)
    ns.push_back(1e9 * ts::benchmarks::seconds([&] { engine.run(); }) / steps);
  std::printf("%-28s %2d tiles  %d thread%s  %8.1f ns a superstep\n", name, tiles, threads, threads == 1 ? " " : "s",
              ts::benchmarks::median(ns));
}

void time_barrier() {
  ts::barrier meet(2, true);
  auto rounds = [&] { for (int i = 0; i < steps; ++i) meet.wait(); };
  std::vector<double> ns;
  for (int round = 0; round < 11; ++round)
    ns.push_back(1e9 * ts::benchmarks::seconds([&] {
      std::thread other(rounds);
      rounds();
      other.join();
    }) / steps);
  std::printf("%-28s            2 threads  %8.1f ns\n", "barrier", ts::benchmarks::median(ns));
}

constexpr int n = 2048;
constexpr ts::tensor<"r", float, ts::shape<n, n>, ts::by_rows> r;
constexpr ts::tensor<"c", float, ts::shape<n, n>, ts::by_cols> c;
constexpr auto relayout = ts::program<ts::machines::host<8>>([] {
  return ts::sequence(ts::inputs(r), ts::outputs(c), ts::copy(r, c));
});

void time_exchange() {
  std::vector<float> from(std::size_t{n} * n, 1.0f), to(from.size());
  ts::engine engine(relayout);
  engine.write(r, from);
  auto const t = ts::benchmarks::alternate(15, [&] { engine.run(); },
                                           [&] { std::memcpy(to.data(), from.data(), from.size() * sizeof(float)); });
  double const gigabytes = 2e-9 * static_cast<double>(from.size()) * sizeof(float);
  std::printf("exchange, rows to columns  16 MiB  %6.2f GB/s   memcpy %6.2f GB/s   ratio %.2f\n", gigabytes / t.ours,
              gigabytes / t.theirs, t.ratio);
}

}  // namespace

int main() {
  time_barrier();
  time_step("own blocks, no barrier", own<2>, 1, 2);
  time_step("own blocks, no barrier", own<2>, 2, 2);
  time_step("own blocks, no barrier", own<64>, 1, 64);
  time_step("a barrier each", from_neighbour<2>, 1, 2);
  time_step("a barrier each", from_neighbour<2>, 2, 2);
  time_step("a barrier each", from_neighbour<64>, 2, 64);
  time_exchange();
}

// SPDX-License-Identifier: Apache-2.0
// Heat on a 2048 x 2048 grid, 50 sweeps, against a hand-written double-buffered loop over the same kernel.
// Prints milliseconds, the ratio ours ÷ by hand, and the bytes that the exchange copies.
#include <cstdio>
#include <thread>
#include <vector>

#include <tessera/simd/tail.hpp>
#include <tessera/tile.hpp>

#include "../rounds.hpp"

namespace ts = tessera;
namespace simd = tessera::simd;

namespace {

constexpr int n = 2048;
constexpr int sweeps = 50;

/// One row of a sweep: the mean of the four neighbours; the first and the last element stay.
inline void sweep_row(float const* above, float const* row, float const* below, float* out) {
  out[0] = row[0];
  simd::for_each_batch<float>(n - 2, [&](int j, auto count) {
    auto const sum = (simd::load(above + 1 + j, count) + simd::load(below + 1 + j, count)) +
                     (simd::load(row + j, count) + simd::load(row + 2 + j, count));
    simd::store(out + 1 + j, sum * simd::broadcast(0.25f), count);
  });
  out[n - 1] = row[n - 1];
}

struct jacobi {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(jacobi, u, v);
  void compute() const {
    auto const in = unchecked(u);
    auto const out = unchecked(v);
    for (int r = 0; r < v.rows(); ++r) {
      int const at = r + u.before(0);
      bool const edge = v.tensor_row(r) == 0 || v.tensor_row(r) == n - 1;
      if (edge) std::copy_n(in.row(at), n, out.row(r));
      else sweep_row(in.row(at - 1), in.row(at), in.row(at + 1), out.row(r));
    }
  }
};

constexpr ts::tensor<"u", float, ts::shape<n, n>, ts::by_rows> u;
constexpr ts::tensor<"v", float, ts::shape<n, n>, ts::by_rows> v;

constexpr auto ping_pong = ts::program<ts::machines::host<8>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(u),
                      ts::repeat<sweeps / 2>(ts::execute<jacobi>(ts::halo<1>(u), v),
                                             ts::execute<jacobi>(ts::halo<1>(v), u)));
});
constexpr auto with_copy = ts::program<ts::machines::host<8>>([] {
  return ts::sequence(ts::inputs(u), ts::outputs(u),
                      ts::repeat<sweeps>(ts::execute<jacobi>(ts::halo<1>(u), v), ts::copy(v, u)));
});

/// Bytes that accesses and copies of a program move in one run: what is neither a view nor a swap.
template <class Program>
constexpr bool moves_nothing(Program) {
  using plan = ts::planned<Program>;
  for (int i = 0; i < Program::counts.accesses; ++i)
    if (plan::exchange.access[i].form != ts::field_form::view) return false;
  for (int s = 0; s < Program::counts.steps; ++s)
    if (Program::records.steps[s].kind == ts::step_kind::copy && !plan::swaps.swap[s]) return false;
  return true;
}
static_assert(moves_nothing(ping_pong) && moves_nothing(with_copy));

/// The same by hand: `threads` threads with a part of the rows each, meeting after every sweep.
class by_hand {
 public:
  by_hand(int threads, std::vector<float> const& start) : threads_(threads), meet_(threads, true) {
    grid_[0] = start;
    grid_[1] = start;
  }
  void run() {
    std::vector<std::thread> team;
    for (int k = 1; k < threads_; ++k) team.emplace_back([this, k] { part(k); });
    part(0);
    for (auto& t : team) t.join();
  }
  std::vector<float> const& result() const { return grid_[0]; }

 private:
  void part(int k) {
    int const first = n * k / threads_, last = n * (k + 1) / threads_;
    for (int s = 0; s < sweeps; ++s) {
      float const* const in = grid_[s % 2].data();
      float* const out = grid_[(s + 1) % 2].data();
      for (int r = first; r < last; ++r) {
        float const* const row = in + std::ptrdiff_t{r} * n;
        if (r == 0 || r == n - 1) std::copy_n(row, n, out + std::ptrdiff_t{r} * n);
        else sweep_row(row - n, row, row + n, out + std::ptrdiff_t{r} * n);
      }
      meet_.wait();
    }
  }
  int threads_;
  ts::barrier meet_;
  std::vector<float> grid_[2];
};

template <class Program>
void compare(char const* name, Program program, int threads) {
  std::vector<float> start(std::size_t{n} * n);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i * 7919 % 1000);
  ts::engine engine(program, {.threads = threads});
  engine.write(u, start);
  by_hand hand(threads, start);
  auto const r = ts::benchmarks::alternate(11, [&] { engine.run(); }, [&] { hand.run(); });
  bool const equal = engine.read(u) == hand.result();
  std::printf("%-10s %d thread%s  %7.2f ms  by hand %7.2f ms  ratio %.3f  exchange copies 0 bytes  results %s\n", name,
              threads, threads == 1 ? " " : "s", 1e3 * r.ours, 1e3 * r.theirs, r.ratio, equal ? "equal" : "DIFFER");
}

}  // namespace

int main() {
  for (int threads : {1, 2}) {
    compare("ping-pong", ping_pong, threads);
    compare("copy(v, u)", with_copy, threads);
  }
}

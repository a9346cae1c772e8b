// SPDX-License-Identifier: Apache-2.0
// The matrix product on raw pointers: C = epilogue(A B) or epilogue(C + A B), with B packed in panels.
//
//   gemm_block({.rows = m, .columns = n, .depth = k, .a = a, .a_stride = k, .b = panels, .c = c, .c_stride = n},
//              [&](auto sum, int row, int column, auto count) { return sum + simd::load(bias + column, count); });
//
// A is read in place. A *panel* is `gemm_tile.columns` columns of B, depth after depth: element (k, n) of B stands at
// b[(n / NR) * depth * NR + k * NR + n % NR], columns beyond the last are zero (pack.hpp makes panels). A block of C of
// `gemm_tile` size stays in registers while the depth is walked.
#pragma once

#include <tessera/base/ahead.hpp>
#include <tessera/simd/convert.hpp>
#include <tessera/simd/tail.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tessera {
TESSERA_ISA_BEGIN
namespace codelets::detail {

/// Rows and columns of the block of C that is held in registers.
struct gemm_tile_shape {
  int rows, columns;
};

/// The register tile of this instruction set: accumulators, one row of a panel and one element of A fit its registers.
#if defined(__AVX512F__)
inline constexpr gemm_tile_shape gemm_tile{14, 32};  // 28 + 2 + 1 of 32 registers
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr gemm_tile_shape gemm_tile{6, 16};  // 12 + 2 + 1 of 16
#elif defined(__aarch64__)
inline constexpr gemm_tile_shape gemm_tile{6, 16};  // 24 + 4 + 1 of 32
#elif defined(__AVX__)
inline constexpr gemm_tile_shape gemm_tile{5, 16};  // 10 + 2 + 1 of 16, and products that need one of their own
#else
inline constexpr gemm_tile_shape gemm_tile{5, 8};  // 10 + 2 + 1 of 16, and products that need one of their own
#endif

/// Rows of the block with weights of that type: narrow ones take a register for a mask, which AVX-512 has not to spare.
template <class Weight>
inline constexpr int gemm_rows = gemm_tile.rows - (sizeof(Weight) == 2 && gemm_tile.columns == 32 ? 1 : 0);

/// The longest depth that is walked before C is put down. On AVX-512 a panel of it streams from the second-level cache
/// while `gemm_tile.rows` rows of A stay in the first; elsewhere the panel (24 KiB on AVX2) stays in the first as well.
inline constexpr int gemm_depth_slice = gemm_tile.columns == 32 ? 1024 : 384;

/// Bytes of B that stay in the second-level cache while all rows of A pass: two thirds of a core's working set, and
/// more on AVX-512, whose cores have at least 1 MiB there.
inline constexpr std::ptrdiff_t gemm_panel_bytes = gemm_tile.columns == 32 ? 768 * 1024 : 256 * 1024;

/// Depth between prefetches of what comes next.
inline constexpr int prefetch_depth = 4;
/// Floats in a cache line.
inline constexpr int line_of_floats = 16;
/// So often something is prefetched while a cache line of A is multiplied.
inline constexpr int prefetches_a_line = line_of_floats / prefetch_depth;

/// Panels that `columns` columns need.
constexpr int gemm_panels(int columns) { return (columns + gemm_tile.columns - 1) / gemm_tile.columns; }
/// Floats that the panels of a `depth` × `columns` matrix need.
constexpr std::ptrdiff_t gemm_packed_size(int depth, int columns) {
  return std::ptrdiff_t{gemm_panels(columns)} * depth * gemm_tile.columns;
}

/// The epilogue that stores the sum itself.
struct store_sum {
  TESSERA_INLINE simd::batch<float> operator()(simd::batch<float> const& sum, int, int, auto) const { return sum; }
};

/// What one call of a kernel works on: Rows × (Panels · NR) elements of C.
struct gemm_step {
  float const* a;  // (Rows, depth)
  std::ptrdiff_t a_stride;
  void const* b;                // (Panels, depth, NR) of the kernel's Weight
  std::ptrdiff_t panel_stride;  // from panel to panel
  float* c;                     // (Rows, columns)
  std::ptrdiff_t c_stride;
  float const* ahead;  // rows to prefetch meanwhile, those below say …
  std::ptrdiff_t ahead_stride;
  int ahead_rows;         // … of which so many are looked at each `prefetch_depth` of the depth
  std::byte const* next;  // the panels that come after these …
  int next_lines;         // … of which so many cache lines are fetched each `prefetch_depth` of the depth
  int depth;
  int row, column;  // of c[0] in the whole of C, for the epilogue
  int columns;      // columns to store, at most Panels · NR
  bool add;         // C holds a sum already
};

/// One register block: sums over the depth in registers, then one store. Weights of bf16 become floats in registers,
/// two vectors of every second column each; sums are put in order when they are stored.
template <int Rows, int Panels, class Weight>
TESSERA_NOINLINE void gemm_kernel(gemm_step const& parameters) {
  using simd::batch;
  constexpr int width = simd::lanes<float>;
  constexpr int vectors = gemm_tile.columns / width;  // of one panel
  static_assert(vectors % 2 == 0, "weights of bf16 fill two vectors at a time");
  gemm_step const step = parameters;                  // a copy, which stores to C cannot change
  bool const full = step.columns == Panels * gemm_tile.columns;
  auto const lanes_of = [&](int v) { return std::clamp(step.columns - v * width, 0, width); };

  batch<float> sum[Rows][Panels * vectors];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
    for (int v = 0; v < Panels * vectors; ++v) sum[r][v] = batch<float>(0.0f);

  for (int r = 0; r < Rows; ++r)
    for (int line = 0; line < Panels * gemm_tile.columns; line += 16) simd::prefetch(step.c + r * step.c_stride + line);

  // A pointer for two rows: [p] and [p + stride] are addresses the hardware forms itself, so that the rows of the largest
  // tile need eight integer registers. The empty assembly keeps compilers from undoing that; single variables, since GCC
  // 12 at -O3 leaves an array of pointers in memory.
  static_assert(Rows <= 14);
  auto const row_pointer = [&](int r) { return step.a + (r < Rows ? r : 0) * step.a_stride; };
  float const *p0 = row_pointer(0), *p2 = row_pointer(2), *p4 = row_pointer(4), *p6 = row_pointer(6);
  float const *p8 = row_pointer(8), *p10 = row_pointer(10), *p12 = row_pointer(12);
  constexpr bool narrow = sizeof(Weight) == 2;
  constexpr int line_of_weights = 64 / static_cast<int>(sizeof(Weight));
  auto const* b = static_cast<Weight const*>(step.b);
  std::byte const* next = step.next;
  batch<float> row_of_b[Panels * vectors];
  // Instructions are what a core runs out of first that it shares with another thread of the machine. So on AVX-512 the
  // row whose address needs no index is read by the multiply-adds themselves, and pointers move once in `prefetch_depth`.
  // With few registers to spare GCC puts vectors on the stack in such a loop.
  constexpr bool unrolled = width == 16 && !narrow;
  auto const add_two_rows = [&](float const*& p, auto first, int k) __attribute__((always_inline)) {
    constexpr int r = decltype(first)::value;
    if constexpr (r < Rows) {
      asm("" : "+r"(p));
#pragma GCC unroll 16
      for (int v = 0; v < Panels * vectors; ++v) simd::add_product(sum[r][v], p[k], row_of_b[v]);
    }
    if constexpr (r + 1 < Rows) {
      batch<float> const element = simd::broadcast(p[step.a_stride + k]);
#pragma GCC unroll 16
      for (int v = 0; v < Panels * vectors; ++v) simd::add_product(sum[r + 1][v], element, row_of_b[v]);
    }
  };
  auto const add_depth = [&](int k) __attribute__((always_inline)) {
    Weight const* const row = b + k * gemm_tile.columns;
#pragma GCC unroll 16
    for (int v = 0; v < Panels * vectors; v += narrow ? 2 : 1) {
      Weight const* const at = row + (v / vectors) * step.panel_stride + (v % vectors) * width;
      if constexpr (narrow) simd::load_alternating(at, row_of_b[v], row_of_b[v + 1]);
      else row_of_b[v] = simd::load(at);
    }
    // B streams from the second-level cache, or the third: 24 rows ahead, one cache line at a time.
#pragma GCC unroll 16
    for (int panel = 0; panel < Panels; ++panel)
#pragma GCC unroll 16
      for (int column = 0; column < gemm_tile.columns; column += line_of_weights)
        simd::prefetch(row + panel * step.panel_stride + 24 * gemm_tile.columns + column);
    add_two_rows(p0, std::integral_constant<int, 0>{}, k);
    add_two_rows(p2, std::integral_constant<int, 2>{}, k);
    add_two_rows(p4, std::integral_constant<int, 4>{}, k);
    add_two_rows(p6, std::integral_constant<int, 6>{}, k);
    add_two_rows(p8, std::integral_constant<int, 8>{}, k);
    add_two_rows(p10, std::integral_constant<int, 10>{}, k);
    add_two_rows(p12, std::integral_constant<int, 12>{}, k);
  };
  auto const advance = [&](int k) __attribute__((always_inline)) {
    b += k * gemm_tile.columns;
    p0 += k, p2 += k, p4 += k, p6 += k, p8 += k, p10 += k, p12 += k;
  };
  // What comes next is fetched a few lines at a time, since a core waits for few at once: the lines of the rows ahead,
  // which are too short for hardware to follow, and the panels.
  float const* ahead = step.ahead;
  int depth = step.depth;
  for (; depth >= line_of_floats; depth -= line_of_floats) {
    float const* row_ahead = ahead;
    ahead += line_of_floats;
#pragma GCC unroll 1
    for (int part = prefetches_a_line; part > 0; --part) {
      for (int row = step.ahead_rows; row > 0; --row, row_ahead += step.ahead_stride) simd::prefetch(row_ahead);
      for (int line = step.next_lines; line > 0; --line, next += 64) simd::prefetch_second_level(next);
      if constexpr (unrolled) {
#pragma GCC unroll 4
        for (int k = 0; k < prefetch_depth; ++k) add_depth(k);
        advance(prefetch_depth);
      } else {
#pragma GCC unroll 1
        for (int k = prefetch_depth; k > 0; --k) {
          add_depth(0);
          advance(1);
        }
      }
    }
  }
#pragma GCC unroll 1
  for (; depth > 0; --depth) {
    add_depth(0);
    advance(1);
  }

  if constexpr (narrow)
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
      for (int v = 0; v < Panels * vectors; v += 2) simd::interleave(sum[r][v], sum[r][v + 1]);
  auto const finish = [&](batch<float> value, int r, int first, auto count) {
    float* const to = step.c + r * step.c_stride + first;
    if (step.add) value = value + simd::load(to, count);
    simd::store(to, value, count);
  };
  if (full) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
      for (int v = 0; v < Panels * vectors; ++v) finish(sum[r][v], r, v * width, simd::whole<float>{});
  } else {
#pragma GCC unroll 16
    for (int v = 0; v < Panels * vectors; ++v) {
      int const count = lanes_of(v);
      if (count == 0) break;
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) finish(sum[r][v], r, v * width, count);
    }
  }
}

/// The product of one block on one core; B fits wherever it fits, the loops keep the panels in use in the caches.
struct gemm_operands {
  int rows, columns, depth;  // M, N, K
  float const* a;            // (M, K)
  std::ptrdiff_t a_stride;   // elements from row to row, at least K
  void const* b;             // panels: (ceil(N / NR), K, NR) of Weight
  float* c;                  // (M, N)
  std::ptrdiff_t c_stride;   // elements from row to row, at least N
  bool accumulate = false;   // C += instead of C =
  memory_ahead ahead = {};   // panels of another product, to be fetched while the last panels here are in use
};

namespace gemm {
/// Panels that come next, fetched from memory while those of a group are in use: evenly, so that the arithmetic hides
/// it. Without it the first block of rows waits for every panel.
class next_panels {
 public:
  /// @param first   the first panel's part that will be read
  /// @param bytes   of that part, and as many of each of the other panels, `stride` bytes apart
  /// @param calls   kernels that will run meanwhile, each over `depth`
  next_panels(void const* first, std::ptrdiff_t bytes, std::ptrdiff_t stride, int panels, int depth,
              std::ptrdiff_t calls)
      : at_(static_cast<std::byte const*>(first)),
        lines_(bytes / line),
        left_(lines_),
        stride_(stride),
        panels_(bytes > 0 ? panels : 0),
        times_(std::max(1, depth / line_of_floats * prefetches_a_line)),
        lines_a_time_((lines_ * panels_ + calls * times_ - 1) / (calls * times_)) {}
  /// The share of the next kernel, which is within one panel.
  void share(gemm_step& step) {
    std::ptrdiff_t const wanted = panels_ > 0 ? std::min(lines_a_time_, (left_ + times_ - 1) / times_) : 0;
    step.next = at_ + (lines_ - left_) * line;
    step.next_lines = static_cast<int>(wanted);
    left_ -= wanted * times_;
    if (left_ > 0 || panels_ == 0) return;
    --panels_;
    at_ += stride_;
    left_ = lines_;
  }

 private:
  static constexpr std::ptrdiff_t line = 64;
  std::byte const* at_;
  std::ptrdiff_t lines_, left_, stride_;
  int panels_;
  std::ptrdiff_t times_, lines_a_time_;
};

using kernel_pointer = void (*)(gemm_step const&);

// Few rows need several panels at once: eight sums hide the latency of a fused multiply-add on two pipes.
constexpr int panels_at_once(int rows) {
  int const vectors = gemm_tile.columns / simd::lanes<float>;
  return rows * vectors >= 8 || rows > 3 ? 1 : rows == 3 ? 2 : 4;
}

template <class Weight>
kernel_pointer kernel_for(int rows, bool several_panels) {
  static constexpr auto one = []<int... R>(std::integer_sequence<int, R...>) {
    return std::array<kernel_pointer, sizeof...(R)>{&gemm_kernel<R + 1, 1, Weight>...};
  }(std::make_integer_sequence<int, gemm_rows<Weight>>{});
  static constexpr std::array<kernel_pointer, 3> several{
      &gemm_kernel<1, panels_at_once(1), Weight>, &gemm_kernel<2, panels_at_once(2), Weight>,
      &gemm_kernel<3, panels_at_once(3), Weight>};
  auto const index = static_cast<std::size_t>(rows - 1);
  return several_panels ? several[index] : one[index];
}

/// The epilogue over a block that was just stored. A loop of its own: the block is in the first-level cache, and so the
/// register kernels, which cost compilers the most, exist once and not once an epilogue.
template <class Epilogue>
void finish(gemm_step const& step, int rows, Epilogue const& epilogue) {
  if constexpr (!std::is_same_v<Epilogue, store_sum>) {
    for (int r = 0; r < rows; ++r) {
      float* const c = step.c + r * step.c_stride;
      simd::for_each_batch<float>(step.columns, [&](int j, auto count) {
        simd::store(c + j, epilogue(simd::load(c + j, count), step.row + r, step.column + j, count), count);
      });
    }
  }
}

// Rows whose distance is a multiple of 4 KiB share one set of a first-level cache and evict each other.
constexpr bool rows_collide(std::ptrdiff_t stride, int rows) { return rows > 4 && stride % 1024 == 0; }
}  // namespace gemm

/// The left operand as it lies in memory: rows `a_stride` apart.
struct rows_in_place {};

/// C = epilogue(A B), or epilogue(C + A B) with `accumulate`. Loops, outermost first: slices of the depth; groups of
/// panels that fit `gemm_panel_bytes`; blocks of rows, as equal as possible; panels of the group.
/// @param epilogue  (batch sum, int row, int column, count) -> batch; called once for each element of C, `count` lanes
///                  of row `row` from `column` on; may read other operands, not C, and fetch what it will read of a
///                  block of rows beforehand: expect(int row, int rows, int column)
/// @param left      rows_in_place, or what makes the rows of A when they are wanted, for operands that are not there as
///                  a matrix: left(first_row, rows, first_k, depth, to, stride) writes that part of A to `to`
/// @tparam Weight   float or bf16: what B is stored in; sums are of float
template <class Weight = float, class Epilogue = store_sum, class Left = rows_in_place>
void gemm_block(gemm_operands const& x, Epilogue const& epilogue = {}, Left const& left = {}) {
  constexpr bool in_place = std::is_same_v<Left, rows_in_place>;
  constexpr int panel_columns = gemm_tile.columns;
  constexpr int padded_slice = gemm_depth_slice + 16;
  alignas(64) float rows_of_a[gemm_tile.rows * padded_slice];

  if (x.rows == 0) return;
  auto const* const weights = static_cast<Weight const*>(x.b);
  int const panels = gemm_panels(x.columns);
  int const slices = std::max(1, (x.depth + gemm_depth_slice - 1) / gemm_depth_slice);
  int const blocks = (x.rows + gemm_rows<Weight> - 1) / gemm_rows<Weight>;
  int const slice_depth = (x.depth + slices - 1) / slices;
  std::ptrdiff_t const panel_bytes = std::ptrdiff_t{sizeof(Weight)} * std::max(slice_depth, 1) * panel_columns;
  int const fitting = static_cast<int>(std::max<std::ptrdiff_t>(1, gemm_panel_bytes / panel_bytes));
  int const groups = blocks == 1 ? 1 : (panels + fitting - 1) / fitting;
  int const group = groups == 0 ? 1 : (panels + groups - 1) / groups;   // as equal as possible

  for (int slice = 0; slice < slices; ++slice) {
    int const k = slice * slice_depth;
    gemm_step step{};
    step.depth = std::min(slice_depth, x.depth - k);
    step.panel_stride = std::ptrdiff_t{x.depth} * panel_columns;
    step.c_stride = x.c_stride;
    step.ahead_stride = x.a_stride;
    step.add = x.accumulate || slice > 0;
    for (int first = 0; first < panels; first += group) {
      int const last = std::min(panels, first + group);
      // What comes next: another group, or the first one in the next slice; at the end, another product.
      int const at_most = (x.rows + blocks - 1) / blocks;   // rows of a block
      std::ptrdiff_t const calls =
          std::max<std::ptrdiff_t>(1, std::ptrdiff_t{blocks} * (last - first) / gemm::panels_at_once(at_most));
      bool const ends = last == panels && slice == slices - 1;
      int const from = last < panels ? last : 0;
      int const next_k = last < panels ? k : k + slice_depth;
      auto next = ends ? gemm::next_panels(x.ahead.data, std::min(x.ahead.bytes, gemm_panel_bytes), 0, 1, step.depth,
                                           calls)
                       : gemm::next_panels(weights + from * step.panel_stride + std::ptrdiff_t{next_k} * panel_columns,
                                           panel_bytes, std::ptrdiff_t{sizeof(Weight)} * step.panel_stride,
                                           std::min({group, fitting, panels - from}), step.depth, calls);
      for (int block = 0, row = 0; block < blocks; ++block) {
        int const rows = x.rows / blocks + (block < x.rows % blocks ? 1 : 0);
        step.row = row;
        bool const more_rows = in_place && block + 1 < blocks;
        if constexpr (in_place) {
          step.a = x.a + row * x.a_stride + k;
          step.a_stride = x.a_stride;
        } else {
          left(row, rows, k, step.depth, rows_of_a, padded_slice);
          step.a = rows_of_a;
          step.a_stride = padded_slice;
        }
        step.ahead = step.a + (more_rows ? rows * x.a_stride : 0);
        if (in_place && gemm::rows_collide(x.a_stride, rows)) {
          for (int r = 0; r < rows; ++r)
            std::memcpy(rows_of_a + r * padded_slice, step.a + r * x.a_stride,
                        static_cast<std::size_t>(step.depth) * sizeof(float));
          step.a = rows_of_a;
          step.a_stride = padded_slice;
        }
        int const at_once = gemm::panels_at_once(rows);
        auto const run = [&](int panel, int count) {
          step.b = weights + panel * step.panel_stride + std::ptrdiff_t{k} * panel_columns;
          step.column = panel * panel_columns;
          step.columns = std::min(count * panel_columns, x.columns - step.column);
          step.c = x.c + row * x.c_stride + step.column;
          step.ahead_rows = panel == first && more_rows ? (rows + prefetches_a_line - 1) / prefetches_a_line : 0;
          next.share(step);
          if constexpr (requires { epilogue.expect(row, rows, step.column); })
            if (slice == slices - 1) epilogue.expect(row, rows, step.column);
          gemm::kernel_for<Weight>(rows, count > 1)(step);
          if (slice == slices - 1) gemm::finish(step, rows, epilogue);
        };
        int panel = first;
        if (at_once > 1)
          for (; panel + at_once <= last; panel += at_once) run(panel, at_once);
        for (; panel < last; ++panel) run(panel, 1);
        row += rows;
      }
    }
  }
}
}  // namespace codelets::detail
TESSERA_ISA_END
}  // namespace tessera

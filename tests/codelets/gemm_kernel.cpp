// SPDX-License-Identifier: Apache-2.0
#include "../reference/loops.hpp"
#include <tessera/codelets/detail/gemm_kernel.hpp>
#include <tessera/codelets/detail/pack.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace kernels = tessera::codelets::detail;
namespace simd = tessera::simd;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A product with guard bands round C: sizes, strides and order of B as a case says.
struct product {
  int m, n, k;
  int a_padding = 0, c_padding = 0;
  bool transposed = false, accumulate = false;
  bool narrow = false;   // B is stored in bf16

  template <class Epilogue, class Expected>
  void check(Epilogue const& epilogue, Expected const& expected) const {
    INFO("m ", m, " n ", n, " k ", k, " transposed ", transposed, " accumulate ", accumulate);
    int const lda = k + a_padding, ldc = n + c_padding;
    auto const dense_a = reference::numbers(at(m) * at(k), 1);
    auto b = reference::numbers(at(k) * at(n), 2);
    if (narrow)
      for (float& value : b) value = static_cast<float>(tessera::bf16(value));
    std::vector<float> a(at(m) * at(lda), std::numeric_limits<float>::quiet_NaN());
    for (int i = 0; i < m; ++i)
      for (int p = 0; p < k; ++p) a[at(i * lda + p)] = dense_a[at(i * k + p)];
    std::vector<float> panels(static_cast<std::size_t>(kernels::gemm_packed_size(k, n)),
                              std::numeric_limits<float>::quiet_NaN());
    auto const stored = transposed ? reference::transpose(b, at(k), at(n)) : b;
    int const all = kernels::gemm_panels(n);
    for (int first = 0; first < all; first += 2) {  // in pieces, as several workers would
      int const last = std::min(all, first + 2);
      if (transposed) kernels::pack_transposed_panels(stored.data(), k, k, n, panels.data(), first, last);
      else kernels::pack_panels(stored.data(), n, k, n, panels.data(), first, last);
    }
    std::vector<float> c(at(m) * at(ldc), 7.0f);
    std::vector<tessera::bf16> narrow_panels(panels.size());
    simd::from_float(panels.data(), narrow_panels.data(), static_cast<int>(panels.size()));
    kernels::gemm_operands const operands{.rows = m,
                                          .columns = n,
                                          .depth = k,
                                          .a = a.data(),
                                          .a_stride = lda,
                                          .b = narrow ? static_cast<void const*>(narrow_panels.data()) : panels.data(),
                                          .c = c.data(),
                                          .c_stride = ldc,
                                          .accumulate = accumulate};
    if (narrow) kernels::gemm_block<tessera::bf16>(operands, epilogue);
    else kernels::gemm_block(operands, epilogue);
    auto const sum = reference::matmul(dense_a, b, at(m), at(k), at(n));
    double worst = 0.0;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double const want = expected(sum[at(i * n + j)] + (accumulate ? 7.0 : 0.0), i, j);
        double const error = std::abs(double{c[at(i * ldc + j)]} - want);
        worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
      }
      for (int j = n; j < ldc; ++j) CHECK(c[at(i * ldc + j)] == 7.0f);
    }
    CHECK(worst <= 1e-6 * (std::sqrt(k) + 8.0));
  }
  void check() const {
    check(kernels::store_sum{}, [](double sum, int, int) { return sum; });
  }
};

}  // namespace

TEST_CASE("gemm agrees with plain loops on every row count and odd sizes") {
  for (int m = 1; m <= 2 * kernels::gemm_tile.rows + 3; ++m) product{.m = m, .n = 37, .k = 19}.check();
  for (int n : {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 200})
    for (int m : {1, 2, 3, 5, 16}) product{.m = m, .n = n, .k = 11}.check();
  for (int k : {1, 2, 7, 15, 16, 17, 31, 64, 511, 512, 513, 1025}) product{.m = 9, .n = 40, .k = k}.check();
}

TEST_CASE("a product without rows, columns or depth") {
  product{.m = 0, .n = 5, .k = 3}.check();
  product{.m = 5, .n = 0, .k = 3}.check();
  product{.m = 5, .n = 40, .k = 0}.check();
}

TEST_CASE("whatever comes next, wherever it lies, a product is the same") {
  std::vector<std::byte> elsewhere(1 << 20);
  for (int m : {1, 2, 3, 9, 40})
    for (int n : {1, 40, 300})
      for (int k : {1, 5, 1100}) {
        auto const a = reference::numbers(at(m) * at(k), 1), b = reference::numbers(at(k) * at(n), 2);
        std::vector<float> panels(static_cast<std::size_t>(kernels::gemm_packed_size(k, n)));
        kernels::pack_panels(b.data(), n, k, n, panels.data(), 0, kernels::gemm_panels(n));
        std::vector<float> first;
        for (std::ptrdiff_t const bytes : {std::ptrdiff_t{0}, std::ptrdiff_t{64}, std::ptrdiff_t{1} << 20}) {
          std::vector<float> c(at(m) * at(n));
          kernels::gemm_block({.rows = m, .columns = n, .depth = k, .a = a.data(), .a_stride = k, .b = panels.data(),
                               .c = c.data(), .c_stride = n, .ahead = {bytes > 0 ? elsewhere.data() : nullptr, bytes}});
          if (first.empty()) first = c;
          CHECK(c == first);
        }
      }
}

TEST_CASE("what comes next is fetched once, evenly, and little beside it") {
  std::vector<std::byte> memory(1 << 20);
  for (int const panels : {0, 1, 3, 8})
    for (int const lines : {24, 96, 101})
      for (int const depth : {1, 9, 16, 47})
        for (int const calls : {8, 13, 80}) {
          INFO("panels ", panels, " lines ", lines, " depth ", depth, " calls ", calls);
          std::ptrdiff_t const stride = 64 * (lines + 50);
          kernels::gemm::next_panels next(memory.data(), 64 * lines, stride, panels, depth, calls);
          int const times = std::max(1, depth / kernels::line_of_floats * kernels::prefetches_a_line);
          std::vector<int> fetched(at(panels) * at(lines) + 1);
          int most = 0, outside = 0;
          for (int call = 0; call < 2 * calls; ++call) {
            kernels::gemm_step step{};
            next.share(step);
            most = std::max(most, step.next_lines);
            for (int i = 0; i < step.next_lines * times; ++i) {
              std::ptrdiff_t const place = step.next - memory.data() + 64 * i;
              if (place / stride < panels && place % stride / 64 < lines)
                ++fetched[at(static_cast<int>(place / stride)) * at(lines) + at(static_cast<int>(place % stride / 64))];
              else ++outside;
            }
          }
          fetched.back() = 1;
          CHECK(*std::min_element(fetched.begin(), fetched.end()) == 1);
          CHECK(*std::max_element(fetched.begin(), fetched.end()) == 1);
          CHECK(outside < std::max(1, panels) * times);   // of each panel, what the last call has too many of
          CHECK(most <= (lines * panels + calls * times - 1) / (calls * times));
        }
}

TEST_CASE("gemm reads weights of bf16 exactly") {
  for (int m = 1; m <= kernels::gemm_tile.rows + 2; ++m)
    for (int n : {1, 7, 31, 37, 64, 129}) product{.m = m, .n = n, .k = 19, .narrow = true}.check();
  for (int k : {1, 16, 511, 1025, 2100}) product{.m = 30, .n = 40, .k = k, .narrow = true}.check();
  product{.m = 30, .n = 70, .k = 40, .transposed = true, .accumulate = true, .narrow = true}.check();
}

TEST_CASE("gemm reads rows apart, writes rows apart, and touches nothing between") {
  for (int m : {1, 13, 14, 29}) {
    product{.m = m, .n = 45, .k = 33, .a_padding = 5, .c_padding = 3}.check();
    product{.m = m, .n = 64, .k = 512, .a_padding = 512, .c_padding = 1}.check();  // rows that collide in a cache
  }
}

TEST_CASE("gemm takes B transposed") {
  for (int n : {1, 5, 8, 31, 32, 33, 77})
    for (int k : {1, 3, 8, 21, 64}) product{.m = 6, .n = n, .k = k, .transposed = true}.check();
}

TEST_CASE("gemm adds to C, also over several slices of the depth") {
  for (int k : {5, 512, 1100})
    for (int m : {1, 2, 3, 17}) product{.m = m, .n = 50, .k = k, .accumulate = true}.check();
}

TEST_CASE("the epilogue sees each element once, with its row and column") {
  auto const bias = reference::numbers(4096, 3);
  for (int k : {8, 600})
    for (int m : {1, 2, 3, 4, 15, 40})
      for (int n : {1, 33, 70, 300}) {
        auto const residual = reference::numbers(at(m) * at(n), 4);
        product{.m = m, .n = n, .k = k, .c_padding = 2}.check(
            [&](auto sum, int row, int column, auto count) {
              return sum + simd::load(bias.data() + column, count) +
                     simd::load(residual.data() + row * n + column, count);
            },
            [&](double sum, int i, int j) { return sum + double{bias[at(j)]} + double{residual[at(i * n + j)]}; });
      }
}

TEST_CASE("padding columns of a panel are zero") {
  int const k = 5, n = kernels::gemm_tile.columns + 3;
  auto const b = reference::numbers(at(k) * at(n));
  for (bool transposed : {false, true}) {
    std::vector<float> panels(static_cast<std::size_t>(kernels::gemm_packed_size(k, n)), 9.0f);
    auto const bt = reference::transpose(b, at(k), at(n));
    if (transposed) kernels::pack_transposed_panels(bt.data(), k, k, n, panels.data(), 0, 2);
    else kernels::pack_panels(b.data(), n, k, n, panels.data(), 0, 2);
    for (int p = 0; p < k; ++p)
      for (int j = 0; j < 2 * kernels::gemm_tile.columns; ++j) {
        int const panel = j / kernels::gemm_tile.columns, column = j % kernels::gemm_tile.columns;
        CHECK(panels[at((panel * k + p) * kernels::gemm_tile.columns + column)] == (j < n ? b[at(p * n + j)] : 0.0f));
      }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Fields: what a vertex sees of the world. A field is a view of a box of a tensor that knows its place in it.
//
//   ts::input<float, 2> u;      u(i, j)   u.row(i)   u.tensor_row(i)
//   ts::output<float, 2> v;     v(i, j) = 1.0f;   v.row(i).store(j, batch);   reading it does not compile
#pragma once

#include <cstddef>
#include <type_traits>

#include <tessera/base/config.hpp>
#include <tessera/program/detail/checked_index.hpp>
#include <tessera/program/records.hpp>
#include <tessera/program/rules.hpp>

namespace tessera {

template <class T, int Rank = 1>
class output;

/// Pointer and row stride of a field, without any check: for codelets.
template <class T>
struct unchecked_view {
  T* data = nullptr;
  std::ptrdiff_t stride = 0;   ///< elements from one row (index of dimension 0) to the next

  T* row(int i) const { return data + i * stride; }
};

// Rules of a field's arguments are functions: clang takes a class in which an assertion failed for one without members,
// and what follows from that hides the message.
namespace detail {

template <int Rank>
constexpr int rank_of_field() {
  constexpr bool valid = Rank >= 1 && Rank <= max_rank;
  static_assert(valid, "tessera: a field has 1 to 4 dimensions (docs/errors/argument_in_range.md)");
  return valid ? Rank : 1;
}

template <class Layout, int Rank>
constexpr layout_record layout_of_field() {
  constexpr bool valid = Layout::record.is_row_major() || Rank == 2;
  static_assert(valid, "tessera: layouts other than row_major are of rank 2 (docs/errors/argument_in_range.md)");
  return valid ? Layout::record : row_major::record;
}

template <class T, int N>
constexpr std::int64_t bytes_of_scratch() {
  constexpr bool valid = std::is_trivially_copyable_v<T> && N >= 1;
  static_assert(valid, "tessera: scratch<T, N> holds N >= 1 trivial elements (docs/errors/argument_in_range.md)");
  return valid ? (std::int64_t{sizeof(T)} * N + 63) / 64 * 64 : 64;
}

}  // namespace detail

/// Extents and place of a field in its tensor; the base of all edge fields.
template <int Rank>
class placed {
 public:
  static constexpr int rank = detail::rank_of_field<Rank>();
  static constexpr bool rank_is_valid = rank == Rank;

  /// Elements in dimension d.
  int extent(int d) const { return extent_[d]; }
  /// Elements in dimension 0, halo included.
  int rows() const { return extent_[0]; }
  /// Elements in dimension 1, halo included.
  int cols() const requires(Rank >= 2) { return extent_[1]; }
  /// Number of elements.
  std::ptrdiff_t size() const {
    std::ptrdiff_t product = 1;
    for (int d = 0; d < Rank; ++d) product *= extent_[d];
    return product;
  }
  bool empty() const { return size() == 0; }

  /// The tensor's coordinate of this field's index 0 in dimension d; negative where an edge rule fills before the tensor.
  int first(int d) const { return first_[d]; }
  /// The tensor's extent in dimension d.
  int tensor_extent(int d) const { return tensor_extent_[d]; }
  int first_row() const { return first_[0]; }
  int tensor_row(int r) const { return first_[0] + r; }
  int tensor_rows() const { return tensor_extent_[0]; }
  int first_col() const requires(Rank >= 2) { return first_[1]; }
  int tensor_col(int c) const requires(Rank >= 2) { return first_[1] + c; }
  int tensor_cols() const requires(Rank >= 2) { return tensor_extent_[1]; }

  /// Halo elements there are before the own block in dimension d: at a clipped edge fewer than the radius.
  int before(int d) const { return before_[d]; }
  /// Halo elements there are after the own block in dimension d.
  int after(int d) const { return after_[d]; }

 protected:
  TESSERA_INLINE void place(field_binding const& b) {
    for (int d = 0; d < Rank; ++d) {
      extent_[d] = b.extent[d];
      stride_[d] = b.stride[d];
      first_[d] = b.first[d];
      tensor_extent_[d] = b.tensor_extent[d];
      before_[d] = b.before[d];
      after_[d] = b.after[d];
    }
  }
  TESSERA_INLINE std::ptrdiff_t row_offset(int i) const {
    detail::check_index(i, extent_[0]);
    return i * stride_[0];
  }
  template <class... Index>
  TESSERA_INLINE std::ptrdiff_t offset(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "tessera: one index a dimension (docs/errors/argument_in_range.md)");
    detail::check_indices(extent_, index...);
    int d = 0;
    std::ptrdiff_t at = 0;
    // The innermost dimension of a row-major view has stride 1: the compiler should see that.
    ((at += ++d < Rank ? index * stride_[d - 1] : std::ptrdiff_t{index}), ...);
    return at;
  }

  int extent_[Rank] = {};
  std::ptrdiff_t stride_[Rank] = {};

 private:
  int first_[Rank] = {};
  int tensor_extent_[Rank] = {};
  int before_[Rank] = {};
  int after_[Rank] = {};
};

/// One contiguous row of an input or inout field: `size()` elements, read by index or a vector at a time.
template <class T>
class row_view {
 public:
  TESSERA_INLINE row_view(T* data, int size) : data_(data), size_(size) {}
  int size() const { return size_; }
  TESSERA_INLINE T& operator[](int j) const {
    detail::check_index(j, size_);
    return data_[j];
  }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  /// Lanes j … of the row as a Batch (any type with load_unaligned, such as ts::simd::batch).
  template <class Batch>
  TESSERA_INLINE Batch load(int j) const {
    detail::check_lanes(j, static_cast<int>(Batch::size), size_);
    return Batch::load_unaligned(data_ + j);
  }
  /// Writes all lanes of a batch to elements j ….
  template <class Batch>
  TESSERA_INLINE void store(int j, Batch const& lanes) const requires(!std::is_const_v<T>) {
    detail::check_lanes(j, static_cast<int>(Batch::size), size_);
    lanes.store_unaligned(data_ + j);
  }
  /// Writes the first n lanes of a batch to elements j … j + n - 1.
  template <class Batch>
  TESSERA_INLINE void store_tail(int j, Batch const& lanes, int n) const requires(!std::is_const_v<T>) {
    detail::check_lanes(j, n, size_);
    detail::store_lanes(data_ + j, lanes, n);
  }

 private:
  T* data_;
  int size_;
};

/// One element of an output: it can be assigned, and nothing else. It is never created: a reference to it stands for
/// the element itself.
template <class T, int Rank>
class __attribute__((may_alias)) output_element {
 public:
  output_element() = delete;
  TESSERA_INLINE void operator=(T value) const { const_cast<T&>(value_) = value; }
  void operator=(output_element const&) const { refuse(); }
  output_element(output_element const&) { refuse(); }
  operator T() const {
    refuse();
    return value_;
  }
  void operator+=(T) const { refuse(); }
  void operator-=(T) const { refuse(); }
  void operator*=(T) const { refuse(); }
  void operator/=(T) const { refuse(); }

 private:
  static void refuse() {
    static_assert(field_can_be_read<output<T, Rank>>,
                  "tessera: an output is write-only; declare the field inout, or read an input "
                  "(docs/errors/field_can_be_read.md)");
  }
  T value_;
};

/// One contiguous row of an output field: written by index or a vector at a time.
template <class T, int Rank>
class output_row {
 public:
  TESSERA_INLINE output_row(T* data, int size) : data_(data), size_(size) {}
  int size() const { return size_; }
  TESSERA_INLINE output_element<T, Rank> const& operator[](int j) const {
    detail::check_index(j, size_);
    return reinterpret_cast<output_element<T, Rank> const&>(data_[j]);
  }
  /// Writes all lanes of a batch to elements j ….
  template <class Batch>
  TESSERA_INLINE void store(int j, Batch const& lanes) const {
    detail::check_lanes(j, static_cast<int>(Batch::size), size_);
    lanes.store_unaligned(data_ + j);
  }
  /// Writes the first n lanes of a batch to elements j … j + n - 1.
  template <class Batch>
  TESSERA_INLINE void store_tail(int j, Batch const& lanes, int n) const {
    detail::check_lanes(j, n, size_);
    detail::store_lanes(data_ + j, lanes, n);
  }

 private:
  T* data_;
  int size_;
  template <class U, int R>
  friend T* row_pointer(output_row<U, R> const&);
};

/// A box that the vertex reads. `Layout` is the order of the elements that the kernel wants: row_major, or for rank 2
/// padded, col_major, panels<Width> or row_panels<Width>, which the exchange produces.
template <class T, int Rank = 1, class Layout = row_major>
class input : public placed<Rank> {
 public:
  using element_type = T;
  static constexpr direction dir = direction::in;
  static constexpr layout_record layout = detail::layout_of_field<Layout, Rank>();

  /// One element.
  template <class... Index>
  TESSERA_INLINE T const& operator()(Index... index) const {
    if constexpr (layout.has_rows()) {
      return data_[this->offset(index...)];
    } else {
      detail::check_indices(this->extent_, index...);
      return data_[layout.offset(this->extent_[0], this->extent_[1], index...)];
    }
  }
  /// Row i, contiguous. A vector is its own only row.
  TESSERA_INLINE row_view<T const> row(int i = 0) const requires(Rank <= 2 && layout.has_rows()) {
    if constexpr (Rank == 1) return {data_, this->extent_[0]};
    else return {data_ + this->row_offset(i), this->extent_[1]};
  }
  TESSERA_INLINE void bind(field_binding const& b) {
    this->place(b);
    data_ = static_cast<T const*>(b.data);
  }
  friend unchecked_view<T const> unchecked(input const& f) { return {f.data_, f.stride_[0]}; }

 private:
  T const* data_ = nullptr;
};

/// A box that the vertex writes and cannot read.
template <class T, int Rank>
class output : public placed<Rank> {
 public:
  using element_type = T;
  static constexpr direction dir = direction::out;
  static constexpr layout_record layout = row_major::record;

  /// One element, to be assigned.
  template <class... Index>
  TESSERA_INLINE output_element<T, Rank> const& operator()(Index... index) const {
    return reinterpret_cast<output_element<T, Rank> const&>(data_[this->offset(index...)]);
  }
  /// Row i, contiguous. A vector is its own only row.
  TESSERA_INLINE output_row<T, Rank> row(int i = 0) const requires(Rank <= 2) {
    if constexpr (Rank == 1) return {data_, this->extent_[0]};
    else return {data_ + this->row_offset(i), this->extent_[1]};
  }
  TESSERA_INLINE void bind(field_binding const& b) {
    this->place(b);
    data_ = static_cast<T*>(b.data);
  }
  friend unchecked_view<T> unchecked(output const& f) { return {f.data_, f.stride_[0]}; }

 private:
  T* data_ = nullptr;
};

/// A box that the vertex reads and writes.
template <class T, int Rank = 1>
class inout : public placed<Rank> {
 public:
  using element_type = T;
  static constexpr direction dir = direction::inout;
  static constexpr layout_record layout = row_major::record;

  /// One element.
  template <class... Index>
  TESSERA_INLINE T& operator()(Index... index) const {
    return data_[this->offset(index...)];
  }
  /// Row i, contiguous. A vector is its own only row.
  TESSERA_INLINE row_view<T> row(int i = 0) const requires(Rank <= 2) {
    if constexpr (Rank == 1) return {data_, this->extent_[0]};
    else return {data_ + this->row_offset(i), this->extent_[1]};
  }
  TESSERA_INLINE void bind(field_binding const& b) {
    this->place(b);
    data_ = static_cast<T*>(b.data);
  }
  friend unchecked_view<T> unchecked(inout const& f) { return {f.data_, f.stride_[0]}; }

 private:
  T* data_ = nullptr;
};

/// Memory of one step: N elements, aligned to 64 bytes, with no defined content at its start. Takes no argument.
template <class T, int N>
class scratch {
 public:
  using element_type = T;
  static constexpr std::int64_t bytes = detail::bytes_of_scratch<T, N>();

  static constexpr int size() { return N; }
  T* data() const { return data_; }
  TESSERA_INLINE T& operator[](int i) const {
    detail::check_index(i, N);
    return data_[i];
  }
  TESSERA_INLINE void bind(field_binding const& b) { data_ = static_cast<T*>(b.data); }

 private:
  T* data_ = nullptr;
};

/// Memory of one step whose size the program's record decides, aligned to 64 bytes: for vertices of graphs, whose sizes
/// are numbers. At most one a vertex; takes no argument.
template <class T>
class workspace {
 public:
  using element_type = T;
  static constexpr std::int64_t bytes = 0;

  T* data() const { return data_; }
  TESSERA_INLINE void bind(field_binding const& b) { data_ = static_cast<T*>(b.data); }

 private:
  T* data_ = nullptr;
};

namespace detail {
enum class field_role { edge, scratch, state };
template <class F> inline constexpr field_role role_of = field_role::state;
template <class T, int R, class L> inline constexpr field_role role_of<input<T, R, L>> = field_role::edge;
template <class T, int R> inline constexpr field_role role_of<output<T, R>> = field_role::edge;
template <class T, int R> inline constexpr field_role role_of<inout<T, R>> = field_role::edge;
template <class T, int N> inline constexpr field_role role_of<scratch<T, N>> = field_role::scratch;
template <class T> inline constexpr field_role role_of<workspace<T>> = field_role::scratch;
template <class F> inline constexpr bool is_workspace = false;
template <class T> inline constexpr bool is_workspace<workspace<T>> = true;
}  // namespace detail

}  // namespace tessera

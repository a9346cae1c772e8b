// SPDX-License-Identifier: Apache-2.0
// Storage: the memory of all tiles, and where in it the elements of a tensor lie.
//
// A machine with private memory has an arena a tile, laid out as its class of tiles says. A machine with shared memory
// has one arena with complete row-major tensors, one for parameters, and a workspace for each thread.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <tessera/base/config.hpp>
#include <tessera/plan/plan_view.hpp>
#include <tessera/runtime/arena.hpp>
#include <tessera/runtime/transfer.hpp>

namespace tessera {
TESSERA_ISA_BEGIN

/// The arenas of a program.
class storage {
 public:
  /// @param parameters  the parameters of another engine, with whose plan same_parameters() holds, or null for new ones
  storage(plan_view const& plan, std::shared_ptr<arena> parameters)
      : plan_(plan),
        parameters_(parameters != nullptr ? std::move(parameters)
                                          : std::make_shared<arena>(plan.parameter_bytes, arena_pages::when_written)) {
    program_view const& p = plan.program;
    class_of_.resize(static_cast<std::size_t>(p.target.tiles));
    for (int c = 0; c < plan.classes; ++c)
      for (int t = plan.tiles[c].first; t <= plan.tiles[c].last; ++t) class_of_[static_cast<std::size_t>(t)] = c;
    std::int64_t total = 0;
    tile_offset_.resize(static_cast<std::size_t>(p.target.tiles));
    if (p.target.shared) {
      total = plan.arena_bytes[0];
    } else {
      for (int t = 0; t < p.target.tiles; ++t) {
        tile_offset_[static_cast<std::size_t>(t)] = total;
        total += (plan.arena_bytes[class_of(t)] + 63) / 64 * 64;
      }
    }
    arena_ = arena(total);
    for (int c = 0; c < plan.classes; ++c)
      for (int i = 0; i < p.tensor_count; ++i) table_.push_back(plan.offset_of(c, i));
  }

  /// The offsets of tensors in arenas as planned, [class][tensor]. Swaps change a thread's own copy.
  std::vector<std::int64_t> const& table() const { return table_; }
  int class_of(int tile) const { return class_of_[static_cast<std::size_t>(tile)]; }
  std::byte* arena_of(int tile) const { return arena_.data() + tile_offset_[static_cast<std::size_t>(tile)]; }
  /// A memory item that is not a tensor, in the arena of a tile.
  std::byte* item(int tile, int number) const { return arena_of(tile) + plan_.offset_of(class_of(tile), number); }
  std::byte* parameter_item(int number) const { return parameters_->data() + plan_.parameter_offset[number]; }
  std::shared_ptr<arena> const& parameters() const { return parameters_; }
  /// Whether a parameter is kept as it is, beside what it is packed into.
  bool keeps(int tensor) const {
    return !plan_.program.target.shared || !plan_.program.tensors[tensor].parameter ||
           plan_.parameter_offset[tensor] >= 0;
  }
  std::int64_t bytes() const { return arena_.bytes() + parameters_->bytes(); }

  /// Where region r of a tensor begins in the memory of the tile `owner`, whose block contains r. Not inlined, like other
  /// functions of the runtime that many places call: each would be compiled with a copy of it.
  [[gnu::noinline]] place locate(int tensor, int owner, region const& r) const {
    program_view const& p = plan_.program;
    tensor_record const& t = p.tensors[tensor];
    bool const complete = p.target.shared || t.map.replicated;
    region const block = complete ? whole_of(t) : block_of(t, owner);
    place where;
    std::ptrdiff_t step = bytes_of(t.type);
    for (int d = t.rank - 1; d >= 0; --d) {
      where.stride[d] = step;
      where.offset += (r[d].first - block[d].first) * step;
      step *= block[d].size() + (d == t.rank - 1 ? t.row_gap : 0);
    }
    if (p.target.shared && t.parameter) {
      where.base = parameter_item(tensor);
    } else {
      where.base = arena_of(owner);
      where.entry = class_of(owner) * p.tensor_count + tensor;
    }
    return where;
  }

 private:
  plan_view plan_;
  arena arena_;
  std::shared_ptr<arena> parameters_;
  std::vector<int> class_of_;
  std::vector<std::int64_t> tile_offset_;
  std::vector<std::int64_t> table_;
};

/// The parts of region r of a tensor by the tile that holds them, in ascending order of tiles. A replicated tensor is read
/// from the tile that asks.
///
///   for (owned_parts parts(p, tensor, asking, r); parts.next();) use(parts.owner, parts.part);
class owned_parts {
 public:
  int owner = 0;
  region part;

  [[gnu::noinline]] owned_parts(program_view const& p, int tensor, int asking, region const& r)
      : owner(asking), tensor_(p.tensors[tensor]), all_(r), left_(!r.empty()) {
    here_ = p.target.shared || tensor_.map.replicated;
    if (here_ || !left_) return;
    for (int d = 0; d < tensor_.rank; ++d) {
      first_[d] = at_[d] = block_holding(tensor_.extent[d], tensor_.map.grid[d], r[d].first);
      last_[d] = block_holding(tensor_.extent[d], tensor_.map.grid[d], r[d].last - 1);
    }
  }
  /// Steps to the next part; false after the last one.
  [[gnu::noinline]] bool next() {
    while (left_) {
      part = all_;
      if (!here_) {
        owner = tensor_.map.tile_at(at_);
        part = intersect(all_, block_of(tensor_, owner));
      }
      step();
      if (!part.empty()) return true;
    }
    return false;
  }

 private:
  void step() {
    for (int d = max_rank - 1; d >= 0; --d) {
      if (at_[d]++ < last_[d]) return;
      at_[d] = first_[d];
    }
    left_ = false;
  }

  tensor_record const& tensor_;
  region all_;
  bool left_;           ///< there may be another part
  bool here_ = false;   ///< the tile that asks has everything
  int first_[max_rank] = {}, last_[max_rank] = {}, at_[max_rank] = {};   ///< coordinates in the tensor's grid
};

/// The move of `part` between a tensor in storage and memory that holds region `all` in row-major order at `to`.
[[gnu::noinline]]
inline transfer transfer_of(program_view const& p, int tensor, place const& in_tensor, region const& part,
                            place const& outside, region const& all, bool into_tensor) {
  tensor_record const& t = p.tensors[tensor];
  place other = outside;
  std::ptrdiff_t step = bytes_of(t.type);
  for (int d = t.rank - 1; d >= 0; --d) {
    other.stride[d] = step;
    other.offset += (part[d].first - all[d].first) * step;
    step *= all[d].size();
  }
  transfer m;
  m.from = into_tensor ? other : in_tensor;
  m.to = into_tensor ? in_tensor : other;
  for (int d = 0; d < t.rank; ++d) m.n[d] = part[d].size();
  m.element_bytes = bytes_of(t.type);
  m.collapse();
  return m;
}

TESSERA_ISA_END
}  // namespace tessera

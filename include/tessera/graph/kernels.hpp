// SPDX-License-Identifier: Apache-2.0
// Which vertex runs an operator: from a kernel key to the functions of its vertex type.
#pragma once

#include <tessera/codelets/attention.hpp>
#include <tessera/codelets/channels.hpp>
#include <tessera/codelets/concat.hpp>
#include <tessera/codelets/convolution.hpp>
#include <tessera/codelets/elementwise.hpp>
#include <tessera/codelets/embedding.hpp>
#include <tessera/codelets/gemm.hpp>
#include <tessera/codelets/image_norm.hpp>
#include <tessera/codelets/norm.hpp>
#include <tessera/codelets/pool.hpp>
#include <tessera/codelets/reduce.hpp>
#include <tessera/codelets/softmax.hpp>
#include <tessera/codelets/winograd.hpp>
#include <tessera/graph/apply.hpp>
#include <tessera/graph/images.hpp>
#include <tessera/graph/kernel_key.hpp>

namespace tessera {
TESSERA_ISA_BEGIN
namespace isa_detail {

template <class V>
struct vertex_of {
  using type = V;
};

/// The vertex type of a key.
template <kernel_key Key>
constexpr auto vertex_for() {
  using namespace codelets;
  if constexpr (Key.kind == op_kind::matmul)
    return vertex_of<dense<static_cast<activation>(Key.a), Key.b != 0, static_cast<addend>(Key.c), Key.d != 0, Key.e != 0,
                           std::conditional_t<Key.f != 0, bf16, float>>>{};
  else if constexpr (Key.kind == op_kind::embedding) return vertex_of<codelets::embedding<Key.a != 0>>{};
  else if constexpr (Key.kind == op_kind::embedding_norm) return vertex_of<codelets::embedding_norm<Key.a != 0>>{};
  else if constexpr (Key.kind == op_kind::layer_norm && Key.a != 0)
    return vertex_of<codelets::layer_norm_of_sum<Key.b != 0>>{};
  else if constexpr (Key.kind == op_kind::layer_norm) return vertex_of<codelets::layer_norm>{};
  else if constexpr (Key.kind == op_kind::softmax && Key.a == 0) return vertex_of<codelets::softmax_across>{};
  else if constexpr (Key.kind == op_kind::softmax) return vertex_of<codelets::softmax_rows<Key.b != 0>>{};
  else if constexpr (Key.kind == op_kind::attention) return vertex_of<codelets::attention<Key.a != 0>>{};
  else if constexpr (Key.kind == op_kind::packed_attention) return vertex_of<codelets::packed_attention>{};
  else if constexpr (Key.kind == op_kind::l2_normalize) return vertex_of<codelets::l2_normalize>{};
  else if constexpr (Key.kind == op_kind::activation)
    return vertex_of<codelets::map_elements<static_cast<activation>(Key.a)>>{};
  else if constexpr (Key.kind == op_kind::binary)
    return vertex_of<codelets::combine_elements<static_cast<binary_kind>(Key.a)>>{};
  else if constexpr (Key.kind == op_kind::expand) return vertex_of<codelets::expand>{};
  else if constexpr (Key.kind == op_kind::reduce) return vertex_of<codelets::reduce<static_cast<reduce_kind>(Key.a)>>{};
  else if constexpr (Key.kind == op_kind::concat) return vertex_of<codelets::concat>{};
  else if constexpr (Key.kind == op_kind::convolution && Key.d != 0)
    return vertex_of<grouped_convolution<static_cast<activation>(Key.a), Key.b != 0, static_cast<addend>(Key.c)>>{};
  else if constexpr (Key.kind == op_kind::convolution && Key.e != 0)
    return vertex_of<winograd_convolution<Key.e, static_cast<activation>(Key.a), Key.b != 0, static_cast<addend>(Key.c)>>{};
  else if constexpr (Key.kind == op_kind::convolution)
    return vertex_of<convolution<static_cast<activation>(Key.a), Key.b != 0, static_cast<addend>(Key.c)>>{};
  else if constexpr (Key.kind == op_kind::pool && Key.a == tessera::detail::adaptive_pool)
    return vertex_of<codelets::adaptive_average_pool>{};
  else if constexpr (Key.kind == op_kind::pool) return vertex_of<codelets::pool<static_cast<pool_kind>(Key.a)>>{};
  else if constexpr (Key.kind == op_kind::batch_norm) return vertex_of<codelets::batch_norm>{};
  else if constexpr (Key.kind == op_kind::group_norm) return vertex_of<codelets::group_norm>{};
  else if constexpr (Key.kind == op_kind::move_channels) return vertex_of<codelets::move_channels<Key.a != 0>>{};
  else if constexpr (Key.kind == op_kind::sequence_mean) return vertex_of<codelets::sequence_mean>{};
  else return vertex_of<codelets::select_rows>{};
}

/// The functions of the vertex of a key, and how an execute record configures it.
template <kernel_key Key>
constexpr configured_kernel kernel_for() {
  if constexpr (Key.vertex != nullptr) return Key.vertex->kernel;
  else return configured_kernel_of<typename decltype(vertex_for<Key>())::type>();
}

}  // namespace isa_detail
TESSERA_ISA_END
}  // namespace tessera

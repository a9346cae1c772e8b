// EXPECT: [Ee]lement<char>|constraints? not satisfied|constraint failure
// SPDX-License-Identifier: Apache-2.0
// A tensor of an element type that the library does not know.
#include <tessera/tensor/element.hpp>

template <tessera::Element T>
constexpr int bytes() {
  return tessera::bytes_of(tessera::element_of<T>);
}

#ifdef TESSERA_MUST_FAIL
using type = char;
#else
using type = float;
#endif

static_assert(bytes<type>() == 4);

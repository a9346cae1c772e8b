// EXPECT: every extent is positive
// SPDX-License-Identifier: Apache-2.0
// A tensor without elements.
#include <tessera/tensor/tensor.hpp>

namespace ts = tessera;

#ifdef TESSERA_MUST_FAIL
using extents = ts::shape<8, 0>;
#else
using extents = ts::shape<8, 1>;
#endif
static_assert(extents::volume > 0);

// EXPECT: field_can_be_read<.*output<float, 2>
// SPDX-License-Identifier: Apache-2.0
// Proof 2: a vertex reads what it can only write.
#include <tessera/plan/planned.hpp>

namespace ts = tessera;

struct twice {
  ts::input<float, 2> u;
  ts::output<float, 2> v;
  TESSERA_FIELDS(twice, u, v);
  void compute() const {
    v(0, 0) = u(0, 0);
#ifdef TESSERA_MUST_FAIL
    v(0, 1) = v(0, 0);
#else
    v(0, 1) = u(0, 0);
#endif
  }
};

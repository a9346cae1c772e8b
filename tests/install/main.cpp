// SPDX-License-Identifier: Apache-2.0
// What a user of the installed library writes first.
#if __has_include(<tessera/tessera.hpp>)
#include <tessera/tessera.hpp>
#endif
#include <tessera/tensor/element.hpp>
#include <tessera/version.hpp>

#include <cstdio>
#include <string_view>

int main() {
  std::printf("tessera %s\n", TESSERA_VERSION);
  return tessera::element_of<tessera::half> == tessera::element::float16 &&
                 std::string_view(tessera::name_of(tessera::element::float16)) == "float16"
             ? 0
             : 1;
}

// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tessera/base/label.hpp>

namespace {

template <tessera::label Name>
struct named {
  static constexpr auto name = Name;
};

}  // namespace

TEST_CASE("a string literal is a template argument") {
  static_assert(named<"layer3.conv1">::name.view() == "layer3.conv1");
  static_assert(named<"">::name.view().empty());
  CHECK(named<"u">::name.view() == "u");
}

// SPDX-License-Identifier: Apache-2.0
// What data is: element types, shapes, boxes, layouts, mappings, tensors.
#pragma once

#include <tessera/tensor/element.hpp>
#include <tessera/tensor/layout.hpp>
#include <tessera/tensor/mapping.hpp>
#include <tessera/tensor/region.hpp>
#include <tessera/tensor/shape.hpp>
#include <tessera/tensor/tensor.hpp>

// SPDX-License-Identifier: Apache-2.0
// What is computed: machines, vertices, accesses, typed steps, and the records they become.
#pragma once

#include <tessera/program/access.hpp>
#include <tessera/program/field.hpp>
#include <tessera/program/geometry.hpp>
#include <tessera/program/machine.hpp>
#include <tessera/program/program.hpp>
#include <tessera/program/records.hpp>
#include <tessera/program/rules.hpp>
#include <tessera/program/steps.hpp>
#include <tessera/program/vertex.hpp>

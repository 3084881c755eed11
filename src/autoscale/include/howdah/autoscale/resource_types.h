// Types of values for amounts of resources in key tables. Pure.
#pragma once

#include <cstdint>

#include "howdah/admission/resources.h"
#include "howdah/autoscale/provider.h"
#include "howdah/keyfile/value_types.h"

namespace howdah::autoscale {

// A number that is stored in one field.
keyfile::ValueType<admission::Resources> AmountOf(keyfile::ValueType<int> type, int64_t admission::Resources::*field);
keyfile::ValueType<admission::Resources> MemoryInMib();
// The size and label of a node, as a map.
keyfile::ValueType<NodeShape> ShapeType();

}  // namespace howdah::autoscale

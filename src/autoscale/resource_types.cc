#include "howdah/autoscale/resource_types.h"

#include <climits>
#include <utility>

namespace howdah::autoscale {

using namespace keyfile;

namespace {

constexpr int kMibShift = 20;

// Types of resources other than memory, vcores and GPUs.
ValueType<admission::Resources> OtherTypes() {
  ValueType<admission::Resources> type;
  type.read = [amount = WholeNumber(1, INT_MAX)](Reader& r, const Node& n, admission::Resources& out) {
    return CheckIsMap(r, n) && ForEachEntry(r, n, [&](const Entry& entry) {
             int value = 0;
             if (!amount.read(r, *entry.value, value)) return false;
             out.others[entry.key] = value;
             return true;
           });
  };
  type.write = [](const admission::Resources& resources) { return Json(resources.others); };
  type.schema = [] { return Json{{"title", "map of names and whole numbers"}, {"type", "object"}}; };
  return type;
}

const Section<NodeShape>& ShapeKeys() {
  using admission::Resources;
  static const Section<NodeShape> keys = {
      {Row("memory", &NodeShape::size, MemoryInMib(), "Memory for containers", "12GiB"),
       Row("vcores", &NodeShape::size, AmountOf(WholeNumber(1, INT_MAX), &Resources::vcores), "vcores for containers",
           "4"),
       Row("gpus", &NodeShape::size, AmountOf(WholeNumber(0, INT_MAX), &Resources::gpus), "GPUs"),
       Row("resources", &NodeShape::size, OtherTypes(), "Other types of resources"),
       Row("label", &NodeShape::label, OptionalText(), "Node label")}};
  return keys;
}

}  // namespace

ValueType<admission::Resources> AmountOf(ValueType<int> type, int64_t admission::Resources::*field) {
  ValueType<admission::Resources> amount;
  amount.read = [read = std::move(type.read), field](Reader& r, const Node& n, admission::Resources& out) {
    int value = 0;
    if (!read(r, n, value)) return false;
    out.*field = value;
    return true;
  };
  amount.write = [field](const admission::Resources& resources) { return Json(resources.*field); };
  amount.schema = std::move(type.schema);
  return amount;
}

ValueType<admission::Resources> MemoryInMib() {
  ValueType<int64_t> bytes = Memory();
  ValueType<admission::Resources> type;
  type.read = [read = std::move(bytes.read)](Reader& r, const Node& n, admission::Resources& out) {
    int64_t value = 0;
    if (!read(r, n, value)) return false;
    out.memory_mib = value >> kMibShift;
    return true;
  };
  type.write = [](const admission::Resources& resources) { return Json(resources.memory_mib); };
  type.schema = std::move(bytes.schema);
  return type;
}

ValueType<NodeShape> ShapeType() { return SectionType(&ShapeKeys); }

}  // namespace howdah::autoscale

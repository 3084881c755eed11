// Parses the input as the text of an id, and as answers of the ResourceManager. Each answer is preceded by one byte
// with its length.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/hadoop/yarn/allocation.h"
#include "howdah/hadoop/yarn/ids.h"

namespace howdah::hadoop::yarn {
namespace {

template <typename Id>
void CheckText(const std::optional<Id>& id, std::optional<Id> (*parse)(std::string_view)) {
  if (id && parse(ToText(*id)) != id) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckText(ParseApplicationId(text), ParseApplicationId);
  CheckText(ParseAttemptId(text), ParseAttemptId);
  CheckText(ParseContainerId(text), ParseContainerId);
  CheckText(ParseNodeId(text), ParseNodeId);
  Allocation allocation;
  Shape shape;
  shape.resource.memory_mib = 512;
  allocation.SetNodes({{"node7", "/rack", "", {2048, 8, {}}}});
  allocation.Ask(0, shape, 2);
  shape.max_per_node = 1;
  allocation.Ask(1, shape, 2);
  shape.placement = {.attributes = {}, .near = {0}, .apart = {1, 2}, .max_per_rack = 2};
  allocation.Ask(2, shape, 2);
  Instant now{};
  for (std::string_view left = text; !left.empty(); now += std::chrono::seconds(1)) {
    const std::string_view bytes = left.substr(1, static_cast<unsigned char>(left.front()));
    left.remove_prefix(1 + bytes.size());
    allocation.Request(now);
    ::hadoop::yarn::AllocateResponseProto response;
    if (!response.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      allocation.Rejected();
      continue;
    }
    for (const auto& granted : allocation.Apply(response).granted) {
      allocation.NodeFailed(granted.node, now);
      allocation.Release(FromProto(granted.container.id()));
    }
    ToText(FromProto(response.limit()));
  }
  return 0;
}

}  // namespace howdah::hadoop::yarn

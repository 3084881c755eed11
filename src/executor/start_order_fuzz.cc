// Fuzzed input: the length of the AM's order to start an attempt, the order itself, and the table of endpoints.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "start_order.h"

namespace howdah::executor {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view first = text.substr(1, data[0]), rest = text.substr(1 + first.size());
  wire::Start start;
  wire::Cluster cluster;
  if (!start.ParseFromArray(first.data(), static_cast<int>(first.size()))) return 0;
  if (!cluster.ParseFromArray(rest.data(), static_cast<int>(rest.size()))) return 0;
  jobspec::JobSpec spec;
  spec.roles.resize(2);
  spec.roles[0].exports = {{"ADDRESS", "address="}};
  const auto order = ReadStartOrder(start, cluster, spec, {1, 0});
  if (order && order->slot.index >= static_cast<int>(order->peers.cluster[1].size())) __builtin_trap();
  return 0;
}

}  // namespace howdah::executor

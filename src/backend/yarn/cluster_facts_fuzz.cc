// Fuzzed input: reports of the ResourceManager about nodes, queues and applications. Three bytes before each report
// contain its kind and its length.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/backend/yarn/cluster_info.h"
#include "howdah/backend/yarn/why_pending.h"

namespace howdah::backend::yarn {
namespace {

template <typename Message>
bool Parse(std::string_view bytes, Message& message) {
  return message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

void Add(unsigned kind, std::string_view bytes, ClusterFacts& facts) {
  ::hadoop::yarn::NodeReportProto node;
  ::hadoop::yarn::QueueInfoProto queue;
  ::hadoop::yarn::ApplicationReportProto application;
  ::hadoop::yarn::GetQueueUserAclsInfoResponseProto acls;
  switch (kind % 4) {
    case 0:
      if (Parse(bytes, node)) facts.nodes.push_back(FactsOf(node)), InfoOf(node);
      break;
    case 1:
      if (Parse(bytes, queue)) facts.queue = FactsOf(queue, ""), QueuesOf(queue);
      break;
    case 2:
      if (Parse(bytes, application)) facts.queue.applications.push_back(FactsOf(application)), InfoOf(application);
      break;
    default:
      if (Parse(bytes, acls))
        facts.allowed_queues = AllowedQueues({acls.queueuseracls().begin(), acls.queueuseracls().end()});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ClusterFacts facts;
  facts.user = "ann";
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(text[at])); };
  while (text.size() >= 3) {
    const std::string_view bytes = text.substr(3, byte(1) | byte(2) << 8);
    Add(static_cast<unsigned>(byte(0)), bytes, facts);
    text.remove_prefix(3 + bytes.size());
  }
  PendingContainers pending{"worker", 3, {}, ""};
  pending.size.memory_mib = 2048;
  pending.size.vcores = 2;
  pending.size.others[hadoop::yarn::kGpu] = 1;
  const hadoop::yarn::Resource headroom = facts.nodes.empty() ? hadoop::yarn::Resource() : facts.nodes.front().free();
  WhyPending(facts, {pending}, headroom);
  WhyPending(facts, {pending}, std::nullopt);
  WhyAmPending(facts, "", pending);
  return 0;
}

}  // namespace howdah::backend::yarn

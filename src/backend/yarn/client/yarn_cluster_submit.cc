// The part of the place that submits.
#include "howdah/backend/yarn/client/yarn_cluster.h"
#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "refusals.h"
#include "submit.h"

namespace howdah::backend::yarn::client {
namespace {

std::string RelativePathRefusal(const std::string& key) {
  return key +
         ": a relative path counts from the job file on this machine; on YARN write a URI that every node reaches, as "
         "in hdfs:///user/NAME/DIR, or the absolute path of a directory that all nodes share";
}

ClusterInventory InventoryOf(const ClusterFacts& facts) {
  ClusterInventory known;
  known.resource_types = facts.resource_types;
  for (const NodeFacts& node : facts.nodes) {
    if (node.running()) known.nodes.push_back({node.host, node.port, node.rack, node.label, node.total});
  }
  return known;
}

}  // namespace

std::vector<std::string> YarnCluster::Refusals(const jobspec::JobSpec& spec) {
  const auto cluster = Open();
  if (!cluster.ok()) return {cluster.error().message};
  std::vector<std::string> refusals;
  for (const std::string& key : spec.relative_directories) refusals.push_back(RelativePathRefusal(key));
  const auto rm = (*cluster)->Rm();
  if (!rm.ok()) return {rm.error().message};
  auto facts = FetchClusterFacts(**rm, (*cluster)->user(), spec.queue, spec.node_label);
  if (!facts.ok()) return {facts.error().message};
  for (std::string& why : RefusalsOf(spec, *facts)) refusals.push_back(std::move(why));
  facts_ = std::make_unique<ClusterFacts>(std::move(*facts));
  return refusals;
}

std::vector<std::string> YarnCluster::Ignored(const jobspec::JobSpec& spec) {
  if (spec.env_from.empty()) return {};
  return {"env_from is for the local place: tasks on YARN get what `env` says"};
}

Result<JobId> YarnCluster::Submit(const jobspec::JobSpec& spec, const backend::SubmitOptions& options) {
  HOWDAH_TRY(const auto cluster, Open());
  if (!facts_) {
    if (const auto refusals = Refusals(spec); !refusals.empty()) {
      return Error{ErrorCode::kUnavailable, refusals.front()};
    }
  }
  return SubmitToYarn(*cluster, options_, InventoryOf(*facts_), spec, options);
}

}  // namespace howdah::backend::yarn::client

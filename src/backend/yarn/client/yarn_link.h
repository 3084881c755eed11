// The link of an autoscaler to a YARN cluster.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "howdah/autoscale/cluster_link.h"
#include "howdah/autoscale/provider.h"
#include "howdah/backend/yarn/gang_queue.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "rm_web.h"

namespace howdah::backend::yarn::client {

class YarnLink final : public autoscale::ClusterLink {
 public:
  YarnLink(const HadoopClient& cluster, autoscale::Provider provider);

  Result<autoscale::ClusterSeen> Observe() override;
  Status Exclude(const autoscale::SetExcluded& order) override;
  autoscale::NodeChecked::Answer Check(const autoscale::CheckNode& order) override;
  Status Publish(const std::string& text) override;
  std::vector<Finding> CheckSetup(const Result<autoscale::ClusterSeen>& seen) override;

 private:
  Status AddQueue(const std::vector<LiveApplication>& applications, autoscale::ClusterSeen& seen);
  Status AddMetrics(autoscale::ClusterSeen& seen);
  Finding CheckPublish() const;
  Result<std::string> ReadExcludeFile() const;
  Status WriteExcludeFile(const std::string& text) const;

  const autoscale::Provider provider_;
  HadoopClient cluster_;  // of Observe
  const HadoopClient admin_;
  RmWeb web_;
  QueueReader reader_;
  bool counts_vcores_ = true;                 // until a node shows the opposite
  std::mutex mutex_;                          // for what follows
  std::map<std::string, std::string> pages_;  // the address of each node's web interface, by name
  std::set<std::string> others_;              // ids of live applications of other types
};

}  // namespace howdah::backend::yarn::client

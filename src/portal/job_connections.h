// Connections to servers in running jobs, through the application masters of the jobs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "howdah/rpc/streams/task_connection.h"
#include "howdah/web/relay.h"
#include "services.h"

namespace howdah::portal {

// Used on the loop's thread only.
class JobConnections {
 public:
  explicit JobConnections(Services& services) : services_(services) {}

  // Connects to a server of the job. A job that got a new application master is looked up again. An event never occurs
  // within this call.
  std::unique_ptr<web::Upstream> Connect(const FoundJob& job, const rpc::streams::Target& target,
                                         web::Upstream::Events events);

 private:
  class Connection;
  using Channel = std::shared_ptr<rpc::streams::TaskConnections>;
  using Use = std::function<void(Result<Channel> channel)>;
  // Calls `use` with the channel to the job, perhaps within this call.
  void WithChannel(const FoundJob& job, Use use);
  void LookUp(const FoundJob& job);
  void OnContact(const JobId& id, const Result<rpc::AmContact>& am);
  // Forgets a channel that does not work (any more).
  void Drop(const JobId& id, const Channel& channel);

  struct Job {
    Channel channel;  // nullptr while it is looked up
    std::vector<Use> waiting;
  };
  Services& services_;
  std::map<std::string, Job> jobs_;  // by id
};

}  // namespace howdah::portal

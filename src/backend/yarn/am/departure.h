// Gives the application master's own container back while the job goes on. YARN starts another application master when
// there is room, does not count this against am.attempts, and keeps the job's containers.
#pragma once

#include <functional>
#include <string>

#include "container_table.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/yarn/ids.h"
#include "howdah/hadoop/yarn/scheduler.h"

namespace howdah::backend::yarn::am {

// Used on the AM's loop thread only.
class Departure {
 public:
  struct Own {
    hadoop::yarn::ContainerId container;
    std::string host;
    bool may_leave = false;         // YARN starts another AM
    std::function<Status()> store;  // stores everything that the next AM needs; blocks
  };
  // Both must live as long as this object.
  Departure(hadoop::yarn::Scheduler& scheduler, const ContainerTable& containers, Own own)
      : scheduler_(scheduler), containers_(containers), own_(std::move(own)) {}

  // Releases the AM's container. The process ends soon. Returns false if it stays.
  bool Leave(const std::string& why);
  // Leaves if the AM's node is being decommissioned, and no container of the job is left there: the next AM would not
  // learn that these containers have to leave.
  void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response);

 private:
  hadoop::yarn::Scheduler& scheduler_;
  const ContainerTable& containers_;
  Own own_;
  bool node_leaves_ = false;
};

}  // namespace howdah::backend::yarn::am

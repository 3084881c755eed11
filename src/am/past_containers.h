// The containers of the previous AM of the job.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "howdah/backend/backend.h"
#include "howdah/base/ids.h"
#include "howdah/core/action.h"
#include "howdah/core/event.h"

namespace howdah::am {

// Rebuilds the previous AM's containers from its recorded events, and from the core's actions for each event. Pure.
class PastContainers {
 public:
  void Replay(const core::Event& event, const std::vector<core::Action>& actions);

  // The containers that have not ended. role: -1 if the backend has already released the container, or releases it now.
  const std::map<ContainerId, backend::Inherited>& held() const { return held_; }
  // The callback address of the container's executor; empty if none has connected.
  std::string CallbackOf(const ContainerId& container) const;

 private:
  std::map<ContainerId, backend::Inherited> held_;
  std::map<ContainerId, std::string> callbacks_;
};

}  // namespace howdah::am

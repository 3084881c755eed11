// Watches the user's applications by asking the ResourceManager every few seconds, because it sends no events.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/os/files/fd.h"

namespace howdah::backend::yarn::client {

class YarnWatch final : public backend::JobWatch {
 public:
  enum class State { kLive, kEnded };
  using States = std::map<JobId, State>;
  // states: the applications that the ResourceManager has, called by Changed.
  static Result<std::unique_ptr<backend::JobWatch>> Start(std::function<Result<States>()> states);

  int fd() const override { return timer_.get(); }
  // Returns every application that has not ended, because the ResourceManager does not know whether its journal grew.
  Result<std::vector<JobId>> Changed() override;
  void Include(const JobId&) override {}
  void Exclude(const JobId&) override {}

 private:
  YarnWatch(std::function<Result<States>()> states, os::files::Fd timer)
      : states_(std::move(states)), timer_(std::move(timer)) {}

  std::function<Result<States>()> states_;
  os::files::Fd timer_;
  States last_;
};

}  // namespace howdah::backend::yarn::client

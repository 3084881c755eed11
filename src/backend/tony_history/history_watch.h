// Watches a history of TonY by listing it again, because the file system sends no events.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/os/files/fd.h"

namespace howdah::backend::tony_history {

class HistoryWatch final : public backend::JobWatch {
 public:
  // The jobs, each with the path of its file of events, whose name changes when the job ends.
  using Paths = std::map<JobId, std::string>;
  // list: called by Changed. Jobs that ended long ago need not be listed.
  static Result<std::unique_ptr<backend::JobWatch>> Start(std::function<Result<Paths>()> list, Duration interval);

  int fd() const override { return timer_.get(); }
  Result<std::vector<JobId>> Changed() override;
  void Include(const JobId&) override {}
  void Exclude(const JobId&) override {}

 private:
  HistoryWatch(std::function<Result<Paths>()> list, os::files::Fd timer)
      : list_(std::move(list)), timer_(std::move(timer)) {}

  std::function<Result<Paths>()> list_;
  os::files::Fd timer_;
  Paths last_;
};

}  // namespace howdah::backend::tony_history

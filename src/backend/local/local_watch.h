// Watches the jobs of this machine with one inotify instance.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/local/layout.h"
#include "howdah/os/files/fd.h"

namespace howdah::backend::local {

// A job whose processes have died without recording its end changes no file. A reader has to look at the status of
// running jobs from time to time.
class LocalWatch final : public backend::JobWatch {
 public:
  // Creates the directory of the jobs if there is none yet. Includes the jobs that are being submitted.
  static Result<std::unique_ptr<backend::JobWatch>> Start(const Layout& layout);

  int fd() const override { return events_.get(); }
  Result<std::vector<JobId>> Changed() override;
  void Include(const JobId& id) override;
  void Exclude(const JobId& id) override;

 private:
  LocalWatch(Layout layout, os::files::Fd events, int jobs_watch)
      : layout_(std::move(layout)), events_(std::move(events)), jobs_watch_(jobs_watch) {}
  // Returns every job: after the kernel has dropped events.
  Result<std::vector<JobId>> All() const;

  Layout layout_;
  os::files::Fd events_;  // inotify
  int jobs_watch_;
  std::map<JobId, int> watches_;
  std::map<int, JobId> jobs_;  // by watch
};

}  // namespace howdah::backend::local

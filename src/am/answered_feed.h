// One feed with answers of a running job: the processes that answer it. Clients ask the executors, without this
// process.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "feed_log.h"
#include "feed_sources.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/core/action.h"
#include "howdah/core/job.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/process/clock.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::am {

// Used by Feeds, on the thread of the AM's loop. Where nothing is said, the functions are as those of Feeds.
class AnsweredFeed {
 public:
  struct Ports {
    const os::process::Clock& clock;
    std::function<void(const ContainerId&, const wire::ToExecutor&)> order;
    std::function<void()> over;  // the feed has ended
  };
  // spec must live longer than this object. The log has only whether the feed is closed.
  AnsweredFeed(const jobspec::JobSpec& spec, const jobspec::FeedSpec& feed, FeedLog log, Ports ports);

  const std::string& name() const { return name_; }
  FeedLog& log() { return log_; }

  // Returns the readers of the attempt, without the token; nullopt if it answers nothing.
  std::optional<wire::FeedReaders> Place(const core::StartTask& order, const core::PeerGroup& peers);
  void Started(const ContainerId& container);
  // As LiveFeed::EndProcesses.
  void EndProcesses(const ContainerId& container, std::optional<int> attempt, std::optional<int> local_rank);
  void OnPassDone(const journal::JobView& view, bool ending);
  void OnConnected(const ContainerId& container) { Started(container); }
  void OnContainerGone(const ContainerId& container);
  // A client of an executor has sent an action.
  void OnCall(const ContainerId& container, const wire::FeedCall& call);

  void OnAnswers(const ContainerId& container, const wire::FeedAnswers& report);
  // The work of the executors that run now.
  journal::FeedView View() const;

  // The containers whose processes answer; an error if the feed is over.
  Result<std::vector<ContainerId>> Containers() const;
  // Returns when this is in the log, or an error if it cannot be written now.
  Status Close();

 private:
  // Orders the end of the feed.
  void OrderEnd(const ContainerId& container) const;
  void End();
  bool closed() const { return log_.source_ended() && log_.file().written().ok(); }

  const std::string name_;
  FeedLog log_;
  const Ports ports_;
  FeedSeats seats_;
  FeedMeter meter_;
  std::map<ContainerId, wire::FeedAnswers> reports_;  // the newest one of each executor
  bool ends_unseen_ = false;                          // OnPassDone has not seen all ends of processes
  bool ending_ = false;                               // the job has begun to end, or no task is left
};

}  // namespace howdah::am

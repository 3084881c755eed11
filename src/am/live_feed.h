// One feed of a running job: connects its ledger, its log, its readers and its sources.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "feed_log.h"
#include "feed_sources.h"
#include "howdah/base/ids.h"
#include "howdah/core/action.h"
#include "howdah/core/job.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/process/clock.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::am {

// Used by Feeds, on the thread of the AM's loop. Where nothing is said, the functions are as those of Feeds.
class LiveFeed final : private FeedSources::Owner {
 public:
  struct Ports {
    const os::process::Clock& clock;
    Duration longest_wait;
    std::function<void(const ContainerId&, const wire::ToExecutor&)> order;
    std::function<const wire::FeedServes*(const ContainerId&)> place;  // nullptr: not known
    std::function<void()> changed;  // Deadline or FeedSources::recheck_wanted may have other results now
    std::function<void()> over;     // the feed has ended or failed
    std::function<void(const Error&)> fail;
  };
  // spec must live longer than this object.
  LiveFeed(const jobspec::JobSpec& spec, const jobspec::FeedSpec& feed, FeedLog log, Ports ports);

  const std::string& name() const { return name_; }
  FeedLog& log() { return log_; }
  FeedSeats& seats() { return seats_; }
  FeedSources& sources() { return sources_; }

  // continues: whether the log has all that the executor of the container has seen. term: begins now; 0: that of the
  // log goes on.
  Status Resume(const std::function<bool(const ContainerId&)>& continues, int64_t term);
  // Returns the number of the attempt's first reader; nullopt if it reads nothing. live: false during a replay.
  std::optional<int> Place(const core::StartTask& order, const core::PeerGroup& peers, bool live);
  void Started(const ContainerId& container);
  // Processes of the container have ended. attempt, local_rank: nullopt stands for all. returns: as feed::RankLost.
  void EndProcesses(const ContainerId& container, std::optional<int> attempt, std::optional<int> local_rank,
                    bool returns, bool live);
  void OnPassDone(const journal::JobView& view, bool ending);
  void OnConnected(const ContainerId& container);
  void OnContainerGone(const ContainerId& container, bool live);
  void OnServes(const ContainerId& container, const wire::FeedServes& place);
  // Why a request is refused. replaced: as in FeedReply.
  struct Refusal {
    std::string why;
    bool replaced = false;
  };
  // Returns nullopt if the event was stepped, or has no effect any more. unix_socket: as in FeedEvent.
  std::optional<Refusal> OnEvent(const ContainerId& container, const std::string& bytes,
                                 std::optional<bool> unix_socket = {});
  void OnCall(const ContainerId& container, const wire::FeedCall& call);
  // When OnTime must be called; nullopt: not at all.
  std::optional<Instant> Deadline() const;
  // Call it at Deadline, and in the next turn of the loop while FeedSources::recheck_wanted.
  void OnTime();
  journal::FeedView View() const;

  // Where the executor of the reader listens; nullptr if it is not known.
  const wire::FeedServes* PlaceOf(int rank) const override;

 private:
  // FeedSources::Owner
  void Step(const feed::Event& event) override;
  void Reply(const ContainerId& to, const wire::FeedReply& reply) override;

  using Messages = std::map<ContainerId, wire::ToExecutor>;

  void Form(const FeedLog::Formed& formed, bool live);
  void Lose(int rank, bool returns);
  // Carries out the actions of a step that is in the log.
  // only: actions for all readers are sent to this one; nullopt: to all.
  void Carry(const std::vector<feed::Action>& actions, std::optional<int> only = std::nullopt);
  void AddOrder(int rank, const feed::Action& action, Messages& messages);
  void OnUnwritten();

  const std::string name_;
  const bool alone_;
  const bool reads_files_;
  FeedLog log_;
  const Ports ports_;
  FeedSeats seats_;
  FeedSources sources_;
  FeedMeter meter_;
  std::set<std::pair<int, ContainerId>> places_wanted_;  // executors that need to know where this reader's listens
  std::optional<Instant> unwritten_since_, retry_at_;
  bool ends_unseen_ = false;  // OnPassDone has not seen all ends of processes
  bool ending_ = false;
  // A rank has restarted in a feed whose ranks must restart together. The feed fails if the others, which ran then,
  // have not followed at the limit: they may notice the failure of this one later, or never.
  struct Awaited {
    int by = 0;
    Instant until;
  };
  std::optional<Awaited> awaited_;
};

}  // namespace howdah::am

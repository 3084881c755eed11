// Log following: connects clients that follow the job to the executors that have its output.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "followed_journal.h"
#include "follower.h"
#include "howdah/core/action.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/os/process/clock.h"
#include "log_pulls.h"

namespace howdah::am {

// Call it only on the thread of the AM's loop. Executors report log sizes only while a client follows, and send pieces
// only on request. So output that no client follows costs nothing, and a slow client delays only itself.
class Followers final : public Follower::Context {
 public:
  struct Wires {
    std::function<void(rpc::ConnectionId, const wire::FollowReply&)> reply;  // AmServer::SendToFollower
    std::function<void(rpc::ConnectionId)> close;                            // AmServer::Close
    std::function<void(const ContainerId&, const wire::ToExecutor&)> order;
  };
  // journal: the path of the journal. spec and clock must live longer than this object.
  Followers(boost::asio::io_context& loop, const jobspec::JobSpec& spec, const os::process::Clock& clock,
            std::string journal, Wires wires);

  // From clients.
  void OnFollow(rpc::ConnectionId id, const wire::FollowRequest& request);
  void OnWritten(rpc::ConnectionId id);
  void OnGone(rpc::ConnectionId id);

  // From containers and their executors.
  void OnGranted(const ContainerId& container, const std::string& node) { outputs_.Granted(container, node); }
  void OnLaunched(const ContainerId& container, TaskId task) { outputs_.Launched(container, task); }
  void OnConnected(const ContainerId& container);
  void OnStarted(const ContainerId& container, int attempt);
  void OnSizes(const ContainerId& container, const wire::LogSizes& sizes);
  void OnData(const ContainerId& container, wire::LogData data);
  void OnAttemptEnded(const ContainerId& container, int attempt,
                      const google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes);
  void OnContainerGone(const ContainerId& container);
  // Orders the executor to exit. It may first serve its output to followers, for at most backend::kLingerLimit.
  void Leave(const core::ReleaseContainer& release);

  // OnJournal receives the current size of the journal. AddAttemptEnd receives the offset of a journal line that
  // records the end of an attempt.
  void OnJournal(int64_t size);
  void AddAttemptEnd(const std::string& role, int index, int attempt, int64_t offset);
  // Call it when the journal's last line is written. Sends the rest of the journal and of the output to every follower.
  // Calls `done` when all followers have received it, or when the limit has passed. Only the first call has an effect.
  void Finish(Duration limit, std::function<void()> done);

  // Reads the last bytes of an output, at most 64 KiB. kNotFound: no connected executor has the output.
  using OnTail = std::function<void(Result<std::string>)>;
  void Tail(const OutputKey& key, OnTail on_tail);

  // Follower::Context
  const Outputs& outputs() const override { return outputs_; }
  FollowedJournal& journal() override { return journal_; }
  std::string RoleName(int role) const override { return roles_[static_cast<size_t>(role)]; }
  void Pull(Follower& follower, const OutputKey& key, int64_t offset, int32_t size) override;
  void Reply(Follower& follower, const wire::FollowReply& reply) override { wires_.reply(follower.id(), reply); }
  Instant Now() const override { return clock_.Now(); }

 private:
  void OnPiece(rpc::ConnectionId id, const OutputKey& key, int32_t size, Result<wire::LogData> data);
  void Serve(Follower& follower);
  void ServeAll();
  void BeginIfSizesReported(Follower& follower);
  bool IsAwaited(const OutputContainer& container) const;
  void WatchWanted();
  void Dismiss();
  void Tick();
  void EndIfDone();

  jobspec::JobSpec const* spec_;
  const os::process::Clock& clock_;
  std::vector<std::string> roles_;
  FollowedJournal journal_;
  Wires wires_;
  LogPulls pulls_;
  Outputs outputs_;
  std::unordered_map<rpc::ConnectionId, std::unique_ptr<Follower>> followers_;
  std::unordered_map<rpc::ConnectionId, Instant> begin_by_;  // start limit of each follower that has not begun
  int leaving_ = 0;  // number of containers that were ordered to leave and still serve followers
  boost::asio::steady_timer tick_;
  bool ticking_ = false;
  bool finishing_ = false;
  std::function<void()> done_;  // set by Finish
  boost::asio::steady_timer finish_limit_;
};

}  // namespace howdah::am

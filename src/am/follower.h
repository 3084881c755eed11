// One client that follows the job: its request, the bytes it has received, and the bytes to send next.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "followed_journal.h"
#include "howdah/rpc/am_server.h"
#include "howdah/wire/control.pb.h"
#include "outputs.h"

namespace howdah::am {

// Not thread-safe. At most 1 MiB per follower is in flight: requested from executors, or sent to the client and not
// acknowledged. At this limit the follower requests nothing until its client has read something.
class Follower {
 public:
  // The parts of the job that a follower uses: journal, outputs, and the connections to executors and to the client.
  class Context {
   public:
    virtual ~Context() = default;
    virtual const Outputs& outputs() const = 0;
    virtual FollowedJournal& journal() = 0;
    virtual std::string RoleName(int role) const = 0;
    // OnPulled or OnPullLost is called later with the answer.
    virtual void Pull(Follower& follower, const OutputKey& key, int64_t offset, int32_t size) = 0;
    virtual void Reply(Follower& follower, const wire::FollowReply& reply) = 0;
    virtual Instant Now() const = 0;
  };

  // roles: the names of roles, in the order of their indices.
  Follower(Context& context, rpc::ConnectionId id, const wire::FollowRequest& request,
           const std::vector<std::string>& roles);

  rpc::ConnectionId id() const { return id_; }
  bool WantsTask(TaskId task) const;
  // Whether some output of the container remains to be sent.
  bool Awaits(const OutputContainer& container) const;
  // Whether messages wait for the client, and the client has read nothing for kPatience.
  bool stalled(Instant now) const { return !unwritten_.empty() && now - progress_ > kPatience; }
  // Whether Begin was called. Begin records the current sizes: the client has caught up once it was sent everything up
  // to these sizes.
  bool begun() const { return begun_; }
  void Begin();

  void OnOutput(const OutputKey& key, const Output& output);
  void OnPulled(const OutputKey& key, int32_t asked, wire::LogData data);
  void OnPullLost(const OutputKey& key, int32_t asked);
  void OnWritten();
  // Sends and requests as much as the window allows. Returns true if the last message has just been sent.
  bool Pump();
  // Call it when the job has ended. Sends the remaining journal and output.
  void Finish();

 private:
  static constexpr std::chrono::milliseconds kPatience{500};

  struct Progress {
    int64_t sent = 0;       // bytes from the beginning
    int64_t requested = 0;  // end of the requested range
    int64_t target = 0;     // size at the beginning of the follow
    int in_flight = 0;      // number of pulls in flight
    bool queued = false, end_sent = false, unreadable = false;
    bool behind = false;     // some output from before the follow began has not been sent
    bool needs_end = false;  // the output had ended before the follow began; its end must be sent, too
  };

  bool Wants(const OutputKey& key) const;
  void Enqueue(const OutputKey& key, Progress& progress);
  bool SendJournal();
  int64_t JournalLimit();
  bool ServeNext();
  bool Serve(const OutputKey& key, Progress& progress, const Output& output);
  bool IsComplete(const Progress& progress, const Output& output) const;
  void SendEnd(const OutputKey& key, const Output& output);
  void SendSizes();
  void SendEnded(bool job_ended);
  void Settle(Progress& progress, bool nothing_there);
  wire::LogSource SourceOf(const OutputKey& key) const;
  void Send(const wire::FollowReply& reply);

  Context& context_;
  const rpc::ConnectionId id_;
  const bool wants_logs_, sizes_only_, now_only_;
  wire::LogsWanted wanted_;
  int wanted_role_ = -1;               // -1: all roles
  std::map<OutputKey, int64_t> have_;  // sizes received on an earlier connection of the client
  std::map<OutputKey, Progress> sources_;
  std::deque<OutputKey> turns_;
  int64_t journal_sent_ = 0, journal_target_ = 0;
  size_t next_end_ = 0;  // index in attempt_ends of the next attempt end that may delay the journal
  int64_t load_ = 0;     // bytes requested, or sent and not acknowledged
  std::deque<int64_t> unwritten_;
  Instant progress_;
  int behind_ = 0;
  bool begun_ = false, caught_up_ = false, over_ = false;
};

}  // namespace howdah::am

// One client that follows the job: what it wants, what it has been sent, and what it is sent next.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/rpc/am_server.h"
#include "howdah/wire/control.pb.h"
#include "outputs.h"

namespace howdah::am {

// The journal's line that says that an attempt has ended: it comes after all of the attempt's output.
struct AttemptEnd {
  int64_t offset = 0;  // of the line
  TaskId task;
  int attempt = 0;
};

// One thread. Between what has been asked of executors for it and what it has been sent but not taken, a follower costs
// 1 MiB at most, and then asks for nothing until its client takes something.
class Follower {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // What a follower is served from.
  class World {
   public:
    virtual ~World() = default;
    virtual const Outputs& outputs() const = 0;
    virtual const std::deque<AttemptEnd>& attempt_ends() const = 0;  // by offset; only ever appended to
    virtual int64_t journal_size() const = 0;
    // Whole lines, at least one, about 64 KiB at most; empty: it cannot be read.
    virtual std::string ReadJournal(int64_t from, int64_t to) = 0;
    virtual std::string RoleName(int role) const = 0;
    // Answered by OnPulled or OnPullLost, later.
    virtual void Pull(Follower& follower, const OutputKey& key, int64_t offset, int32_t size) = 0;
    virtual void Reply(Follower& follower, const wire::FollowReply& reply) = 0;
    virtual Time Now() const = 0;
  };

  // roles: names, by position.
  Follower(World& world, rpc::ConnectionId id, const wire::FollowRequest& request,
           const std::vector<std::string>& roles);

  rpc::ConnectionId id() const { return id_; }
  bool WantsTask(TaskId task) const;
  // Something is still to be sent of what ran in the container.
  bool Awaits(const OutputContainer& container) const;
  // Its client has taken nothing for a while.
  bool stalled(Time now) const { return !unwritten_.empty() && now - progress_ > kPatience; }
  // What was there when it began is known: it can be told when it has caught up.
  bool begun() const { return begun_; }
  void Begin();

  void OnOutput(const OutputKey& key, const Output& output);
  void OnPulled(const OutputKey& key, int32_t asked, wire::LogData data);
  void OnPullLost(const OutputKey& key, int32_t asked);
  void OnWritten();
  // Sends and asks for as much as there is room for. True: it has just been sent its last.
  bool Pump();
  // The job has ended: sends all that is left.
  void Finish();

 private:
  static constexpr std::chrono::milliseconds kPatience{500};

  struct Progress {
    int64_t sent = 0;       // bytes, from the beginning
    int64_t requested = 0;  // pulled up to here
    int64_t target = 0;     // what was there when the follow began
    int in_flight = 0;      // pulls
    bool queued = false, end_sent = false, unreadable = false;
    bool behind = false;     // something that was there when the follow began is still to be sent:
    bool needs_end = false;  // also that it has ended
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

  World& world_;
  const rpc::ConnectionId id_;
  const bool wants_logs_, sizes_only_, now_only_;
  wire::LogsWanted wanted_;
  int wanted_role_ = -1;               // -1: all
  std::map<OutputKey, int64_t> have_;  // of a connection before
  std::map<OutputKey, Progress> sources_;
  std::deque<OutputKey> turns_;
  int64_t journal_sent_ = 0, journal_target_ = 0;
  size_t next_end_ = 0;  // in attempt_ends: those before hold nothing back
  int64_t load_ = 0;     // bytes asked for or not taken
  std::deque<int64_t> unwritten_;
  Time progress_;
  int behind_ = 0;
  bool begun_ = false, caught_up_ = false, over_ = false;
};

}  // namespace howdah::am

// An application master's dealings with the ResourceManager (org.apache.hadoop.yarn.api.ApplicationMasterProtocol):
// registering, the heartbeat that asks and hears, and the end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/rpc/client_options.h"
#include "howdah/hadoop/yarn/allocation.h"

namespace howdah::hadoop::yarn {

// How the scheduler's calls are made; AsioCalls is the real one.
class Calls {
 public:
  using Done = std::function<void(Result<std::string> response)>;
  virtual ~Calls() = default;
  // done is called later, never from within.
  virtual void Call(std::string_view method, std::string request, Done done) = 0;
  virtual void SetToken(hadoop::rpc::Token token) = 0;
};

// To the ResourceManagers' scheduler addresses that the configuration names, authenticated by the AMRM token.
Result<std::unique_ptr<Calls>> AsioCalls(boost::asio::io_context& loop,
                                         const hadoop::conf::Configuration& configuration,
                                         hadoop::rpc::Token am_rm_token);

// What the owner is told, on the loop's thread. It may call the scheduler from within.
class SchedulerSink {
 public:
  virtual ~SchedulerSink() = default;
  virtual void OnRegistered(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response) = 0;
  // Every answer, before what follows from it: NM tokens, updated nodes, headroom.
  virtual void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) = 0;
  virtual void OnGranted(const Allocation::Granted& granted) = 0;
  virtual void OnCompleted(const Allocation::Completed& completed) = 0;
  // The ResourceManager will not give what the last asks were for; they are given up.
  virtual void OnRejected(const Error& error) = 0;
  // The ResourceManager cannot be reached, and why; empty: it can again. What runs goes on.
  virtual void OnUnreachable(const std::string& why) = 0;
  // The cluster has forgotten this attempt, or could not be reached for too long: the application master must end.
  // Nothing is called any more.
  virtual void OnLost(const Error& error) = 0;
};

struct SchedulerOptions {
  std::string host;  // where clients reach the application master
  int rpc_port = -1;
  std::string tracking_url;                     // empty: none
  Duration expiry = std::chrono::minutes(10);   // yarn.am.liveness-monitor.expiry-interval-ms
  Duration give_up = std::chrono::minutes(15);  // of not reaching any ResourceManager
  AllocationOptions allocation;
};

// Pauses between heartbeats. Something to tell is told at once, but calls are at least kFloor apart. While an answer is
// awaited (asks, exits) the pause grows with the time since anything has happened: a node's heartbeat, at which grants
// are made, comes every second by default, so a gang is granted within the first seconds or waits for long. Otherwise a
// beat a second: it is how an executor's sudden death is heard of, and what YARN's own library does.
inline constexpr Duration kFloor = std::chrono::milliseconds(10);
Duration PauseWhileAwaiting(Duration since_news);
Duration PauseWhenIdle(Duration expiry);

// One thread: the loop's.
class Scheduler {
 public:
  Scheduler(boost::asio::io_context& loop, std::unique_ptr<Calls> calls, SchedulerSink& sink, SchedulerOptions options);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Registers, answered by OnRegistered, and beats from then on.
  void Register();
  // Instead of it, by a process that goes on for one of the same attempt that has died: that one had registered, and
  // taken answers up to this one. OnRegistered is not called.
  void GoOn(int32_t response_id);

  // As Allocation's; the ResourceManager is told at once.
  void Ask(int key, const Shape& shape, int count);
  void CancelAll();
  void Release(const ContainerId& id);
  void Forget(const ContainerId& id) { allocation_.Forget(id); }
  void Adopt(int key, const Shape& shape, const ContainerId& id, const std::string& node) {
    allocation_.Adopt(key, shape, id, node);
  }
  void AdoptSurplus(const ContainerId& id, const std::string& node);
  void NodeFailed(const std::string& node);
  void Avoid(const std::string& host, Duration limit);
  void NodeWorked(const std::string& node) { allocation_.NodeWorked(node); }
  void SetNodes(std::vector<KnownNode> nodes);
  const Allocation& allocation() const { return allocation_; }
  // Beats fast as long as it is set: something is about to happen that the ResourceManager will tell.
  void SetExpecting(bool expecting);

  void SetProgress(float progress) { progress_ = progress; }
  void SetTrackingUrl(const std::string& url);

  // Beats no more; nothing is called any more.
  void Stop();

 private:
  enum class State { kNew, kRegistering, kBeating, kOver };

  void SendRegister();
  void OnRegisterAnswer(Result<std::string> bytes);
  void Plan();
  void Beat();
  void OnBeatAnswer(Result<std::string> bytes);
  void OnBeatFailure(const Error& error);
  void Take(const ::hadoop::yarn::AllocateResponseProto& response);
  void Reached();
  bool GoneFor(const Error& error);
  void Lose(const Error& error);
  void After(Duration pause, void (Scheduler::*then)());
  Instant Now() const;

  std::unique_ptr<Calls> calls_;
  SchedulerSink& sink_;
  const SchedulerOptions options_;
  Allocation allocation_;
  State state_ = State::kNew;
  bool calling_ = false;
  bool registered_once_ = false;
  bool expecting_ = false;
  bool unreachable_ = false;
  float progress_ = 0;
  std::string tracking_url_;
  bool url_changed_ = false;
  std::string am_rm_token_;  // the identifier of the newest
  Instant last_call_{}, last_news_{}, last_reached_{};
  boost::asio::steady_timer timer_;
  uint64_t timer_use_ = 0;

  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// One call that blocks until its answer.
using BlockingCall = std::function<Result<std::string>(std::string_view method, const std::string& request)>;
// To the addresses of AsioCalls.
Result<BlockingCall> BlockingSchedulerCall(const hadoop::conf::Configuration& configuration,
                                           hadoop::rpc::Token am_rm_token);

// The end of an application: blocks until the ResourceManager has taken it. An application master that leaves before is
// taken for one that died. Registers again with `again` if the ResourceManager has been restarted since. kTimeout: it
// has not taken it within the limit.
Status Unregister(const BlockingCall& call, const ::hadoop::yarn::FinishApplicationMasterRequestProto& finish,
                  const ::hadoop::yarn::RegisterApplicationMasterRequestProto& again, Duration limit);

}  // namespace howdah::hadoop::yarn

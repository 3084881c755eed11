// An application master's protocol with the ResourceManager (org.apache.hadoop.yarn.api.ApplicationMasterProtocol):
// registration, the allocate heartbeat, and unregistration.
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

// The transport of calls to the scheduler. AsioCalls makes the implementation for real clusters.
class SchedulerCalls {
 public:
  using Done = std::function<void(Result<std::string> response)>;
  virtual ~SchedulerCalls() = default;
  // Calls `done` later, never from within Call.
  virtual void Call(std::string_view method, std::string request, Done done) = 0;
  virtual void SetToken(hadoop::rpc::Token token) = 0;
};

// Makes calls to the scheduler addresses in the configuration, authenticated by the AMRM token.
Result<std::unique_ptr<SchedulerCalls>> AsioCalls(boost::asio::io_context& loop,
                                                  const hadoop::conf::Configuration& configuration,
                                                  hadoop::rpc::Token am_rm_token);

// Receives events on the loop's thread. Its functions may call the Scheduler.
class SchedulerSink {
 public:
  virtual ~SchedulerSink() = default;
  virtual void OnRegistered(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response) = 0;
  // Called for every answer before its effects: NM tokens, updated nodes, headroom.
  virtual void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) = 0;
  virtual void OnGranted(const Allocation::Granted& granted) = 0;
  virtual void OnCompleted(const Allocation::Completed& completed) = 0;
  // The ResourceManager rejected the last asks; they were dropped.
  virtual void OnRejected(const Error& error) = 0;
  // The ResourceManager is unreachable for the reason `why`, or reachable again if `why` is empty. Running containers
  // continue.
  virtual void OnUnreachable(const std::string& why) = 0;
  // The ResourceManager has forgotten this attempt, or was unreachable for too long. The application master must exit.
  // No other call follows.
  virtual void OnLost(const Error& error) = 0;
};

struct SchedulerOptions {
  std::string host;  // the address of the application master for clients
  int rpc_port = -1;
  std::string tracking_url;                     // empty if there is none
  Duration expiry = std::chrono::minutes(10);   // yarn.am.liveness-monitor.expiry-interval-ms
  Duration give_up = std::chrono::minutes(15);  // without reaching any ResourceManager
  AllocationOptions allocation;
};

// Pauses between heartbeats. Changes are sent immediately, but at least kMinPause apart. While grants or exits are
// expected, the pause grows with the time since the last event. Nodes report once a second by default, and their
// reports lead to grants, so a gang is granted within the first seconds or has to wait for long. Otherwise there is one
// heartbeat per second, as in YARN's own library: heartbeats also report the sudden death of an executor.
inline constexpr Duration kMinPause = std::chrono::milliseconds(10);
Duration PauseWhileAwaiting(Duration since_news);
Duration PauseWhenIdle(Duration expiry);

// Use only on the loop's thread.
class Scheduler {
 public:
  Scheduler(boost::asio::io_context& loop, std::unique_ptr<SchedulerCalls> calls, SchedulerSink& sink,
            SchedulerOptions options);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Registers and starts the heartbeat. OnRegistered reports the registration.
  void Register();
  // Replaces Register in a process that continues for a dead one of the same attempt. The dead process had registered
  // and received answers up to `response_id`. OnRegistered is not called.
  void Resume(int32_t response_id);

  // These are as in Allocation. Changes are sent to the ResourceManager immediately.
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
  void NodeSucceeded(const std::string& node) { allocation_.NodeSucceeded(node); }
  void SetNodes(std::vector<KnownNode> nodes);
  const Allocation& allocation() const { return allocation_; }
  // Whether an event at the ResourceManager is expected. If so, heartbeats are frequent.
  void SetExpecting(bool expecting);

  void SetTrackingUrl(const std::string& url);

  // Stops the heartbeat and all calls to the sink.
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

  std::unique_ptr<SchedulerCalls> calls_;
  SchedulerSink& sink_;
  const SchedulerOptions options_;
  Allocation allocation_;
  State state_ = State::kNew;
  bool calling_ = false;
  bool registered_once_ = false;
  bool expecting_ = false;
  bool unreachable_ = false;
  std::string tracking_url_;
  bool url_changed_ = false;
  std::string am_rm_token_;  // the identifier of the newest token
  Instant last_call_{}, last_news_{}, last_reached_{};
  boost::asio::steady_timer timer_;
  uint64_t timer_use_ = 0;

  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Makes one blocking call to the ResourceManager.
using BlockingCall = std::function<Result<std::string>(std::string_view method, const std::string& request)>;
// Uses the same addresses as AsioCalls.
Result<BlockingCall> BlockingSchedulerCall(const hadoop::conf::Configuration& configuration,
                                           hadoop::rpc::Token am_rm_token);

// Unregisters the application: blocks until the ResourceManager has accepted its end. YARN considers an application
// master failed if it exits before that. If the ResourceManager has been restarted, registers with `again` first.
// Returns kTimeout if the end is not accepted within the limit.
Status Unregister(const BlockingCall& call, const ::hadoop::yarn::FinishApplicationMasterRequestProto& finish,
                  const ::hadoop::yarn::RegisterApplicationMasterRequestProto& again, Duration limit);

}  // namespace howdah::hadoop::yarn

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

// The transport of calls to the scheduler. AsioCalls creates the implementation for real clusters.
class SchedulerCalls {
 public:
  using Done = std::function<void(Result<std::string> response)>;
  virtual ~SchedulerCalls() = default;
  // Starts a call. `done` is called later, never from within Call.
  virtual void Call(std::string_view method, std::string request, Done done) = 0;
  virtual void SetToken(hadoop::rpc::Token token) = 0;
};

// Creates a transport to the scheduler addresses in the configuration. It authenticates with the AMRM token.
Result<std::unique_ptr<SchedulerCalls>> AsioCalls(boost::asio::io_context& loop,
                                                  const hadoop::conf::Configuration& configuration,
                                                  hadoop::rpc::Token am_rm_token);

// Receives the scheduler's events on the loop's thread. Its functions may call the Scheduler.
class SchedulerSink {
 public:
  virtual ~SchedulerSink() = default;
  // answer: nullopt if it was lost. The ResourceManager does not repeat it.
  virtual void OnRegistered(const std::optional<::hadoop::yarn::RegisterApplicationMasterResponseProto>& answer) = 0;
  // Called for every answer, before the calls for its effects: NM tokens, updated nodes, headroom.
  virtual void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) = 0;
  // Called for surplus containers, too. Allocation releases these, and OnCompleted is not called for them.
  virtual void OnGranted(const Allocation::Granted& granted) = 0;
  virtual void OnCompleted(const Allocation::Completed& completed) = 0;
  // The ResourceManager rejected the last asks. They are not sent again before the next Ask for them. containers: those
  // that they requested, by key.
  virtual void OnRejected(const Error& error, const std::map<int, int>& containers) = 0;
  // The ResourceManager is unreachable for the reason `why`. If `why` is empty, the ResourceManager is reachable again.
  // Containers continue to run while it is unreachable.
  virtual void OnUnreachable(const std::string& why) = 0;
  // The ResourceManager does not know this attempt any more, or was unreachable for too long. The application master
  // must exit. No other function of the sink is called afterwards.
  virtual void OnLost(const Error& error) = 0;
};

struct SchedulerOptions {
  std::string host;  // the address at which clients reach the application master
  int rpc_port = -1;
  std::string tracking_url;                     // empty if there is none
  Duration expiry = std::chrono::minutes(10);   // yarn.am.liveness-monitor.expiry-interval-ms
  Duration give_up = std::chrono::minutes(15);  // longest time without reaching any ResourceManager
  AllocationOptions allocation;
};

// Pauses between heartbeats. Changes are sent immediately, but at least kMinPause apart. While grants or exits are
// expected, the pause grows with the time since the last event: nodes report once a second by default, and the
// scheduler grants containers on these reports, so a gang is granted either within the first seconds or much later.
// Otherwise there is one heartbeat per second, as in YARN's own library, because the answers also report the sudden
// death of an executor.
inline constexpr Duration kMinPause = std::chrono::milliseconds(10);
Duration PauseWhileExpecting(Duration since_event);
Duration PauseWhenIdle(Duration expiry);

// Use only on the loop's thread.
class Scheduler {
 public:
  Scheduler(boost::asio::io_context& loop, std::unique_ptr<SchedulerCalls> calls, SchedulerSink& sink,
            SchedulerOptions options);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Registers the application master and starts the heartbeat. OnRegistered reports success.
  void Register();
  // Call this instead of Register in a process that replaces a dead process of the same attempt. The dead process had
  // registered and received answers up to `response_id`. OnRegistered is not called.
  void Resume(int32_t response_id);

  // These functions are as in Allocation. Changes are sent to the ResourceManager immediately.
  void Ask(int key, const Shape& shape, int count);
  void CancelAll();
  void Release(const ContainerId& id);
  void Adopt(int key, const Shape& shape, const ContainerId& id, const std::string& node) {
    allocation_.Adopt(key, shape, id, node);
  }
  void AdoptSurplus(const ContainerId& id, const std::string& node);
  void NodeFailed(const std::string& node);
  void Avoid(const std::string& host, Duration limit);
  void NodeSucceeded(const std::string& node) { allocation_.NodeSucceeded(node); }
  void SetNodes(std::vector<KnownNode> nodes);
  const Allocation& allocation() const { return allocation_; }
  // `expecting`: whether the ResourceManager will soon have an event to report. If so, heartbeats are frequent.
  void SetExpecting(bool expecting);

  // Sets the progress of the application, from 0 to 1. The ResourceManager shows it to everybody.
  void SetProgress(float progress);

  // Stops the heartbeat and all calls to the sink.
  void Stop();

 private:
  enum class State { kNew, kRegistering, kHeartbeating, kStopped };

  void SendRegister();
  void OnRegisterAnswer(Result<std::string> bytes);
  void Plan();
  void SendHeartbeat();
  void OnHeartbeatAnswer(Result<std::string> bytes);
  void OnHeartbeatFailure(const Error& error);
  void Take(const ::hadoop::yarn::AllocateResponseProto& response);
  void OnReached();
  bool ReportUnreachable(const Error& error);
  void ReportLost(const Error& error);
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
  float progress_ = 0;
  bool facts_changed_ = false;  // the ResourceManager has not received the tracking URL or the progress
  std::string am_rm_token_;     // the identifier of the newest AMRM token
  Instant last_call_{}, last_event_{}, last_reached_{};
  boost::asio::steady_timer timer_;
  uint64_t timer_use_ = 0;

  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Makes a call to the ResourceManager and blocks until the answer.
using BlockingCall = std::function<Result<std::string>(std::string_view method, const std::string& request)>;
// Makes calls to the same addresses as AsioCalls.
Result<BlockingCall> BlockingSchedulerCall(const hadoop::conf::Configuration& configuration,
                                           hadoop::rpc::Token am_rm_token);

// Unregisters the application. Blocks until the ResourceManager has accepted the end of the application, because YARN
// considers an application master that exits earlier as failed. If the ResourceManager has been restarted, registers
// with `again` first. Returns kTimeout if the end is not accepted within the limit.
Status Unregister(const BlockingCall& call, const ::hadoop::yarn::FinishApplicationMasterRequestProto& finish,
                  const ::hadoop::yarn::RegisterApplicationMasterRequestProto& again, Duration limit);

}  // namespace howdah::hadoop::yarn

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

// Transport of the scheduler's calls; AsioCalls is the implementation for real clusters.
class SchedulerCalls {
 public:
  using Done = std::function<void(Result<std::string> response)>;
  virtual ~SchedulerCalls() = default;
  // SchedulerCalls done later, never from within.
  virtual void Call(std::string_view method, std::string request, Done done) = 0;
  virtual void SetToken(hadoop::rpc::Token token) = 0;
};

// SchedulerCalls the scheduler addresses in the configuration, authenticated by the AMRM token.
Result<std::unique_ptr<SchedulerCalls>> AsioCalls(boost::asio::io_context& loop,
                                                  const hadoop::conf::Configuration& configuration,
                                                  hadoop::rpc::Token am_rm_token);

// Events for the owner, on the loop's thread. It may call the scheduler from within.
class SchedulerSink {
 public:
  virtual ~SchedulerSink() = default;
  virtual void OnRegistered(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response) = 0;
  // Called for every answer before its effects: NM tokens, updated nodes, headroom.
  virtual void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) = 0;
  virtual void OnGranted(const Allocation::Granted& granted) = 0;
  virtual void OnCompleted(const Allocation::Completed& completed) = 0;
  // The ResourceManager rejected the last asks, which were dropped.
  virtual void OnRejected(const Error& error) = 0;
  // The ResourceManager is unreachable, for this reason; empty: reachable again. Running containers continue.
  virtual void OnUnreachable(const std::string& why) = 0;
  // The cluster has forgotten this attempt, or was unreachable for too long: the application master must exit. The last
  // call.
  virtual void OnLost(const Error& error) = 0;
};

struct SchedulerOptions {
  std::string host;  // the address of the application master for clients
  int rpc_port = -1;
  std::string tracking_url;                     // empty: none
  Duration expiry = std::chrono::minutes(10);   // yarn.am.liveness-monitor.expiry-interval-ms
  Duration give_up = std::chrono::minutes(15);  // after so long without reaching any ResourceManager
  AllocationOptions allocation;
};

// Pauses between heartbeats. Changes are sent immediately, but at least kMinPause apart. While grants or exits are
// expected the pause grows with the time since the last event: nodes, whose heartbeats make grants, report once a
// second by default, so a gang is granted within the first seconds or has to wait for long. Otherwise one heartbeat per
// second, as in YARN's own library: it also reports the sudden death of an executor.
inline constexpr Duration kMinPause = std::chrono::milliseconds(10);
Duration PauseWhileAwaiting(Duration since_news);
Duration PauseWhenIdle(Duration expiry);

// Used on the loop's thread only.
class Scheduler {
 public:
  Scheduler(boost::asio::io_context& loop, std::unique_ptr<SchedulerCalls> calls, SchedulerSink& sink,
            SchedulerOptions options);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Registers, reported by OnRegistered, and starts the heartbeat.
  void Register();
  // Instead of Register, for a process that replaces a dead one of the same attempt, which had registered and received
  // answers up to this one. OnRegistered is not called.
  void Resume(int32_t response_id);

  // As in Allocation; sent to the ResourceManager immediately.
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
  // While set, heartbeats are frequent: an event at the ResourceManager is expected.
  void SetExpecting(bool expecting);

  void SetProgress(float progress) { progress_ = progress; }
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
  float progress_ = 0;
  std::string tracking_url_;
  bool url_changed_ = false;
  std::string am_rm_token_;  // the identifier of the newest token
  Instant last_call_{}, last_news_{}, last_reached_{};
  boost::asio::steady_timer timer_;
  uint64_t timer_use_ = 0;

  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// A blocking call.
using BlockingCall = std::function<Result<std::string>(std::string_view method, const std::string& request)>;
// Uses the addresses of AsioCalls.
Result<BlockingCall> BlockingSchedulerCall(const hadoop::conf::Configuration& configuration,
                                           hadoop::rpc::Token am_rm_token);

// Unregisters the application: blocks until the ResourceManager has accepted its end. An application master that exits
// before that is taken for a failed one. Registers again with `again` if the ResourceManager has been restarted.
// kTimeout: not accepted within the limit.
Status Unregister(const BlockingCall& call, const ::hadoop::yarn::FinishApplicationMasterRequestProto& finish,
                  const ::hadoop::yarn::RegisterApplicationMasterRequestProto& again, Duration limit);

}  // namespace howdah::hadoop::yarn

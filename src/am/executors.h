// The connections of executors: converts their messages to core events, and the core's orders to messages.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "feeds.h"
#include "followers.h"
#include "howdah/base/host_port.h"
#include "howdah/base/ids.h"
#include "howdah/core/action.h"
#include "howdah/core/event.h"
#include "howdah/core/job.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/am_server.h"
#include "metrics_keeper.h"

namespace howdah::am {

// The interval of heartbeats: a tenth of the limit, so that several lost heartbeats do not reach the limit. It is at
// most 5 s, so that the usage in the heartbeats is current.
Duration HeartbeatInterval(Duration heartbeat_limit);

// The minimum interval between two events that report only the progress of a task. Each event is written to the event
// log, so the interval grows with the number of tasks.
Duration ProgressInterval(Duration heartbeat_limit, int tasks);

// Call it only on the thread of the AM's loop.
class Executors {
 public:
  // Deliver passes an event to the core. Send is AmServer::Send.
  using Deliver = std::function<void(core::Event)>;
  using Send =
      std::function<void(rpc::ConnectionId, const wire::ToExecutor&, std::shared_ptr<const rpc::SharedCluster>)>;
  struct Limits {
    Duration heartbeat;  // maximum time without a message from the executor
    Duration await_am;   // how long executors wait for another AM; 0: they do not wait
    Duration progress;   // minimum interval between progress events of a task
    Duration leave;      // how long an executor whose container has ended may stay connected
  };
  // The parts of the AM that receive the connections of executors, and the messages of their kinds. They must live
  // longer than this object.
  struct Parts {
    Followers& followers;
    MetricsKeeper& metrics;
    Feeds& feeds;
  };
  // on_left: called when the executor of the container has killed all processes of its task, and exits as ordered.
  using OnLeft = std::function<void(const ContainerId&)>;
  // on_moved: called when an executor has moved to another AM of the job. This AM must exit.
  using OnMoved = std::function<void()>;
  Executors(boost::asio::io_context& io, Limits limits, const os::process::Clock& clock, Parts parts, Deliver deliver,
            Send send, OnLeft on_left, OnMoved on_moved);

  void OnMessage(rpc::ConnectionId connection, wire::FromExecutor message);
  void OnClosed(rpc::ConnectionId connection);

  // Call it before each StartTask. Sets the peer group and the exports of all roles, which the tasks started in this
  // step receive. Calls that repeat a step do nothing, so the values are encoded once per step.
  void SetCluster(uint64_t step, const core::PeerGroup& cluster, const core::Exports& exports);
  // rendezvous: the server of the generation in the order; nullopt if the framework needs none. feeds: those that the
  // processes of the attempt read.
  void Start(const core::StartTask& order, const std::optional<HostPort>& rendezvous,
             const std::vector<wire::FeedReaders>& feeds);
  void Stop(const core::StopTask& order);
  // Ignored if the container's executor is not connected.
  void Order(const ContainerId& container, const wire::ToExecutor& order) { SendTo(container, order, nullptr); }
  // Orders the executor to keep the logs of its task: now, and after each reconnect.
  void KeepLogs(const ContainerId& container);
  // Sends the job's newer tokens to all connected executors, and to each that connects later. Empty: there are none.
  void SetTokens(std::string tokens);
  // Call it when the backend has reported the end of the container. From then on, messages of the container are
  // ignored, and an executor that is still connected is ordered to exit. Calls `ended` when, as far as the AM can
  // determine, no process of the container is left: immediately if the executor is not connected, otherwise when its
  // connection closes, at the latest after Limits::leave. This wait is necessary because YARN reports the end of a
  // container as soon as its first process, the guardian, has died, whereas the executor stays connected until it has
  // killed all processes of its task.
  void Forget(const ContainerId& container, std::function<void()> ended);

  bool connected(const ContainerId& container) const;
  // The newest usage sample of the container's task.
  const journal::Usage* usage(const ContainerId& container) const;
  // The newest progress of the container's task.
  struct Progress {
    int attempt = -1;
    core::TaskProgress newest;
  };
  const Progress* progress(const ContainerId& container) const;

 private:
  struct Executor {
    std::optional<rpc::ConnectionId> connection;
    journal::Usage usage;
    Progress progress;
    std::optional<core::TaskProgressed> undelivered;  // the newest progress that the core has not received yet
    Instant deliver_next;
  };
  // An executor that was ordered to exit because its container has ended, and that is still connected.
  struct Leaving {
    std::function<void()> ended;
    boost::asio::steady_timer limit;
  };
  // Ends the wait of Forget if the connection belongs to an executor in leaving_.
  void EndLeaving(rpc::ConnectionId connection);
  void OnProgress(const ContainerId& container, const wire::Progress& message);
  void ReportUsage(const ContainerId& container, const wire::Usage& usage);
  void Register(rpc::ConnectionId connection, const wire::Register& message);
  void SendTo(const ContainerId& container, const wire::ToExecutor& message,
              std::shared_ptr<const rpc::SharedCluster> cluster);

  boost::asio::io_context& io_;
  const Limits limits_;
  const os::process::Clock& clock_;
  const Parts parts_;
  Deliver deliver_;
  Send send_;
  OnLeft on_left_;
  OnMoved on_moved_;
  std::unordered_map<rpc::ConnectionId, ContainerId> by_connection_;
  std::unordered_map<ContainerId, Executor> by_container_;
  std::unordered_set<ContainerId> gone_, keep_logs_;
  std::unordered_map<rpc::ConnectionId, Leaving> leaving_;
  wire::ToExecutor newer_tokens_;  // has no order if there are none
  std::shared_ptr<const rpc::SharedCluster> cluster_;
  uint64_t cluster_step_ = 0;  // the step in which cluster_ was encoded
};

}  // namespace howdah::am

// The containers that the job holds. Launches them on their NodeManagers, observes their start and stops them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/hadoop/yarn/node_managers.h"

namespace howdah::backend::yarn::am {

// Used on the loop's thread only.
class ContainerTable {
 public:
  struct Container {
    explicit Container(boost::asio::io_context& loop) : stop_timer(loop), progress_timer(loop), left_timer(loop) {}
    ::hadoop::yarn::ContainerProto proto;
    std::string node;       // the node's name in the scheduler
    std::string label;      // node label of the requested partition
    std::string preemptor;  // the queue for which YARN preempts the container, once known
    bool launched = false;
    bool started = false;    // the NodeManager has confirmed the start
    bool connected = false;  // the executor in the container has connected
    bool releasing = false;  // the job has released the container, so its end is never a failure
    bool stopping = false;   // the NodeManager has been or will be asked to stop the container
    bool left = false;       // on_left was called: for the job, the container has ended
    Duration start_time{0};  // time from the launch to the last scheduled progress check
    boost::asio::steady_timer stop_timer, progress_timer, left_timer;
  };
  struct Events {
    std::function<void(const ContainerId& id, const std::string& progress)> on_starting;
    std::function<void(const ContainerId& id, const Error& error)> on_start_failed;
    // Called if the end of a container was not reported in time after its NodeManager was asked to stop it.
    std::function<void(const ContainerId& id)> on_stop_timeout;
    // Called if the cluster has not reported the end of a container soon after its executor has left it.
    std::function<void(const ContainerId& id)> on_left;
  };
  // register_limit: the time within which an executor must connect after its launch.
  ContainerTable(boost::asio::io_context& loop, Duration register_limit, Events events);

  void AddToken(const ::hadoop::yarn::NMTokenProto& token) { node_managers_.AddToken(token); }
  // Returns the container with this id. Adds it if necessary.
  Container& Add(const ContainerId& id);
  Container* Find(const ContainerId& id);
  void Remove(const ContainerId& id);
  std::vector<ContainerId> OnNode(const std::string& node) const;
  // Whether a container on the host has not ended yet.
  bool HasOnHost(const std::string& host) const;
  bool any_releasing() const { return releasing_ > 0; }

  void Launch(const ContainerId& id, const ::hadoop::yarn::ContainerLaunchContextProto& context);
  void Connected(const ContainerId& id);
  void MarkReleasing(const ContainerId& id);
  // The executor of a released container exits. The container stays in the table until the cluster reports its end.
  void Left(const ContainerId& id);
  // Asks the NodeManager to stop the container.
  void Stop(const ContainerId& id);

 private:
  void OnStarted(const ContainerId& id, const Status& started);
  // Queries the progress of the container's start at growing intervals until the executor has connected.
  void CheckProgressLater(const ContainerId& id);
  void OnProgress(const ContainerId& id, const Result<::hadoop::yarn::ContainerStatusProto>& status);
  // Stops the container if it still exists after a while. For a container that the core has forgotten (on_left).
  void StopLater(Container& container, const ContainerId& id);
  void SendStop(const ContainerId& id);

  boost::asio::io_context& loop_;
  Duration register_limit_;
  Events events_;
  hadoop::yarn::NodeManagers node_managers_;
  std::unordered_map<ContainerId, Container> containers_;
  // The number of containers whose `releasing` is true. Counted here, because every grant and exit reads the number.
  int releasing_ = 0;
};

}  // namespace howdah::backend::yarn::am

#include "container_table.h"

#include <algorithm>
#include <utility>

#include "container_exit.h"
#include "howdah/hadoop/yarn/ids.h"

namespace howdah::backend::yarn::am {
namespace {

using namespace std::chrono_literals;

// The progress of a start is queried and reported only if the start takes at least this long.
constexpr Duration kFirstProgressCheck = 10s;
// After its node was asked to stop a container, the ResourceManager must report the container's end within this time.
constexpr auto kStopLimit = 8000ms;
// The cluster has this time to report the end of a container after its executor has left it. A node reports it with its
// next heartbeat, but with Docker only many seconds later. The guardian exits within milliseconds after the executor.
constexpr auto kReportLimit = 250ms;
// A container is stopped if it still exists this long after its executor has left it: the executor hangs in its exit.
constexpr auto kExitLimit = 10s;

hadoop::yarn::ContainerId YarnIdOf(const ContainerId& id) {
  return hadoop::yarn::ParseContainerId(id.text).value_or(hadoop::yarn::ContainerId());
}

}  // namespace

ContainerTable::ContainerTable(boost::asio::io_context& loop, Duration register_limit, Events events)
    : loop_(loop), register_limit_(register_limit), events_(std::move(events)), node_managers_(loop) {}

ContainerTable::Container& ContainerTable::Add(const ContainerId& id) {
  return containers_.try_emplace(id, loop_).first->second;
}

ContainerTable::Container* ContainerTable::Find(const ContainerId& id) {
  const auto it = containers_.find(id);
  return it == containers_.end() ? nullptr : &it->second;
}

void ContainerTable::Remove(const ContainerId& id) {
  const auto it = containers_.find(id);
  if (it == containers_.end()) return;
  if (it->second.releasing) --releasing_;
  containers_.erase(it);
}

std::vector<ContainerId> ContainerTable::OnNode(const std::string& node) const {
  std::vector<ContainerId> ids;
  for (const auto& [id, container] : containers_) {
    if (container.node == node && !container.releasing) ids.push_back(id);
  }
  return ids;
}

bool ContainerTable::HasOnHost(const std::string& host) const {
  return std::any_of(containers_.begin(), containers_.end(),
                     [&](const auto& entry) { return entry.second.proto.nodeid().host() == host; });
}

void ContainerTable::Launch(const ContainerId& id, const ::hadoop::yarn::ContainerLaunchContextProto& context) {
  Container* container = Find(id);
  if (container == nullptr) return;
  container->launched = true;
  node_managers_.Start(container->proto, context, [this, id](const Status& started) { OnStarted(id, started); });
}

void ContainerTable::OnStarted(const ContainerId& id, const Status& started) {
  Container* container = Find(id);
  if (container == nullptr) return;
  if (!started.ok()) return events_.on_start_failed(id, started.error());
  container->started = true;
  // Carry out a stop that was requested before the NodeManager confirmed the start.
  if (container->stopping) return SendStop(id);
  CheckProgressLater(id);
}

void ContainerTable::Connected(const ContainerId& id) {
  Container* container = Find(id);
  if (container == nullptr) return;
  container->connected = true;
  container->progress_timer.cancel();
}

void ContainerTable::CheckProgressLater(const ContainerId& id) {
  Container& container = containers_.at(id);
  if (container.connected || container.releasing || container.stopping) return;
  // Each pause doubles the time since the launch, so that long starts cause few queries. The first query comes before
  // register_limit expires.
  const Duration pause =
      std::max(container.start_time, std::min<Duration>(kFirstProgressCheck, register_limit_ * 3 / 4));
  container.start_time += pause;
  container.progress_timer.expires_after(pause);
  container.progress_timer.async_wait([this, id](const boost::system::error_code& error) {
    const Container* container = Find(id);
    if (error || container == nullptr || container->connected) return;
    node_managers_.Ask(hadoop::yarn::FromProto(container->proto.nodeid()), YarnIdOf(id),
                       [this, id](const auto& status) { OnProgress(id, status); });
  });
}

void ContainerTable::OnProgress(const ContainerId& id, const Result<::hadoop::yarn::ContainerStatusProto>& status) {
  const Container* container = Find(id);
  if (container == nullptr || container->connected || container->releasing) return;
  const std::string progress = DescribeStartProgress(status, container->proto.nodeid().host());
  if (!progress.empty()) {
    events_.on_starting(id, progress + ", " + FormatDuration(container->start_time) + " after the launch");
  }
  CheckProgressLater(id);
}

void ContainerTable::MarkReleasing(const ContainerId& id) {
  Container* container = Find(id);
  if (container != nullptr && !std::exchange(container->releasing, true)) ++releasing_;
}

void ContainerTable::Left(const ContainerId& id) {
  Container* container = Find(id);
  if (container == nullptr || !container->releasing) return;
  container->left_timer.expires_after(kReportLimit);
  container->left_timer.async_wait([this, id](const boost::system::error_code& error) {
    Container* container = Find(id);
    if (error || container == nullptr) return;
    container->left = true;
    if (!container->stopping) StopLater(*container, id);
    events_.on_left(id);
  });
}

void ContainerTable::StopLater(Container& container, const ContainerId& id) {
  container.stop_timer.expires_after(kExitLimit);
  container.stop_timer.async_wait([this, id](const boost::system::error_code& error) {
    if (!error && Find(id) != nullptr) Stop(id);
  });
}

void ContainerTable::Stop(const ContainerId& id) {
  Container& container = containers_.at(id);
  container.stopping = true;
  SendStop(id);
  container.stop_timer.expires_after(kStopLimit);
  container.stop_timer.async_wait([this, id](const boost::system::error_code& error) {
    if (!error && Find(id) != nullptr) events_.on_stop_timeout(id);
  });
}

// If the NodeManager has not confirmed the start yet, OnStarted stops the container later, because the NodeManager may
// not have the container before that.
void ContainerTable::SendStop(const ContainerId& id) {
  const Container& container = containers_.at(id);
  if (!container.started) return;
  node_managers_.Stop(hadoop::yarn::FromProto(container.proto.nodeid()), YarnIdOf(id), [](const Status&) {});
}

}  // namespace howdah::backend::yarn::am

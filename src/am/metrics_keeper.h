// The metrics of the job: receives the samples of executors, keeps them in a file, and serves them to clients.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/metrics/recorder.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/am_server.h"
#include "howdah/wire/control.pb.h"
#include "howdah/wire/executor.pb.h"
#include "metrics_watcher.h"
#include "metrics_writer.h"

namespace howdah::am {

// Call it only on the thread of the AM's loop. Metrics are not events of the core: no decision depends on them, and no
// failure here affects the job.
class MetricsKeeper {
 public:
  struct Wires {
    std::function<void(rpc::ConnectionId, const wire::MetricsReply&)> reply;  // AmServer::SendToFollower
    std::function<void(rpc::ConnectionId)> close;                             // AmServer::Close
    std::function<void(const ContainerId&, const wire::ToExecutor&)> order;
  };
  // path: the metrics file. New samples are added to an existing file. clock and spec must live longer than this
  // object.
  MetricsKeeper(boost::asio::io_context& loop, const jobspec::JobSpec& spec, const os::process::Clock& clock,
                const std::string& path, Wires wires);

  // From containers and their executors.
  void OnLaunched(const ContainerId& container, TaskId task);
  // Begins a new stream, in which the executor describes its series again.
  void OnConnected(const ContainerId& container);
  void OnDisconnected(const ContainerId& container);
  void OnSamples(const ContainerId& container, const wire::MetricSamples& samples);
  void OnContainerGone(const ContainerId& container) { streams_.erase(container); }

  // From clients.
  void OnWatch(rpc::ConnectionId id, const wire::MetricsRequest& request);
  void OnWritten(rpc::ConnectionId id);
  void OnGone(rpc::ConnectionId id);

  // Call it at the end of the job, after the last sample. Writes the file, and ends the calls of clients.
  void Finish();

 private:
  // The samples of one executor.
  struct Stream {
    metrics::TaskKey task;
    struct Series {
      metrics::Series series;
      std::optional<int> rank;
      std::optional<double> capacity;
    };
    std::unordered_map<uint32_t, Series> series;  // the described series, by their number on this stream
    bool connected = false, watched = false;
  };

  void Continue();
  metrics::Sample SampleOf(Stream& stream, const wire::MetricSamples& samples) const;
  std::vector<metrics::TaskKey> Tasks() const;
  void Serve(rpc::ConnectionId id, MetricsWatcher& watcher);
  void WatchWanted();
  void TickRoles();
  void WriteLater(Duration pause);
  void Write();
  void Encode(std::shared_ptr<metrics::Encoder> encoder, Duration spent);
  void OnFileWritten(const Status& written);

  boost::asio::io_context& loop_;
  const jobspec::JobSpec& spec_;
  const os::process::Clock& clock_;
  const std::string path_;
  const metrics::Limits limits_;
  Wires wires_;
  std::optional<metrics::Recorder> recorder_;  // none before the first sample
  std::unordered_map<ContainerId, Stream> streams_;
  std::unordered_map<rpc::ConnectionId, std::unique_ptr<MetricsWatcher>> watchers_;
  boost::asio::steady_timer write_timer_, roles_timer_;
  bool ticking_ = false;
  uint64_t written_ = 0;  // value of Recorder::changes for the newest file
  Duration pause_{0};     // the pause before the next write
  std::string reported_;  // the error that was reported last
  MetricsWriter writer_;
};

}  // namespace howdah::am

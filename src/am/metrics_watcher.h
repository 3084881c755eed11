// One client that watches the metrics of the job: its request, and the replies that it has not read yet.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "howdah/metrics/recorder.h"
#include "howdah/rpc/am_server.h"
#include "howdah/wire/control.pb.h"

namespace howdah::am {

// Call it only on the thread of the AM's loop. At most about 1 MiB of replies is sent and not yet read by the client.
// Beyond that, the table waits, and samples are dropped.
class MetricsWatcher {
 public:
  using Send = std::function<void(const wire::MetricsReply&)>;
  // tasks: the tasks with metrics, in the order of the table. send: sends a reply to the client.
  MetricsWatcher(const wire::MetricsRequest& request, std::vector<metrics::TaskKey> tasks, Send send);

  // Whether the client wants new samples of the task.
  bool WantsSamples(const metrics::TaskKey& task) const;
  bool wants_roles() const { return query_.of == metrics::Query::Of::kRole && !now_; }
  bool complete() const { return complete_; }
  // Whether the client wants only the metrics that exist now, and has received them.
  bool finished() const { return now_ && complete_; }

  // Sends as much of the table as the limit of unread bytes allows.
  void Pump(const metrics::Recorder& recorder);
  // For clients that watch roles: sends the newest buckets again.
  void SendNewest(const metrics::Recorder& recorder);
  void OnSample(const metrics::TaskKey& task, const metrics::Sample& sample);
  // The client has read the oldest reply.
  void OnWritten();

 private:
  bool Selects(const metrics::TaskKey& task) const;
  void SendTable(const metrics::Table& table);
  void SendColumns(const metrics::Table& table);
  void SendComplete();
  void Reply(const wire::MetricsReply& reply);

  metrics::Query query_;
  const std::set<std::string> series_;
  const bool now_;
  std::vector<metrics::TaskKey> tasks_;  // the tasks in the table
  const Send send_;
  size_t next_ = 0;                      // index of the next task to send
  std::optional<metrics::Table> table_;  // the table that was sent, without its columns
  bool complete_ = false;
  std::deque<size_t> unread_;  // sizes of the replies that the client has not read
  size_t load_ = 0;            // sum of the sizes in unread_
};

}  // namespace howdah::am

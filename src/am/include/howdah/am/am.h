// The application master (AM) of one job: a shell around core::Job. Events come from executors, the backend, clients
// and the clock. The AM passes each event to the core and performs the resulting actions. It makes no decision about
// the job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/backend.h"
#include "howdah/backend/page_readers.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/loop_watch.h"
#include "howdah/rpc/identity.h"
#include "howdah/rpc/peers.h"
#include "howdah/storage/files.h"

namespace boost::asio {
class io_context;
}

namespace howdah::am {

// How others reach the AM.
struct Listening {
  std::string address;         // the address for executors and clients, for example "10.0.0.7:40123"
  uint16_t tracking_port = 0;  // port of the status page, on the same host; 0: the AM serves no page
  std::function<void(os::files::Fd socket)> add_executor;  // rpc::AmServer::AddExecutor; call it on the loop
};

// The status page: plain HTTP for browsers that connect through the backend's own proxy, which authenticates users.
// Other requests are redirected to that proxy, like Hadoop's AmIpFilter does.
struct Tracking {
  // Returns the current IP addresses of the proxy's hosts. Called on the loop for every request, so it must not block.
  // If this function is empty, the AM serves no page and opens no port for it.
  std::function<std::vector<std::string>()> peers;
  // The URL of the page through the proxy, for users and the status:
  // "http://example.com:8088/proxy/application_1_0001".
  std::string proxy_url;
  // Returns the address of a task's output after its executor has exited; "" if there is none. The function may be
  // empty.
  std::function<std::string(const journal::TaskView& task)> logs_url;
  // Creates the check of users. If the function is empty or returns null, everyone whom the proxy lets pass may read
  // the page.
  std::function<std::unique_ptr<backend::PageReaders>(boost::asio::io_context& loop)> make_readers;
};

// The parameters of an AM. All that depends on the backend is a parameter, so the AM uses no concrete backend.
struct AmOptions {
  JobId job;
  jobspec::JobSpec spec;
  int attempt = 0;
  // How the previous AM died: a clause such as "was killed by signal 9 (SIGKILL)"; empty: unknown.
  std::string how_before_died;
  // 0 unless the event log of the previous AM is lost. In that case: the generation with which this AM begins, and the
  // number of the first attempt that it starts for each task.
  int generation = 0, first_task_attempt = 0;
  // The time from which `timeouts.gang` counts; nullopt: the submission of the job.
  std::optional<Instant> gang_since;
  // The reaction to SIGTERM. true: the AM exits immediately, because the backend is about to kill the whole container.
  // false: the AM stops the job and gives its tasks their grace period.
  bool leave_on_sigterm = false;
  std::string node;         // name of this machine
  std::string listen_host;  // address that executors and clients can reach
  rpc::Peers peers = rpc::Peers::kAny;
  uint16_t listen_port = 0;  // used if it is free; 0: any port
  // Whether the executors know listen_port from the previous AM, and reconnect by themselves. Otherwise this AM calls
  // them.
  bool executors_know_port = false;
  // Whether another AM of this job may run on another machine, without the files of this one.
  bool may_move = false;
  // How long the backend may take to detect an AM's death and to start another AM. Executors wait for the next AM for
  // this time plus timeouts.am.
  Duration failover_delay{0};
  std::string journal;  // path of an existing file whose first line is JobSubmitted
  // Path of the event log. If the file exists, the AM resumes the job from it.
  std::string event_log;
  std::string metrics;  // path of the metrics file (docs/metrics.md); if it exists, it is continued
  // Writes the job's history for other tools. Called once, before the final state is recorded, with the whole journal
  // and the line of that state. An error does not change the outcome of the job; it becomes part of the job's advice.
  std::function<Status(const std::string& journal)> write_history;
  // Deletes the reserve files. They occupy space that the end of a job needs if the disk is full.
  std::function<void()> free_reserve = [] {};
  std::string agents_log_directory;  // directory for the output of TensorBoard
  // For a tensorboard.logdir in a remote file system. open_logdir opens that file system: it is called on the loop, and
  // its result is used on another thread. logdir_copy is the absolute path of a local directory for a copy. Both are
  // empty for a local directory.
  std::function<Result<std::unique_ptr<storage::Files>>()> open_logdir;
  std::string logdir_copy;
  // Environment of processes that the AM starts itself (TensorBoard): "NAME=VALUE".
  std::vector<std::string> environment;
  // The soft limit of open files for these processes (os/process/limits.h); nullopt: that of the AM.
  std::optional<uint64_t> open_files;
  rpc::Identity identity;
  // Receives the loop's pulse, so that the guardian can detect a hang. Must live longer than the AM; null: no guardian.
  const os::process::LoopPulse* pulse = nullptr;
  Tracking tracking;
  // Called once, on the loop, when executors and clients can connect. If it returns an error, the AM exits.
  std::function<Status(const Listening& listening)> on_listening;
};

// Creates the AM's backend. Called once the AM listens. If it returns an error, the AM exits.
using MakeBackend = std::function<Result<std::unique_ptr<backend::Backend>>(
    boost::asio::io_context& loop, backend::Sink& sink, const Listening& listening)>;

// Runs the job to its end on the calling thread. After success, the final state is in the journal. An error means
// that the AM could not continue the job, and names the failed operation. clock is used for all times in this process.
Status RunAm(AmOptions options, const os::process::Clock& clock, const MakeBackend& make_backend);

}  // namespace howdah::am

// The application master (AM) of one job: a shell around core::Job. Events come from executors, the backend, clients
// and the clock; each is stepped, and the actions of the step are performed. No decision about the job is made here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/backend.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/identity.h"
#include "howdah/storage/files.h"

namespace boost::asio {
class io_context;
}

namespace howdah::am {

// The addresses of an AM.
struct Listening {
  std::string address;         // for executors and clients: "10.0.0.7:40123"
  uint16_t tracking_port = 0;  // of the status page, on the same host; 0: no page
};

// The status page: plain HTTP for browsers that come through the backend's own proxy, which authenticates users. Other
// requests are redirected to that proxy, as by Hadoop's AmIpFilter.
struct Tracking {
  // The current IP addresses of the proxy's hosts. Called on the loop for every request, so it must not block. Empty
  // function: there is no page, and nothing listens.
  std::function<std::vector<std::string>()> peers;
  std::string
      proxy_url;  // of the page, for people: "http://example.com:8088/proxy/application_1_0001"; also in the status
  // The address of a task's output after its executor has exited; "": none. May be empty.
  std::function<std::string(const journal::TaskView& task)> logs_url;
};

// The parameters of an AM. It knows nothing else about the backend.
struct AmOptions {
  JobId job;
  jobspec::JobSpec spec;
  int attempt = 0;
  std::string
      how_before_died;  // how the previous AM died: a clause, "was killed by signal 9 (SIGKILL)"; empty: unknown
  // An AM that follows one whose event log is lost begins the next generation, and continues the numbers of attempts.
  int generation = 0, first_task_attempt = 0;
  std::optional<Instant> gang_since;  // `timeouts.gang` counts from here; none: from the job's submission
  // true: SIGTERM means that the backend kills the whole container soon, so the AM exits at once. false: it stops the
  // job with grace.
  bool leave_on_sigterm = false;
  std::string node;          // name of this machine
  std::string listen_host;   // address that executors and clients can reach
  uint16_t listen_port = 0;  // the port of the previous AM, if it is free; 0: any
  // How long the backend may take to detect an AM's death and start another one. Executors wait for that one this long
  // plus timeouts.am.
  Duration place_notices{0};
  std::string journal;  // path of a file that has its first line, JobSubmitted
  // Path of the event log; if the file exists, the AM resumes the job from it.
  std::string event_log;
  std::string agents_log_directory;  // for the output of TensorBoard
  // For a tensorboard.logdir in a remote file system: opens that file system, and the absolute path of a local
  // directory for a copy. Called on the loop; the result is used on another thread. Empty: none.
  std::function<Result<std::unique_ptr<storage::Files>>()> open_logdir;
  std::string logdir_copy;
  std::vector<std::string> environment;  // of processes that the AM starts itself (TensorBoard): "NAME=VALUE"
  rpc::Identity identity;
  Tracking tracking;
  // Called once, on the loop, when executors and clients can connect. An error ends the AM.
  std::function<Status(const Listening& listening)> on_listening;
};

// Makes the backend's part of the AM. Called when the AM listens. An error ends the AM.
using MakeBackend = std::function<Result<std::unique_ptr<backend::Backend>>(
    boost::asio::io_context& loop, backend::Sink& sink, const Listening& listening)>;

// Runs the job to its end on the calling thread. The final state is in the journal when it returns. An error says what
// the AM could not do.
// clock: of this process, for everything in it.
Status RunAm(AmOptions options, const os::process::Clock& clock, const MakeBackend& make_backend);

}  // namespace howdah::am

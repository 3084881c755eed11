// The application master of one job: a shell around core::Job. Facts come in from executors, the place, clients and the
// clock; each is a Step; each action of the step is carried out. No decision about the job is made here.
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

// Where an AM can be reached.
struct Listening {
  std::string address;         // of executors and clients: "10.0.0.7:40123"
  uint16_t tracking_port = 0;  // of the status page, on the same host; 0: there is none
};

// The status page: plain HTTP for browsers that come through the place's own proxy, which knows who they are. Whoever
// comes from elsewhere is sent to that proxy, as Hadoop's AmIpFilter does.
struct Tracking {
  // The IP addresses of the proxy's hosts, as they are now; called on the loop for every request, so it must not block.
  // Empty function: there is no page, and nothing listens.
  std::function<std::vector<std::string>()> peers;
  std::string
      proxy_url;  // of the page, for people: "http://example.com:8088/proxy/application_1_0001"; also in the status
  // Where the output of a task can be read whose executor is gone; "": nowhere. May be empty.
  std::function<std::string(const journal::TaskView& task)> logs_url;
};

// What an AM is started with. Files of the place; the AM knows no more of the place than these.
struct AmOptions {
  JobId job;
  jobspec::JobSpec spec;
  int attempt = 0;
  std::string how_before_died;  // the AM before this one: a clause, "was killed by signal 9 (SIGKILL)"; empty: unknown
  // An AM that comes after another whose event log is lost begins the next generation, and numbers attempts onwards.
  int generation = 0, first_task_attempt = 0;
  std::optional<Instant> gang_since;  // from when `timeouts.gang` counts; none: from the job's submission
  // SIGTERM says that the place is ending everything, at once: the AM leaves. false: it stops the job with grace.
  bool leave_on_sigterm = false;
  std::string node;          // name of this machine
  std::string listen_host;   // address that executors and clients can reach
  uint16_t listen_port = 0;  // where an AM before this one was reached, if it can be had; 0: any
  // How long the place may take to notice that an AM has died and start another one; executors await that one for as
  // long as timeouts.am says beyond it.
  Duration place_notices{0};
  std::string journal;  // path; its first line, JobSubmitted, is there already
  // What the AM is told; if it is there, the AM goes on with the job of the one that wrote it.
  std::string event_log;
  std::string agents_log_directory;  // where TensorBoard's own output goes
  // How tensorboard.logdir is read, and the absolute path of a directory for a copy of it here, where another file
  // system than this machine's has it. Called on the loop; what it opens is used on another thread. Empty: there is
  // none.
  std::function<Result<std::unique_ptr<storage::Files>>()> open_logdir;
  std::string logdir_copy;
  std::vector<std::string> environment;  // of processes that the AM starts itself (TensorBoard): "NAME=VALUE"
  rpc::Identity identity;
  Tracking tracking;
  // Called once, on the loop, when executors and clients can connect. Not ok: the AM ends.
  std::function<Status(const Listening& listening)> on_listening;
};

// Makes the place's half of the AM. Called once the AM listens. An error: the AM ends.
using MakeBackend = std::function<Result<std::unique_ptr<backend::Backend>>(
    boost::asio::io_context& loop, backend::Sink& sink, const Listening& listening)>;

// Runs the job to its end on the calling thread. The final state is in the journal when it returns; an error: the AM
// could not do its work, and what it was doing.
// clock: of this process, for everything in it.
Status RunAm(AmOptions options, const os::process::Clock& clock, const MakeBackend& make_backend);

}  // namespace howdah::am

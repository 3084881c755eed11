// The application master of one job: a shell around core::Job. Facts come in from executors, the place, clients and the
// clock; each is a Step; each action of the step is carried out. No decision about the job is made here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "howdah/backend/backend.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/rpc/identity.h"
#include "howdah/spec/job_spec.h"

namespace boost::asio {
class io_context;
}

namespace howdah::am {

// What an AM is started with. Files of the place; the AM knows no more of the place than these.
struct AmOptions {
  JobId job;
  spec::JobSpec spec;
  int attempt = 0;
  std::string node;                      // name of this machine
  std::string listen_host;               // address that executors and clients can reach
  std::string journal;                   // path; its first line, JobSubmitted, is there already
  std::string agents_log_directory;      // where TensorBoard's own output goes
  std::vector<std::string> environment;  // of processes that the AM starts itself (TensorBoard): "NAME=VALUE"
  rpc::Identity identity;
  // Called once, on the loop, when executors and clients can connect. Not ok: the AM ends.
  std::function<Status(const std::string& address)> on_listening;
};

// Makes the place's half of the AM. Called once the AM listens on `address`.
using MakeBackend = std::function<std::unique_ptr<backend::Backend>(boost::asio::io_context& loop, backend::Sink& sink,
                                                                    const std::string& address)>;

// Runs the job to its end on the calling thread. The final state is in the journal when it returns; an error: the AM
// could not do its work, and what it was doing.
Status RunAm(AmOptions options, const MakeBackend& make_backend);

}  // namespace howdah::am

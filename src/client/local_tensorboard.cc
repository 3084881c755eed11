#include "howdah/client/local_tensorboard.h"

#include <signal.h>
#include <unistd.h>

#include <optional>

#include "howdah/client/submitter.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "howdah/storage/mirror.h"

namespace howdah::client {
namespace {

constexpr char kInstall[] =
    "`tensorboard` is not in PATH; run `pip install tensorboard`, or add the directory that contains it to PATH";

constexpr int64_t kMostBytes = int64_t{8} << 30;  // limit for the copy on this machine's disk

}  // namespace

Result<EventFiles> FindEventFiles(backend::Cluster& cluster, const std::string& logdir, const std::string& copy,
                                  const std::stop_token& stop) {
  if (const auto local = storage::LocalPath(logdir)) {
    if (access(local->c_str(), R_OK | X_OK) != 0)
      return os::files::SystemError("reading " + *local + ", which must be on this machine");
    return EventFiles{.directory = *local};
  }
  HOWDAH_TRY(const auto files, cluster.OpenFiles(logdir));
  storage::Mirror mirror(*files, storage::PathOfUri(logdir), copy, kMostBytes);
  const Status copied = mirror.Update(os::process::Clock().Now(), stop);
  return EventFiles{copy, mirror.count(), copied.ok() ? "" : copied.error().message};
}

Result<os::process::Child> StartTensorBoard(const std::string& logdir, uint16_t port, int output) {
  os::process::SpawnRequest request;
  const os::process::FoundCommand found = os::process::LookUpCommand("tensorboard", Variable("PATH").value_or(""), "");
  if (found.error != 0) return Failed(kInstall);
  request.program = found.program;
  request.argv = {"tensorboard", "--logdir", logdir, "--host", "127.0.0.1", "--port", std::to_string(port)};
  for (char** variable = environ; *variable != nullptr; ++variable) request.environment.emplace_back(*variable);
  request.stdout_fd = request.stderr_fd = output;
  request.death_signal = SIGTERM;
  return os::process::SpawnOrError(request);
}

}  // namespace howdah::client

#include "howdah/executor/task.h"

#include <unistd.h>

#include <cstdio>

#include "executor.h"
#include "guardian.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/tree.h"
#include "run_executor.h"
#include "say.h"

namespace howdah::executor {
namespace {

constexpr Duration kTunnelConnectLimit = std::chrono::seconds(10);

}  // namespace

int RunExecutor(const TaskOptions& options, const Connect& connect, MakeChannelTo make_channel, pid_t guardian) {
  if (const Status reaper = os::process::BecomeSubreaper(); !reaper.ok()) return Say(reaper.error().message), 1;
  auto port = os::process::PortReservation::Reserve();
  if (!port) return Say(port.error().message), 1;
  // Left to the end of the process: taking it apart would only wait for threads.
  Executor& executor = *new Executor(options, std::move(*port), guardian, std::move(make_channel));
  for (const auto step : {+[](Executor&e, const Connect&c) { return e.Attach(c); },
                          +[](Executor&e, const Connect&) { return e.Prepare(); }}) {
    if (const Status done = step(executor, connect); !done.ok()) return Say(done.error().message), 1;
  }
  return executor.Run();
}

int RunTask(const TaskOptions& options) {
  const auto executor = [&](pid_t guardian) {
    const auto identity = options.load_identity();
    if (!identity) return Say(identity.error().message), 1;
    return RunExecutor(
        options,
        [&](const std::string& am, rpc::Post post, rpc::ExecutorLink::Handlers handlers, Duration limit) {
          return rpc::ExecutorLink::Connect(am, *identity, std::move(post), std::move(handlers), limit);
        },
        [&](const std::string& am, rpc::Post post) {
          return rpc::FrameChannel::Make(am, *identity, std::move(post), kTunnelConnectLimit);
        },
        guardian);
  };
  return RunGuardian(executor, [&] {
    if (!options.remove_work_dir) return;
    if (const Status removed = os::files::RemoveTree(options.work_dir); !removed.ok()) Say(removed.error().message);
  });
}

}  // namespace howdah::executor

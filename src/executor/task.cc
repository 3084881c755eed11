#include "howdah/executor/task.h"

#include <utility>

#include "executor.h"
#include "guardian.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/tree.h"
#include "log.h"
#include "run_executor.h"
#include "task_feeds.h"

namespace howdah::executor {
namespace {

constexpr Duration kStreamConnectLimit = std::chrono::seconds(10);

Result<int> Run(const TaskOptions& options, Connect connect, MakeChannelTo make_channel, const Guardian& guardian) {
  HOWDAH_TRY_STATUS(os::process::BecomeSubreaper());
  HOWDAH_TRY(os::process::PortReservation port, os::process::PortReservation::Reserve());
  // The executor is never destroyed: the process ends by _exit, and a destructor would only wait for threads.
  Executor& executor = *new Executor(options, std::move(port), guardian, std::move(connect), std::move(make_channel));
  HOWDAH_TRY_STATUS(executor.Register());
  HOWDAH_TRY_STATUS(executor.Prepare());
  return executor.Run();
}

}  // namespace

int RunExecutor(const TaskOptions& options, Connect connect, MakeChannelTo make_channel, const Guardian& guardian) {
  const auto status = Run(options, std::move(connect), std::move(make_channel), guardian);
  if (status.ok()) return *status;
  Log(status.error().message);
  return 1;
}

int RunTask(const TaskOptions& given) {
  TaskOptions options = given;
  options.feed_socket_dir = FeedSocketDirectory(options.work_dir);
  const auto executor = [&](const Guardian& guardian) {
    const auto identity = options.load_identity();
    if (!identity) {
      Log(identity.error().message);
      return 1;
    }
    os::files::Fd socket(options.am_socket);
    return RunExecutor(
        options,
        [&](const std::string& am, rpc::Post post, rpc::ExecutorLink::Handlers handlers, Duration limit) {
          if (socket.valid()) {
            return rpc::ExecutorLink::Over(std::move(socket), am, std::move(post), std::move(handlers), limit);
          }
          return rpc::ExecutorLink::Connect(am, *identity, std::move(post), std::move(handlers), limit);
        },
        [&](const std::string& am, rpc::Post post) {
          return rpc::FrameChannel::Make(am, *identity, std::move(post), kStreamConnectLimit);
        },
        guardian);
  };
  const auto at_end = [&] {
    if (const Status removed = os::files::RemoveTree(options.feed_socket_dir); !removed.ok()) {
      Log(removed.error().message);
    }
    if (!options.remove_work_dir) return;
    if (const Status removed = os::files::RemoveTree(options.work_dir); !removed.ok()) Log(removed.error().message);
  };
  return RunGuardian(executor, at_end, options.am_socket);
}

}  // namespace howdah::executor

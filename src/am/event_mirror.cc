#include "event_mirror.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/clock.h"
#include "howdah/storage/mirror.h"

namespace howdah::am {
namespace {

constexpr Duration kPause = std::chrono::seconds(5);  // the reload interval of TensorBoard
// Limits the use of the node's disk, because the node's tasks need the space.
constexpr int64_t kMostBytes = int64_t{8} << 30;

}  // namespace

EventMirror::EventMirror(std::unique_ptr<storage::Files> files, const os::process::Clock& clock, std::string from,
                         std::string to, std::string log)
    : files_(std::move(files)),
      clock_(clock),
      from_(std::move(from)),
      to_(std::move(to)),
      log_(std::move(log)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void EventMirror::Run(const std::stop_token& stop) {
  storage::Mirror mirror(*files_, from_, to_, kMostBytes);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any ended;
  while (!stop.stop_requested()) {
    const Status updated = mirror.Update(clock_.Now(), stop);
    if (!stop.stop_requested()) Tell(updated);
    ended.wait_for(lock, stop, kPause, [] { return false; });
  }
}

void EventMirror::Tell(const Status& status) {
  if (status.ok() || std::exchange(told_, status.error().message) == status.error().message) return;
  const auto log = os::files::OpenForAppend(log_);
  // If the log cannot be written either, ignore the error: a job does not depend on its event files.
  if (log.ok()) (void)os::files::AppendLine(log->get(), "copying event files: " + status.error().message, log_).ok();
}

}  // namespace howdah::am

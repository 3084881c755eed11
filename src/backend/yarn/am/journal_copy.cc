#include "journal_copy.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "howdah/os/files/files.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr Duration kMinPause = std::chrono::seconds(1);
constexpr int kPausePerCopyTime = 10;
constexpr size_t kMaxFileSize = size_t{256} << 20;

}  // namespace

JournalCopy::JournalCopy(HadoopClient cluster, JobId id, std::string journal, std::string event_log)
    : cluster_(std::move(cluster)),
      id_(std::move(id)),
      journal_(std::move(journal)),
      event_log_(std::move(event_log)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { Run(); }) {}

JournalCopy::~JournalCopy() {
  const uint64_t one = 1;
  if (write(stop_.get(), &one, sizeof one) == sizeof one) thread_.join();
}

bool JournalCopy::AwaitChange(int watch) {
  pollfd wanted[2] = {{stop_.get(), POLLIN, 0}, {watch, POLLIN, 0}};
  while (poll(wanted, 2, -1) < 0) continue;
  if (wanted[0].revents != 0) return false;
  char events[4096];
  return read(watch, events, sizeof events) > 0;
}

void JournalCopy::Run() {
  using Clock = std::chrono::steady_clock;
  const os::files::Fd watch(inotify_init1(IN_CLOEXEC));
  if (!watch.valid() || inotify_add_watch(watch.get(), journal_.c_str(), IN_MODIFY) < 0 ||
      inotify_add_watch(watch.get(), event_log_.c_str(), IN_MODIFY) < 0) {
    std::cerr << os::files::SystemError("watching " + journal_ + " and " + event_log_).message << "\n";
    return;
  }
  std::string reported;
  do {
    const auto begin = Clock::now();
    const Status stored = Store();
    if (!stored.ok() && stored.error().message != reported) {
      reported = stored.error().message;
      std::cerr << "storing the journal: " << reported << "; will retry\n";
    }
    const auto took = std::chrono::duration_cast<Duration>(Clock::now() - begin);
    pollfd wanted{stop_.get(), POLLIN, 0};
    poll(&wanted, 1, static_cast<int>(std::max(kMinPause, took * kPausePerCopyTime).count() / 1000));
  } while (AwaitChange(watch.get()));
}

// Reads the journal first and stores it last: it is derived from the events, so the stored journal must not be newer
// than the stored events.
Status JournalCopy::Store() {
  HOWDAH_TRY(const auto layout, cluster_.StagingLayout());
  HOWDAH_TRY(const auto journal, os::files::ReadFile(journal_, kMaxFileSize));
  HOWDAH_TRY(const auto events, os::files::ReadFile(event_log_, kMaxFileSize));
  HOWDAH_TRY_STATUS(cluster_.WriteFile(layout.event_log(id_), events, 0600));
  return cluster_.WriteFile(layout.journal(id_), journal, 0600);
}

}  // namespace howdah::backend::yarn::am

#include "howdah/client/follow.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <climits>

namespace howdah::client {
namespace {

using std::chrono::steady_clock;

class CallingSink final : public JournalSink {
 public:
  explicit CallingSink(const FollowOptions& options) : JournalSink(options.on_note), options_(options) {}
  void OnEntry(const core::JournalEntry& entry) override {
    JournalSink::OnEntry(entry);
    if (options_.on_entry) options_.on_entry(entry);
  }

 private:
  const FollowOptions& options_;
};

void ReadAll(backend::Follow& follow, backend::FollowSink& sink) {
  while (follow.Read(sink)) {
  }
}

}  // namespace

Result<journal::JobView> FollowJournal(backend::Cluster& cluster, const JobId& id, const FollowOptions& options) {
  HOWDAH_TRY(const auto follow, cluster.FollowJob(id, std::nullopt));
  const auto start = steady_clock::now();
  CallingSink sink(options);
  while (!follow->ended()) {
    ReadAll(*follow, sink);
    if (follow->ended() || options.until == Until::kNow) break;
    std::optional<Duration> left;
    if (options.limit) left = *options.limit - std::chrono::duration_cast<Duration>(steady_clock::now() - start);
    if (WaitFor(*follow, -1, left) == Woke::kTime) {
      return Error{ErrorCode::kTimeout, id.text + " is still " + std::string(core::ToText(sink.view.state)) +
                                            " after " + DurationToText(*options.limit)};
    }
  }
  if (follow->ended() && !sink.view.submitted) {
    // Nothing could be read. The status says why, for example because no job has this id.
    const auto status = cluster.Status(id);
    if (!status.ok()) return status.error();
  }
  if (options.until == Until::kNow && !sink.view.submitted) {
    // Every journal has an entry. The error says why it cannot be read: the job may belong to another user.
    HOWDAH_TRY_STATUS(cluster.ReadJournal(id, [](const core::JournalEntry&) {}));
  }
  if (options.until == Until::kEnd && !core::IsFinal(sink.view.state)) {
    return FollowStopped(id);
  }
  return std::move(sink.view);
}

Error FollowStopped(const JobId& id) {
  return Failed("following " + id.text +
                " stopped before the job ended, because its journal can no longer be read; "
                "`howdah status " +
                id.text + "` shows the job");
}

Result<bool> AwaitJob(backend::Cluster& cluster, const JobId& id, JournalSink& sink, int interrupt_fd,
                      const std::function<bool(const journal::JobView&)>& enough) {
  HOWDAH_TRY(const auto follow, cluster.FollowJob(id, std::nullopt));
  for (;;) {
    ReadAll(*follow, sink);
    if (enough(sink.view) || core::IsFinal(sink.view.state) || follow->ended()) return true;
    if (WaitFor(*follow, interrupt_fd, std::nullopt) == Woke::kInterrupt) return false;
  }
}

Woke WaitFor(const backend::Follow& follow, int interrupt_fd, std::optional<Duration> limit) {
  const auto start = steady_clock::now();
  for (;;) {
    int millis = -1;
    if (limit) {
      const auto left = *limit - std::chrono::duration_cast<Duration>(steady_clock::now() - start);
      // Round up to milliseconds. Otherwise poll would return just before the limit, and this loop would spin.
      const int64_t rounded = (std::max<int64_t>(left.count(), 0) + 999) / 1000;
      millis = static_cast<int>(std::min<int64_t>(rounded, INT_MAX));
    }
    pollfd wanted[2] = {{follow.fd(), POLLIN, 0}, {interrupt_fd, POLLIN, 0}};
    const int ready = poll(wanted, interrupt_fd < 0 ? 1 : 2, millis);
    if (ready < 0) continue;  // EINTR: the signal handler has written to interrupt_fd
    if (ready == 0) return Woke::kTime;
    if (interrupt_fd >= 0 && wanted[1].revents != 0) return Woke::kInterrupt;
    if (wanted[0].revents != 0) return Woke::kFollow;
  }
}

Result<StoppedJob> StopAndWait(backend::Cluster& cluster, const JobId& id, const StopOptions& options) {
  HOWDAH_TRY(journal::JobView before, cluster.Status(id));
  if (core::IsFinal(before.state)) return StoppedJob{std::move(before), true};
  HOWDAH_TRY(const std::string note, cluster.Stop(id, options.by, options.grace));
  if (!note.empty() && options.on_note) options.on_note(note);
  FollowOptions follow;
  follow.on_note = options.on_note;
  HOWDAH_TRY(journal::JobView after, FollowJournal(cluster, id, follow));
  HOWDAH_TRY_STATUS(cluster.AwaitGone(id));
  return StoppedJob{std::move(after), false};
}

}  // namespace howdah::client

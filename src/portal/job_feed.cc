#include "job_feed.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "howdah/journal/job_end.h"

namespace howdah::portal {
namespace {

using namespace std::chrono_literals;

constexpr Duration kFirstPause = 1s, kLongestPause = 30s;
// A running job is read again after this time even if nothing was reported, because its processes may have died.
constexpr Duration kIdleLimit = 10s;
constexpr Duration kShortestPause = 50ms;  // between two readings of one job
// A reading of a job whose AM is ending waits 2 s for the AM. The next one, which finds the end, must not come later
// because of that.
constexpr Duration kLongestRowPause = 3s;
constexpr int kCostFactor = 20;    // a job is read for at most 5 % of the time
constexpr Duration kSlice = 50ms;  // of reading rows, before the next look at events
constexpr Duration kFollowRetry = 3s;
constexpr size_t kMostEntriesAtOnce = 10'000;  // passed on at once

class Collect final : public backend::FollowSink {
 public:
  void OnEntry(const core::JournalEntry& entry) override { entries.push_back(entry); }
  void OnLog(const backend::LogSource&, std::string_view) override {}
  void OnNote(const std::string&) override {}
  std::vector<core::JournalEntry> entries;
};

}  // namespace

JobFeed::JobFeed(ClusterMaker make_cluster, Prices prices, Indexed indexed, Events events)
    : make_cluster_(std::move(make_cluster)),
      prices_(std::move(prices)),
      events_(std::move(events)),
      reconnect_{clock_.Now(), kFirstPause} {
  jobs_.ended = std::move(indexed.ended);
  for (const std::string& id : indexed.unfinished) jobs_.live[JobId{id}].changed = true;
  orders_.wake = os::files::Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  state_.since = reconnect_.at;
  thread_ = std::thread([this] { Run(); });
}

JobFeed::~JobFeed() {
  Stop({});
  thread_.join();
}

void JobFeed::Follow(const JobId& id) { Order(id, true); }

void JobFeed::Unfollow(const JobId& id) { Order(id, false); }

void JobFeed::Relist() {
  const std::lock_guard lock(orders_.mutex);
  orders_.relist = true;
  eventfd_write(orders_.wake.get(), 1);
}

void JobFeed::Order(const JobId& id, bool follow) {
  const std::lock_guard lock(orders_.mutex);
  orders_.list.emplace_back(id, follow);
  eventfd_write(orders_.wake.get(), 1);
}

bool JobFeed::Stop(Duration limit) {
  stopped_ = true;
  eventfd_write(orders_.wake.get(), 1);
  const Instant end = clock_.Now() + limit;
  while (!ended_ && clock_.Now() < end) poll(nullptr, 0, 5);
  return ended_;
}

void JobFeed::Run() {
  while (!stopped_) {
    if (!watch_ && clock_.Now() >= reconnect_.at && !Connect()) {
      reconnect_.at = clock_.Now() + reconnect_.pause;
      reconnect_.pause = std::min(reconnect_.pause * 2, kLongestPause);
    }
    WaitForEvents();
    TakeOrders();
    TakeChanges();
    for (auto& [id, followed] : followed_) ReadFollowed(id, followed);
    ReadRows();
    Flush();
  }
  followed_.clear();
  watch_.reset();
  cluster_.reset();
  ended_ = true;
}

// Begins to watch before it lists, so that no change is missed.
bool JobFeed::Connect() {
  const auto failed = [this](const Error& error) {
    SetState(BackendState::Kind::kFailing, error.message);
    watch_.reset();
    return false;
  };
  if (!cluster_) {
    auto made = make_cluster_();
    if (!made.ok()) return failed(made.error());
    cluster_ = std::move(*made);
  }
  auto watch = cluster_->Watch();
  if (!watch.ok()) return failed(watch.error());
  const auto ids = cluster_->Jobs(std::nullopt);
  if (!ids.ok()) return failed(ids.error());
  watch_ = std::move(*watch);
  jobs_.unlisted.clear();
  for (const JobId& id : *ids) {
    if (!jobs_.ended.contains(id.text)) jobs_.unlisted.push_back(id);
  }
  for (auto& [id, live] : jobs_.live) live.changed = true;
  reconnect_.pause = kFirstPause;
  SetState(BackendState::Kind::kOk, "");
  return true;
}

void JobFeed::SetState(BackendState::Kind kind, const std::string& detail) {
  const bool was_complete = state_.complete;
  if (kind == BackendState::Kind::kOk) {
    state_.complete = state_.complete || jobs_.unlisted.empty();
    if (!state_.complete) kind = BackendState::Kind::kLoading;
  }
  if (kind == state_.kind && detail == state_.detail && was_complete == state_.complete) return;
  if (kind != state_.kind) state_.since = clock_.Now();
  state_.kind = kind;
  state_.detail = detail;
  events_.on_state(state_);
}

void JobFeed::WaitForEvents() {
  std::vector<pollfd> wanted = {{orders_.wake.get(), POLLIN, 0}};
  if (watch_) wanted.push_back({watch_->fd(), POLLIN, 0});
  for (const auto& [id, followed] : followed_) {
    if (followed.follow && !followed.follow->ended()) wanted.push_back({followed.follow->fd(), POLLIN, 0});
  }
  int timeout = -1;
  if (watch_ && !jobs_.unlisted.empty()) {
    timeout = 0;
  } else if (const auto due = NextDue()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - clock_.Now()).count();
    timeout = static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
  }
  poll(wanted.data(), wanted.size(), timeout);
  eventfd_t ignored = 0;
  eventfd_read(orders_.wake.get(), &ignored);
}

std::optional<Instant> JobFeed::NextDue() const {
  std::optional<Instant> next;
  const auto add = [&](Instant at) { next = std::min(next.value_or(at), at); };
  if (!watch_) add(reconnect_.at);
  for (const auto& [id, live] : jobs_.live) {
    if (watch_) add(DueAt(live));
  }
  for (const auto& [id, followed] : followed_) {
    if (!followed.follow) add(followed.retry_at);
  }
  return next;
}

Instant JobFeed::DueAt(const Live& live) {
  const Duration pause = std::clamp<Duration>(live.cost * kCostFactor, kShortestPause, kLongestRowPause);
  return live.read_at + (live.changed ? pause : std::max(pause, kIdleLimit));
}

void JobFeed::TakeOrders() {
  std::vector<std::pair<JobId, bool>> orders;
  bool relist = false;
  {
    const std::lock_guard lock(orders_.mutex);
    orders.swap(orders_.list);
    relist = std::exchange(orders_.relist, false);
  }
  if (relist) {
    jobs_.ended.clear();
    state_.complete = false;
    watch_.reset();  // the next pass connects and lists
    reconnect_.at = clock_.Now();
  }
  for (const auto& [id, follow] : orders) {
    if (follow) {
      followed_[id].retry_at = clock_.Now();
    } else {
      followed_.erase(id);
    }
  }
}

void JobFeed::TakeChanges() {
  if (!watch_) return;
  pollfd readable{watch_->fd(), POLLIN, 0};
  if (poll(&readable, 1, 0) != 1) return;
  const auto changed = watch_->Changed();
  if (!changed.ok()) {
    // Keep the watch: its descriptor says when to try again.
    return SetState(BackendState::Kind::kFailing, changed.error().message);
  }
  SetState(BackendState::Kind::kOk, "");
  for (const JobId& id : *changed) jobs_.live[id].changed = true;
}

void JobFeed::ReadFollowed(const JobId& id, Followed& followed) {
  if (!followed.follow) {
    if (!cluster_ || clock_.Now() < followed.retry_at) return;
    auto follow = cluster_->FollowJob(id, std::nullopt);
    if (!follow.ok()) {
      followed.retry_at = clock_.Now() + kFollowRetry;
      return events_.on_follow_failed(id, follow.error());
    }
    followed.follow = std::move(*follow);
    followed.is_new = true;
    followed.caught_up = false;
  }
  if (followed.follow->ended() && followed.caught_up) {
    if (followed.has_ended) return;
    followed.follow.reset();  // the connection to the job was lost
    followed.retry_at = clock_.Now() + kFollowRetry;
    return;
  }
  pollfd readable{followed.follow->fd(), POLLIN, 0};
  if (poll(&readable, 1, 0) != 1) return;
  Collect sink;
  bool more = true;
  while (more && sink.entries.size() < kMostEntriesAtOnce) more = followed.follow->Read(sink);
  for (const core::JournalEntry& entry : sink.entries) followed.has_ended |= journal::EndsJob(entry);
  const bool was_caught_up = std::exchange(followed.caught_up, followed.caught_up || !more);
  if (!sink.entries.empty() || was_caught_up != followed.caught_up) {
    const bool restarted = std::exchange(followed.is_new, false);
    events_.on_entries(id, std::move(sink.entries), followed.caught_up, restarted);
  }
}

void JobFeed::ReadRows() {
  if (!watch_) return;
  const Instant end = clock_.Now() + kSlice;
  // Jobs that change come first, also during the first listing.
  std::vector<JobId> due;
  for (const auto& [id, live] : jobs_.live) {
    if (DueAt(live) <= clock_.Now()) due.push_back(id);
  }
  for (const JobId& id : due) ReadOne(id);
  while (!jobs_.unlisted.empty() && clock_.Now() < end && !stopped_) {
    const JobId id = jobs_.unlisted.front();
    jobs_.unlisted.pop_front();
    if (!jobs_.live.contains(id) || jobs_.live[id].read_at == Instant()) ReadOne(id);
  }
  if (jobs_.unlisted.empty() && !state_.complete) {
    Flush();  // the rows come before the message that they are complete
    SetState(BackendState::Kind::kOk, "");
  }
}

void JobFeed::ReadOne(const JobId& id) {
  const Instant begun = clock_.Now();
  watch_->Include(id);
  auto row = ReadRow(*cluster_, id, prices_, begun);
  const Instant now = clock_.Now();
  if (!row.ok() && row.error().code == ErrorCode::kNotFound) {
    jobs_.live.erase(id);  // still included: a job that is being submitted has no journal yet
    batch_.removed.push_back(id.text);
    return;
  }
  const bool has_ended = row.ok() && core::IsFinal(row->state);
  if (row.ok()) batch_.rows.push_back(std::move(*row));
  if (has_ended) {
    watch_->Exclude(id);
    jobs_.live.erase(id);
    jobs_.ended.insert(id.text);
  } else {
    jobs_.live[id] = {.read_at = now, .cost = now - begun};
  }
}

void JobFeed::Flush() {
  if (batch_.rows.empty() && batch_.removed.empty()) return;
  events_.on_rows(std::exchange(batch_.rows, {}), std::exchange(batch_.removed, {}));
}

}  // namespace howdah::portal

#include "followers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "howdah/backend/backend.h"

namespace howdah::am {
namespace {

constexpr std::chrono::milliseconds kTick{100};
// How long the begin of a follow waits for executors to report sizes.
constexpr std::chrono::seconds kBeginLimit{2};
constexpr int64_t kJournalPiece = 64 << 10, kLineLimit = 64 << 20;
constexpr int32_t kTail = 64 << 10;

std::vector<std::string> RolesOf(const jobspec::JobSpec& spec) {
  std::vector<std::string> roles;
  for (const jobspec::RoleSpec& role : spec.roles) roles.push_back(role.name);
  return roles;
}

}  // namespace

Followers::Followers(boost::asio::io_context& loop, const jobspec::JobSpec& spec, std::string journal, Wires wires)
    : spec_(&spec),
      roles_(RolesOf(spec)),
      journal_(std::move(journal)),
      wires_(std::move(wires)),
      outputs_([this](const OutputKey& key, const Output& output) {
        for (const auto& [id, follower] : followers_) follower->OnOutput(key, output);
      }),
      tick_(loop),
      finish_limit_(loop) {}

void Followers::OnFollow(rpc::ConnectionId id, const wire::FollowRequest& request) {
  auto& follower = followers_[id] = std::make_unique<Follower>(*this, id, request, roles_);
  begin_by_[id] = Now() + kBeginLimit;
  WatchWanted();
  Serve(*follower);
  Tick();
}

void Followers::OnWritten(rpc::ConnectionId id) {
  const auto it = followers_.find(id);
  if (it == followers_.end()) return;
  it->second->OnWritten();
  Serve(*it->second);
  Dismiss();
}

void Followers::OnGone(rpc::ConnectionId id) {
  followers_.erase(id);
  begin_by_.erase(id);
  WatchWanted();
  Dismiss();
  EndIfDone();
}

void Followers::Serve(Follower& follower) {
  if (!follower.begun()) BeginIfTold(follower);
  if (follower.Pump()) wires_.close(follower.id());
}

void Followers::ServeAll() {
  for (const auto& [id, follower] : followers_) Serve(*follower);
  Dismiss();
}

// The follow begins when every executor that it needs has reported its sizes.
void Followers::BeginIfTold(Follower& follower) {
  if (Now() < begin_by_[follower.id()]) {
    for (const auto& [id, container] : outputs_.containers()) {
      if (container->connected && !container->told && follower.WantsTask(container->task)) return;
    }
  }
  begin_by_.erase(follower.id());
  follower.Begin();
}

// Turns executors' size reports on or off, depending on whether a client follows them.
void Followers::WatchWanted() {
  for (const auto& [id, container] : outputs_.containers()) {
    if (!container->connected) continue;
    const bool wanted = std::any_of(followers_.begin(), followers_.end(),
                                    [&](const auto& follower) { return follower.second->WantsTask(container->task); });
    if (wanted == container->watched) continue;
    container->watched = wanted;
    container->told = false;
    wire::ToExecutor order;
    order.mutable_watch_logs()->set_on(wanted);
    wires_.order(id, order);
  }
}

void Followers::OnConnected(const ContainerId& container) {
  if (outputs_.Connected(container) != nullptr && !followers_.empty()) WatchWanted();
}

void Followers::OnStarted(const ContainerId& container, int attempt) {
  const OutputContainer* found = outputs_.Find(container);
  if (found == nullptr || !found->launched) return;
  outputs_.AttemptStarted(container, attempt, spec_->roles[static_cast<size_t>(found->task.role)].processes);
  ServeAll();
}

void Followers::OnSizes(const ContainerId& container, const wire::LogSizes& sizes) {
  outputs_.Told(container, sizes);
  ServeAll();
}

void Followers::OnAttemptEnded(const ContainerId& container, int attempt,
                               const google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes) {
  outputs_.AttemptEnded(container, attempt, sizes);
  ServeAll();
}

void Followers::Pull(Follower& follower, const OutputKey& key, int64_t offset, int32_t size) {
  const Output* output = outputs_.Find(key);
  const uint64_t tag = ++last_tag_;
  asked_[tag] = {output->container->id, follower.id(), key, size, {}};
  wire::ToExecutor order;
  wire::PullLog& pull = *order.mutable_pull_log();
  pull.set_tag(tag);
  pull.mutable_file()->set_attempt(key.attempt);
  pull.mutable_file()->set_local_rank(key.local_rank);
  pull.mutable_file()->set_is_stderr(key.is_stderr);
  pull.set_offset(offset);
  pull.set_max(size);
  wires_.order(output->container->id, order);
}

void Followers::Tail(const OutputKey& key, OnTail on_tail) {
  const Output* output = outputs_.Find(key);
  if (output == nullptr || !output->readable()) {
    return on_tail(Error{ErrorCode::kNotFound, "no executor has this output now"});
  }
  const uint64_t tag = ++last_tag_;
  asked_[tag] = {output->container->id, 0, key, kTail, std::move(on_tail)};
  wire::ToExecutor order;
  wire::PullLog& pull = *order.mutable_pull_log();
  pull.set_tag(tag);
  pull.mutable_file()->set_attempt(key.attempt);
  pull.mutable_file()->set_local_rank(key.local_rank);
  pull.mutable_file()->set_is_stderr(key.is_stderr);
  pull.set_max(kTail);
  pull.set_tail(true);
  wires_.order(output->container->id, order);
}

void Followers::OnData(const ContainerId& container, wire::LogData data) {
  const auto it = asked_.find(data.tag());
  if (it == asked_.end() || it->second.container != container) return;
  const Asked asked = std::move(it->second);
  asked_.erase(it);
  if (asked.on_tail) return asked.on_tail(std::move(*data.mutable_bytes()));
  outputs_.Seen(asked.key, data.size());
  const auto follower = followers_.find(asked.follower);
  if (follower == followers_.end()) return;
  follower->second->OnPulled(asked.key, asked.size, std::move(data));
  Serve(*follower->second);
  Dismiss();
}

void Followers::OnContainerGone(const ContainerId& container) {
  std::vector<Asked> lost;
  for (auto it = asked_.begin(); it != asked_.end();) {
    if (it->second.container != container) {
      ++it;
      continue;
    }
    lost.push_back(std::move(it->second));
    it = asked_.erase(it);
  }
  if (OutputContainer* found = outputs_.Find(container); found != nullptr && found->leaving) --leaving_;
  outputs_.Gone(container);
  for (const Asked& asked : lost) {
    if (asked.on_tail) asked.on_tail(Error{ErrorCode::kNotFound, "the executor has gone"});
    const auto follower = followers_.find(asked.follower);
    if (follower != followers_.end()) follower->second->OnPullLost(asked.key, asked.size);
  }
  ServeAll();
}

bool Followers::IsAwaited(const OutputContainer& container) const {
  const Follower::Time now = Now();
  return std::any_of(followers_.begin(), followers_.end(), [&](const auto& follower) {
    return !follower.second->stalled(now) && follower.second->Awaits(container);
  });
}

void Followers::Leave(const ContainerId& container) {
  OutputContainer* found = outputs_.Find(container);
  wire::ToExecutor order;
  order.mutable_leave();
  if (found != nullptr && found->connected && !found->leaving && IsAwaited(*found)) {
    order.mutable_leave()->set_linger_micros(backend::kLingerLimit.count());
    found->leaving = true;
    ++leaving_;
  }
  wires_.order(container, order);
  Tick();
}

// Orders executors to exit once no follower waits for their output.
void Followers::Dismiss() {
  if (leaving_ == 0) return;
  for (const auto& [id, container] : outputs_.containers()) {
    if (!container->leaving || IsAwaited(*container)) continue;
    container->leaving = false;
    --leaving_;
    wire::ToExecutor order;
    order.mutable_leave();
    wires_.order(id, order);
  }
}

void Followers::Tick() {
  if (ticking_ || (leaving_ == 0 && begin_by_.empty())) return;
  ticking_ = true;
  tick_.expires_after(kTick);
  tick_.async_wait([this](const boost::system::error_code& error) {
    ticking_ = false;
    if (error) return;
    ServeAll();
    Tick();
  });
}

void Followers::OnJournal(int64_t size) {
  if (size == journal_size_) return;
  journal_size_ = size;
  ServeAll();
}

void Followers::AddAttemptEnd(const std::string& role, int index, int attempt, int64_t offset) {
  const auto at = std::find(roles_.begin(), roles_.end(), role);
  if (at == roles_.end()) return;
  attempt_ends_.push_back({offset, {static_cast<int>(at - roles_.begin()), index}, attempt});
}

std::string Followers::ReadJournal(int64_t from, int64_t to) {
  if (!journal_file_.valid()) journal_file_ = os::files::Fd(open(journal_.c_str(), O_RDONLY | O_CLOEXEC));
  for (int64_t piece = kJournalPiece; piece <= kLineLimit; piece *= 2) {
    std::string text(static_cast<size_t>(std::min(piece, to - from)), '\0');
    const ssize_t size = pread(journal_file_.get(), text.data(), text.size(), from);
    text.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
    text.resize(text.rfind('\n') + 1);  // no newline: the text becomes empty
    if (!text.empty() || piece >= to - from) return text;
  }
  return "";
}

void Followers::Finish(Duration limit, std::function<void()> done) {
  if (std::exchange(finishing_, true)) return;
  done_ = std::move(done);
  std::vector<ContainerId> left;
  for (const auto& [id, container] : outputs_.containers()) left.push_back(id);
  for (const ContainerId& id : left) OnContainerGone(id);
  for (const auto& [id, follower] : followers_) {
    follower->Finish();
    wires_.close(id);
  }
  finish_limit_.expires_after(limit);
  finish_limit_.async_wait([this](const boost::system::error_code& error) {
    if (!error && done_) std::exchange(done_, nullptr)();
  });
  EndIfDone();
}

void Followers::EndIfDone() {
  if (!done_ || !followers_.empty()) return;
  finish_limit_.cancel();
  std::exchange(done_, nullptr)();
}

}  // namespace howdah::am

#include "followers.h"

#include <algorithm>

#include "howdah/backend/backend.h"

namespace howdah::am {
namespace {

constexpr std::chrono::milliseconds kTick{100};
// How long the beginning of a follow is delayed until executors have reported their sizes.
constexpr std::chrono::seconds kBeginLimit{2};
constexpr int32_t kTail = 64 << 10;

std::vector<std::string> RolesOf(const jobspec::JobSpec& spec) {
  std::vector<std::string> roles;
  for (const jobspec::RoleSpec& role : spec.roles) roles.push_back(role.name);
  return roles;
}

}  // namespace

Followers::Followers(boost::asio::io_context& loop, const jobspec::JobSpec& spec, const os::process::Clock& clock,
                     std::string journal, Wires wires)
    : spec_(&spec),
      clock_(clock),
      roles_(RolesOf(spec)),
      journal_(std::move(journal)),
      wires_(std::move(wires)),
      pulls_(wires_.order),
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
  if (!follower.begun()) BeginIfSizesReported(follower);
  if (follower.Pump()) wires_.close(follower.id());
}

void Followers::ServeAll() {
  for (const auto& [id, follower] : followers_) Serve(*follower);
  Dismiss();
}

// Begins the follow when every connected executor whose output the client wants has reported the sizes of its log
// files, or when the time limit of the follower has passed.
void Followers::BeginIfSizesReported(Follower& follower) {
  if (Now() < begin_by_[follower.id()]) {
    for (const auto& [id, container] : outputs_.containers()) {
      if (container->connected && !container->sizes_reported && follower.WantsTask(container->task)) return;
    }
  }
  begin_by_.erase(follower.id());
  follower.Begin();
}

// Turns each executor's size reports on or off, depending on whether a client follows its output.
void Followers::WatchWanted() {
  for (const auto& [id, container] : outputs_.containers()) {
    if (!container->connected) continue;
    const bool wanted = std::any_of(followers_.begin(), followers_.end(),
                                    [&](const auto& follower) { return follower.second->WantsTask(container->task); });
    if (wanted == container->watched) continue;
    container->watched = wanted;
    container->sizes_reported = false;
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
  outputs_.SizesReported(container, sizes);
  ServeAll();
}

void Followers::OnAttemptEnded(const ContainerId& container, int attempt,
                               const google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes) {
  outputs_.AttemptEnded(container, attempt, sizes);
  ServeAll();
}

void Followers::Pull(Follower& follower, const OutputKey& key, int64_t offset, int32_t size) {
  pulls_.Pull(
      outputs_.Find(key)->container->id, key, offset, size,
      [this, id = follower.id(), key, size](Result<wire::LogData> data) { OnPiece(id, key, size, std::move(data)); });
}

void Followers::OnPiece(rpc::ConnectionId id, const OutputKey& key, int32_t size, Result<wire::LogData> data) {
  if (data.ok()) outputs_.Seen(key, data->size());
  const auto follower = followers_.find(id);
  if (follower == followers_.end()) return;
  if (!data.ok()) return follower->second->OnPullLost(key, size);
  follower->second->OnPulled(key, size, std::move(*data));
  Serve(*follower->second);
  Dismiss();
}

void Followers::Tail(const OutputKey& key, OnTail on_tail) {
  const Output* output = outputs_.Find(key);
  if (output == nullptr || !output->readable()) {
    return on_tail(Error{ErrorCode::kNotFound, "no running executor has this output"});
  }
  pulls_.PullTail(output->container->id, key, kTail, [on_tail = std::move(on_tail)](Result<wire::LogData> data) {
    if (!data.ok()) return on_tail(data.error());
    on_tail(std::move(*data->mutable_bytes()));
  });
}

void Followers::OnData(const ContainerId& container, wire::LogData data) { pulls_.OnData(container, std::move(data)); }

void Followers::OnContainerGone(const ContainerId& container) {
  const std::vector<LogPulls::OnPiece> lost = pulls_.TakeLost(container);
  if (OutputContainer* found = outputs_.Find(container); found != nullptr && found->leaving) --leaving_;
  outputs_.Gone(container);
  for (const LogPulls::OnPiece& on_piece : lost) on_piece(Error{ErrorCode::kNotFound, "the executor has exited"});
  ServeAll();
}

bool Followers::IsAwaited(const OutputContainer& container) const {
  const Instant now = Now();
  return std::any_of(followers_.begin(), followers_.end(), [&](const auto& follower) {
    return !follower.second->stalled(now) && follower.second->Awaits(container);
  });
}

void Followers::Leave(const core::ReleaseContainer& release) {
  OutputContainer* found = outputs_.Find(release.container);
  wire::ToExecutor order;
  order.mutable_leave()->set_replaced(release.replaced);
  if (found != nullptr && found->connected && !found->leaving && IsAwaited(*found)) {
    order.mutable_leave()->set_linger_micros(backend::kLingerLimit.count());
    found->leaving = true;
    ++leaving_;
  }
  wires_.order(release.container, order);
  Tick();
}

// Orders a leaving executor to exit when no follower waits for its output any more.
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
  if (journal_.SetSize(size)) ServeAll();
}

void Followers::AddAttemptEnd(const std::string& role, int index, int attempt, int64_t offset) {
  const auto at = std::find(roles_.begin(), roles_.end(), role);
  if (at == roles_.end()) return;
  journal_.AddAttemptEnd({offset, {static_cast<int>(at - roles_.begin()), index}, attempt});
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

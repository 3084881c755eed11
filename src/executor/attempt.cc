#include "attempt.h"

#include <algorithm>
#include <csignal>

namespace howdah::executor {
namespace {

constexpr Duration kLongestGrace = std::chrono::hours(24 * 365);

}  // namespace

Attempt::Attempt(boost::asio::io_context& loop, const os::process::Clock& clock, int number, int stop_signal,
                 Handlers handlers)
    : clock_(clock), number_(number), stop_signal_(stop_signal), handlers_(std::move(handlers)), kill_timer_(loop) {}

std::optional<os::process::SpawnError> Attempt::Spawn(const os::process::SpawnRequest& request) {
  auto outcome = os::process::Spawn(request);
  if (const auto* error = std::get_if<os::process::SpawnError>(&outcome)) return *error;
  pids_.push_back(std::get<os::process::Child>(outcome).pid);
  living_.push_back(true);
  return std::nullopt;
}

void Attempt::Stop(Duration grace, Duration limit) {
  const Instant now = clock_.Now();
  const bool first = !kill_at_;
  grace = std::clamp(grace, Duration(0), kLongestGrace);
  if (first) grace_ = grace;
  const Instant kill_by = now + std::clamp(std::max(grace, limit), Duration(0), kLongestGrace);
  kill_by_ = first ? kill_by : std::min(kill_by_, kill_by);
  const Instant kill_at = now + grace;
  if (kill_at_ && *kill_at_ <= kill_at) return;
  kill_at_ = kill_at;
  if (grace <= Duration(0)) return Kill();
  if (first) SendStopSignal();
  KillAt(kill_at);
}

bool Attempt::Extend() {
  if (!kill_at_ || killing_) return false;
  const Instant kill_at = std::min(clock_.Now() + grace_, kill_by_);
  if (kill_at <= *kill_at_) return false;
  kill_at_ = kill_at;
  KillAt(kill_at);
  return true;
}

void Attempt::KillAt(Instant at) {
  kill_timer_.expires_after(at - clock_.Now());
  kill_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Kill();
  });
}

void Attempt::SendStopSignal() const {
  // While a rank runs, its pid is also the id of its process group. The pid of an ended rank may have been reused, so
  // its group is signalled only if it still has a member below the executor.
  std::vector<pid_t> ended;
  for (size_t rank = 0; rank < pids_.size(); ++rank) {
    if (living_[rank]) {
      ::kill(-pids_[rank], stop_signal_);
    } else {
      ended.push_back(pids_[rank]);
    }
  }
  if (ended.empty()) return;
  for (const pid_t group : os::process::LivingGroups(ended)) ::kill(-group, stop_signal_);
}

void Attempt::Kill() {
  killing_ = true;
  Advance();
}

void Attempt::OnReaped(const os::process::Reaped& child) {
  const auto it = std::find(pids_.begin(), pids_.end(), child.pid);
  const auto rank = static_cast<size_t>(it - pids_.begin());
  if (it == pids_.end() || !living_[rank]) return;
  living_[rank] = false;
  handlers_.on_rank_exited(static_cast<int>(rank), child.status);
}

void Attempt::Advance() {
  if (ended_) return;
  if (!killing_) {
    if (std::find(living_.begin(), living_.end(), true) != living_.end()) return;
    std::vector<pid_t> groups = pids_;
    groups.insert(groups.end(), guests_.begin(), guests_.end());
    if (stopping() && !os::process::LivingGroups(groups).empty()) return;
    killing_ = true;
  }
  os::process::SignalDescendants(SIGKILL);
  if (os::process::HasChildren()) return;  // Advance is called again when a child ends
  ended_ = true;
  kill_timer_.cancel();
  const auto on_ended = std::move(handlers_.on_ended);  // kept in a local variable, because the call may destroy *this
  on_ended();
}

}  // namespace howdah::executor

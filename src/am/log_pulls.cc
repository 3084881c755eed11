#include "log_pulls.h"

#include <utility>

namespace howdah::am {

void LogPulls::Pull(const ContainerId& container, const OutputKey& key, int64_t offset, int32_t size,
                    OnPiece on_piece) {
  wire::PullLog pull;
  pull.set_offset(offset);
  pull.set_max(size);
  Send(container, key, std::move(pull), std::move(on_piece));
}

void LogPulls::PullTail(const ContainerId& container, const OutputKey& key, int32_t size, OnPiece on_piece) {
  wire::PullLog pull;
  pull.set_max(size);
  pull.set_tail(true);
  Send(container, key, std::move(pull), std::move(on_piece));
}

void LogPulls::Send(const ContainerId& container, const OutputKey& key, wire::PullLog pull, OnPiece on_piece) {
  const uint64_t tag = ++last_tag_;
  requests_[tag] = {container, std::move(on_piece)};
  pull.set_tag(tag);
  pull.mutable_file()->set_attempt(key.attempt);
  pull.mutable_file()->set_local_rank(key.local_rank);
  pull.mutable_file()->set_is_stderr(key.is_stderr);
  wire::ToExecutor order;
  *order.mutable_pull_log() = std::move(pull);
  send_(container, order);
}

void LogPulls::OnData(const ContainerId& container, wire::LogData data) {
  const auto it = requests_.find(data.tag());
  if (it == requests_.end() || it->second.container != container) return;
  const OnPiece on_piece = std::move(it->second.on_piece);
  requests_.erase(it);
  on_piece(std::move(data));
}

std::vector<LogPulls::OnPiece> LogPulls::TakeLost(const ContainerId& container) {
  std::vector<OnPiece> lost;
  for (auto it = requests_.begin(); it != requests_.end();) {
    if (it->second.container != container) {
      ++it;
      continue;
    }
    lost.push_back(std::move(it->second.on_piece));
    it = requests_.erase(it);
  }
  return lost;
}

}  // namespace howdah::am

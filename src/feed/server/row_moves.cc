#include "row_moves.h"

#include <utility>

namespace howdah::feed::server {

void RowMoves::Add(const Reassign& move) {
  waiting_.push_back(move);
  Run();
}

void RowMoves::TryAgain() {
  pause_.cancel();
  for (const Reassign& move : std::exchange(parked_, {})) waiting_.push_back(move);
  Run();
}

void RowMoves::Run() {
  while (running_ < kMostAtOnce && !waiting_.empty()) {
    const Reassign move = waiting_.front();
    waiting_.pop_front();
    if (!ports_.wanted(move) || ports_.take_here(move)) continue;
    const auto stored = std::make_shared<std::vector<BlockId>>();
    const auto alive = std::weak_ptr(alive_);
    const bool begun = ports_.get(
        move,
        [this, move, stored, alive](const std::string& schema, const ArrowBlock& block) {
          const auto id = alive.expired() ? std::nullopt : ports_.store(move, schema, block);
          if (id) stored->push_back(*id);
        },
        [this, move, stored, alive](const Status& result) {
          if (!alive.expired()) OnDone(move, *stored, result);
        });
    begun ? void(++running_) : Park(move);
  }
}

void RowMoves::Park(const Reassign& move) {
  parked_.push_back(move);
  if (parked_.size() > 1) return;
  pause_.expires_after(kPause);
  pause_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (!error && !alive.expired()) TryAgain();
  });
}

void RowMoves::OnDone(const Reassign& move, const std::vector<BlockId>& blocks, const Status& result) {
  --running_;
  if (result.ok()) {
    ports_.on_arrived(move, blocks);
  } else {
    ports_.drop(move, blocks);
    ports_.log("getting rows of a feed from the executor of rank " + std::to_string(move.from) + ": " +
               result.error().message);
  }
  if (ports_.wanted(move)) Park(move);
  Run();
}

}  // namespace howdah::feed::server

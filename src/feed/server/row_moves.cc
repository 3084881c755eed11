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
    const bool begun =
        ports_.get(move, [this, move, alive = std::weak_ptr(alive_)](Result<FlightClient::Blocks> blocks) {
          if (!alive.expired()) OnDone(move, std::move(blocks));
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

void RowMoves::OnDone(const Reassign& move, Result<FlightClient::Blocks> blocks) {
  --running_;
  if (blocks.ok()) {
    ports_.on_arrived(move, std::move(*blocks));
  } else {
    ports_.log("getting rows of a feed from the executor of rank " + std::to_string(move.from) + ": " +
               blocks.error().message);
  }
  if (ports_.wanted(move)) Park(move);
  Run();
}

}  // namespace howdah::feed::server

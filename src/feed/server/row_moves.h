// Gets rows that the ledger has moved from one reader to another.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flight_client.h"
#include "howdah/feed/action.h"
#include "howdah/feed/receiver.h"

namespace howdah::feed::server {

// Carries out Reassign orders, a few at a time. Tries again while the rows are wanted: the other executor may not have
// the rows yet, or may have just been replaced.
//
// Used on the owner's loop only.
class RowMoves {
 public:
  struct Ports {
    std::function<bool(const Reassign&)> wanted;  // whether the reader still needs the rows
    std::function<bool(const Reassign&)>
        take_here;  // takes the rows from another reader of this executor, if it has them
    // Gets the rows from another executor. Returns false if its address is not known. The others are called later.
    std::function<bool(const Reassign&, FlightClient::OnBlock, FlightClient::OnDone)> get;
    // Stores a block as it arrives. nullopt: it is not wanted any more, or cannot be stored.
    std::function<std::optional<BlockId>(const Reassign&, const std::string& schema, const ArrowBlock&)> store;
    // All blocks have arrived. `store` has returned these numbers.
    std::function<void(const Reassign&, const std::vector<BlockId>&)> on_arrived;
    // The transfer has failed: the blocks that have arrived are not needed.
    std::function<void(const Reassign&, const std::vector<BlockId>&)> drop;
    std::function<void(const std::string& line)> log;
  };
  static constexpr int kMostAtOnce = 4;
  static constexpr auto kPause = std::chrono::milliseconds(500);  // before another try

  RowMoves(boost::asio::io_context& loop, Ports ports) : ports_(std::move(ports)), pause_(loop) {}

  void Add(const Reassign& move);
  // The address of an executor has become known.
  void TryAgain();

 private:
  void Run();
  void Park(const Reassign& move);
  void OnDone(const Reassign& move, const std::vector<BlockId>& blocks, const Status& result);

  Ports ports_;
  std::deque<Reassign> waiting_;
  std::vector<Reassign> parked_;  // until the end of the pause
  int running_ = 0;
  boost::asio::steady_timer pause_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this object
};

}  // namespace howdah::feed::server

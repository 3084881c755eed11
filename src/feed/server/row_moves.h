// Gets rows that the ledger has moved from one reader to another.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "flight_client.h"
#include "howdah/feed/action.h"

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
    // Gets the rows from another executor. Returns false if its address is not known. on_done is called later.
    std::function<bool(const Reassign&, std::function<void(Result<FlightClient::Blocks>)> on_done)> get;
    std::function<void(const Reassign&, FlightClient::Blocks)> on_arrived;
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
  void OnDone(const Reassign& move, Result<FlightClient::Blocks> blocks);

  Ports ports_;
  std::deque<Reassign> waiting_;
  std::vector<Reassign> parked_;  // until the end of the pause
  int running_ = 0;
  boost::asio::steady_timer pause_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this object
};

}  // namespace howdah::feed::server

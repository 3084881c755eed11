// Sends of Arrow Flight clients that know nothing of feeds: DoPut with a descriptor of the type PATH, which names the
// feed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "feed_calls.h"
#include "flight_server.h"
#include "remote_put.h"

namespace howdah::feed::server {

// Each call is one partition. Its client is a supplier of the feed while the call is open. For each block the AM is
// asked which reader has room; the block waits until one has, and then goes to the executor of that reader. A call that
// is broken off ends its partition after the rows that the job has accepted.
//
// Used on the owner's loop only.
class PlainPuts {
 public:
  using OnAnswer = std::function<void(Result<PutAnswer>)>;
  // Sends blocks to another executor, as RemotePut. Destroying it cancels the call.
  using Send = std::function<void(const ArrowBlock&, OnAnswer)>;
  struct Ports {
    // The reader that this executor has in the feed, which is preferred; -1 if there is none.
    std::function<int(const std::string& feed)> near;
    // Offers a block to a reader of this executor. Returns false if the reader is not here.
    std::function<bool(const PutTarget&, const std::string& schema, const ArrowBlock&, const OnAnswer&)> put_here;
    std::function<Send(const FlightAddress&, const PutTarget&, const std::string& schema)> open;
  };

  // calls must live longer than this object.
  PlainPuts(boost::asio::io_context& loop, FeedCalls& calls, Ports ports)
      : loop_(loop), calls_(calls), ports_(std::move(ports)) {}
  ~PlainPuts();

  // As FlightServer::Handlers::PlainPuts.
  FlightServer::Handlers::Plain FlightHandlers();
  // The client of a call is gone.
  void OnCancelled(uint64_t id);

  size_t open() const { return puts_.size(); }

 private:
  struct Block {
    ArrowBlock block;
    std::function<void(Result<int64_t>)> answer;
  };
  struct Put {
    std::string feed, name, schema;
    std::function<void(Status)> finish;
    std::optional<int64_t> partition;  // nullopt: not known yet
    int64_t rows = 0;                  // accepted
    std::optional<Block> block;        // waits for a reader
    bool asking = false;               // a question to the AM is open, or a pause before the next one
    bool placing = false;              // a reader has the block, and has not answered
    bool ends = false;                 // no block follows
    bool finishing = false;            // the end of the partition was reported
    Status result = {};                // of the call, when it ends
    uint64_t send_call = 0, supply_call = 0, ask_call = 0;
    std::pair<FlightAddress, PutTarget> remote = {};
    Send send = nullptr;  // to `remote`
    std::unique_ptr<boost::asio::steady_timer> pause = nullptr;
  };

  void Begin(uint64_t id, const std::string& feed, const std::string& client, std::function<void(Status)> finish);
  void Take(uint64_t id, const std::string& schema, ArrowBlock block, std::function<void(Result<int64_t>)> answer);
  void End(uint64_t id, Status result);
  // Takes the next step of the call.
  void Continue(uint64_t id);
  void OnNumber(uint64_t id, const wire::FeedReply& reply);
  void OnSupply(uint64_t id, const wire::FeedReply& reply);
  void Ask(uint64_t id, Put& put);
  void OnAsked(uint64_t id, const wire::FeedReply& reply);
  void Place(uint64_t id, Put& put, int reader, const FlightAddress& address);
  void OnPlaced(uint64_t id, const Result<PutAnswer>& answer);
  void Accepted(uint64_t id, Put& put);
  void Finish(uint64_t id, Put& put);
  void Erase(uint64_t id, const Status& result);
  Put* Find(uint64_t id) {
    const auto at = puts_.find(id);
    return at == puts_.end() ? nullptr : &at->second;
  }

  boost::asio::io_context& loop_;
  FeedCalls& calls_;
  const Ports ports_;
  std::map<uint64_t, Put> puts_;                            // by the number of the call
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this object
};

}  // namespace howdah::feed::server

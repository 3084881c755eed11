// Sources on this machine. Their requests come over a unix socket (source_requests.h), and they write the bodies of
// their blocks into the memory of the feed themselves.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "block_store.h"
#include "flight_server.h"
#include "reader_requests.h"
#include "reader_socket.h"
#include "source_requests.h"

namespace howdah::feed::server {

// Passes requests on to the handlers of the Flight server, which decide about them. Only the way of a body differs:
//
//   put of a small block ──────────────────────────────────────────▶ on_block
//   put of another one ──▶ waits for room ──▶ announced: the source ──▶ written: on_block
//                                             writes the body
//
// A source that is gone cannot write any more, so the places of its announced blocks are used again. A source that
// keeps its connection may write to the places of all blocks of its feed. It has the token of this feed, with which it
// may send and get all rows, and it is a process of the same user. The size of the file cannot shrink, so no process
// gets a SIGBUS.
//
// Used on the owner's loop only.
class LocalSources {
 public:
  // The blocks that are announced, or wait for their answers, in all connections together; or one larger block.
  static constexpr int64_t kUnansweredBytes = FlightServer::kUnansweredBytes;
  // Blocks of one connection without an answer.
  static constexpr size_t kMostPuts = 16;

  struct Ports {
    FlightServer::Handlers handlers;  // on_block, on_action, on_cancelled, authorize and has_tokens
    // As LocalFeed::Reserve, FeedBlocks::Unreserve and BlockStore::CrcOfBody, of the feed.
    std::function<Result<std::optional<BlockStore::Room>>(const PutRequest&)> reserve;
    std::function<void(const std::string& feed, BlockId)> unreserve;
    std::function<Result<uint32_t>(const std::string& feed, BlockId)> crc_of_body;
  };
  explicit LocalSources(Ports ports) : ports_(std::move(ports)) {}

  // As ReaderSocket::Handlers.
  void OnRequest(ConnectionId connection, std::string_view message, std::function<void(ReaderReply)> reply);
  void OnClosed(ConnectionId connection);

  int64_t unanswered_bytes() const { return unanswered_; }

 private:
  using Reply = std::function<void(ReaderReply)>;
  struct Waiting {
    ConnectionId connection = 0;
    int64_t id = 0;
    PutRequest put;
    Reply reply;
  };
  struct Announced {
    PutRequest put;
    BlockId block = 0;
  };
  struct Connection {
    std::string token;
    std::set<std::string> files;             // the feeds of whose memory file it has a descriptor
    std::map<int64_t, Announced> announced;  // by the id of the put
    std::set<uint64_t> actions;              // without a result
    size_t puts = 0;                         // without an answer
  };

  Status Check(const Connection& from, const std::string& feed) const;
  void Act(ConnectionId connection, int64_t id, const ActionRequest& action, const Reply& reply);
  void Put(ConnectionId connection, int64_t id, PutRequest put, Reply reply);
  // Admits blocks that wait, as long as there is room.
  void Admit();
  void Announce(Waiting waiting);
  void Written(ConnectionId connection, int64_t id, int64_t put, Reply reply);
  void ComputeDigest(PutRequest& put) const;
  void Hand(ConnectionId connection, int64_t id, PutRequest put, Reply reply);
  void Answered(ConnectionId connection, int64_t bytes);

  const Ports ports_;
  std::map<ConnectionId, Connection> connections_;
  std::deque<Waiting> waiting_;
  int64_t unanswered_ = 0;
  uint64_t last_action_ = uint64_t{1} << 63;                // the numbers of Flight's calls are smaller
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this object
};

}  // namespace howdah::feed::server

// All feeds of an executor, without sockets.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "answered_feeds.h"
#include "feed_calls.h"
#include "flight_server.h"
#include "howdah/feed/server/hub.h"
#include "local_feed.h"
#include "local_sources.h"
#include "plain_puts.h"
#include "reader_requests.h"
#include "reader_socket.h"
#include "source_actions.h"

namespace howdah::feed::server {

// Distributes messages of the AM, requests of processes, and calls of sources among the feeds. The functions are those
// of Hub, ReaderSocket::Handlers and FlightServer::Handlers.
//
// Used on the owner's loop only.
class LocalFeeds {
 public:
  using Get = decltype(FeedPorts::get);

  LocalFeeds(boost::asio::io_context& loop, const Hub::Settings& settings, const Hub::Handlers& handlers, Get get);

  void OnRegistered();
  void OnMessage(const wire::ToExecutor& message);
  void OnStart(const wire::Start& start);
  void OnAttemptEnded();
  void OnStepLine(int local_rank, int64_t step);
  void OnCheckpointLine(int local_rank, int64_t step);

  void OnRequest(ConnectionId connection, std::string_view request, os::files::Fd file,
                 std::function<void(ReaderReply)> reply);
  void OnClosed(ConnectionId connection);

  FlightServer::Handlers FlightHandlers();
  LocalSources::Ports SourcePorts();

  // For tests; nullptr if there is no such feed, or it has answers.
  LocalFeed* Find(const std::string& feed) const;

 private:
  struct Connection {
    LocalFeed* feed = nullptr;
    int local_rank = 0;
    Holder holder;
    bool reads_files = false;  // for its reader
  };
  // One request, and how it is answered.
  struct Request {
    ConnectionId connection = 0;
    int64_t id = 0;
    std::function<void(ReaderReply)> reply;
  };
  // Why rows cannot be sent to a feed, or got from it.
  Error NoFeed(const std::string& feed) const;
  void Open(const OpenRequest& open, const Request& request);
  // Whether a process reads the files of the feed for this reader.
  bool HasFileReader(const LocalFeed* feed, int local_rank) const;
  PlainPuts::Ports PlainPorts(boost::asio::io_context& loop, const Hub::Settings& settings);
  void Next(const NextRequest& next, LocalReader& reader, const Request& request);
  void SendBlocks(const std::string& name, std::deque<BlockId> blocks, const FlightServer::Handlers::Get& get);

  const int processes_;
  FeedCalls calls_;
  FeedPorts ports_;
  std::map<std::string, std::unique_ptr<LocalFeed>> feeds_;
  AnsweredFeeds answered_;
  SourceActions actions_;
  std::optional<PlainPuts> plain_;
  int attempt_ = -1;
  bool started_ = false;                            // an attempt has begun
  std::map<ConnectionId, Connection> connections_;  // those that have opened a feed
};

}  // namespace howdah::feed::server

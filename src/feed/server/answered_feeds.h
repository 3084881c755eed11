// The feeds with answers of an executor.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answered_feed.h"
#include "flight_server.h"
#include "howdah/feed/server/hub.h"
#include "reader_requests.h"
#include "reader_socket.h"

namespace howdah::feed::server {

// Distributes requests of processes and calls of clients among the feeds.
//
// Used on the owner's loop only.
class AnsweredFeeds {
 public:
  // Takes the feeds with answers out of the settings.
  AnsweredFeeds(boost::asio::io_context& loop, const Hub::Settings& settings,
                const std::function<void(const wire::FromExecutor&)>& send);

  // nullptr: there is no such feed, or it has no answers.
  AnsweredFeed* Find(const std::string& feed) const;
  bool IsToken(std::string_view token) const;
  std::vector<std::string> names() const;

  void OnRegistered();
  // The processes of the attempt have ended, and their connections were closed.
  void OnAttemptEnded();

  // attempt: the one that runs.
  void Serve(ConnectionId connection, const ServeRequest& request, int attempt, const AnsweredFeed::Reply& reply);
  // Handles the request if the connection has sent a `serve`. Returns false otherwise.
  bool OnRequest(ConnectionId connection, const ReaderRequest& request, const os::files::Fd& file,
                 const AnsweredFeed::Reply& reply);
  bool Serves(ConnectionId connection) const { return connections_.contains(connection); }
  void OnClosed(ConnectionId connection);

  FlightServer::Handlers::Exchanges FlightHandlers();
  // As FlightServer::Handlers::on_cancelled, for exchanges. Has no effect on other calls.
  void OnCancelled(uint64_t id);

 private:
  std::map<std::string, std::unique_ptr<AnsweredFeed>> feeds_;
  std::map<ConnectionId, AnsweredFeed*> connections_;
};

}  // namespace howdah::feed::server

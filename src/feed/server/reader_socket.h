// The unix socket at which the processes of a task reach their executor.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "reader_requests.h"

namespace howdah::feed::server {

// Numbers a connection of a process; numbers are not used again.
using ConnectionId = uint64_t;

// Accepts connections of any number of processes of this user. A connection keeps the boundaries of messages
// (SOCK_SEQPACKET). The processes may send several requests ahead. Each reply is sent as soon as it is there.
//
// Memory: a connection reads no further request while kMostOpen requests have no reply, or while its process does not
// receive the replies.
//
// Used on the owner's loop only.
class ReaderSocket {
 public:
  static constexpr size_t kMostOpen = 256;
  static constexpr size_t kMostConnections = 1024;

  // Called on the loop. Handlers must not destroy the ReaderSocket.
  struct Handlers {
    // A request of at most kMessageBytes. file: the first descriptor that it carries; not valid if it carries none.
    // `reply` must be called once, immediately or later; it has no effect when the connection is closed.
    std::function<void(ConnectionId, std::string_view request, os::files::Fd file,
                       std::function<void(ReaderReply)> reply)>
        on_request;
    // The process has closed the connection, or has ended. No reply is sent any more.
    std::function<void(ConnectionId)> on_closed;
    std::function<void(const std::string& line)> log;
  };

  // Listens at a path, where no file may be. The folder of the path must be closed to other users; connections of other
  // users are closed nevertheless.
  static Result<std::unique_ptr<ReaderSocket>> Listen(boost::asio::io_context& loop, const std::string& path,
                                                      Handlers handlers);
  // Closes all connections. on_closed is not called.
  ~ReaderSocket();
  ReaderSocket(const ReaderSocket&) = delete;
  ReaderSocket& operator=(const ReaderSocket&) = delete;

  // Closes all connections, and calls on_closed for each of them.
  void CloseAll();
  size_t connections() const { return connections_.size(); }

 private:
  class Connection;

  ReaderSocket(boost::asio::io_context& loop, os::files::Fd listener, Handlers handlers);
  void Accept();
  void AcceptAll();
  void Close(ConnectionId connection);

  boost::asio::io_context& loop_;
  Handlers handlers_;
  boost::asio::posix::stream_descriptor listener_;
  boost::asio::steady_timer pause_;
  std::map<ConnectionId, std::shared_ptr<Connection>> connections_;
  ConnectionId last_ = 0;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // expires with this object
};

}  // namespace howdah::feed::server

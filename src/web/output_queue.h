// The bytes that a connection has yet to send.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "alarm.h"
#include "howdah/base/time.h"

namespace howdah::web {

using Socket = boost::asio::generic::stream_protocol::socket;

// Use only on the loop's thread.
class OutputQueue {
 public:
  struct Events {
    std::function<void(size_t sent)> on_sent;  // bytes were sent; may push
    std::function<void()> on_failed;           // sending failed, or the client was too slow. Nothing follows
  };
  // limit: for the client to accept kPieceBytes (64 KiB).
  OutputQueue(Socket& socket, Duration limit);

  // owner: owns the socket and this object, and stays alive while an operation is pending.
  void Start(std::weak_ptr<void> owner, Events events);
  void Push(std::string bytes);
  // For the pieces that are sent from now on.
  void SetLimit(Duration limit) { limit_ = limit; }
  size_t queued() const { return queued_; }  // pushed and not yet sent
  // Drops the queue and the events. The owner closes the socket.
  void Close();

 private:
  static constexpr size_t kPieceBytes = 64 << 10;
  void SendPiece();
  void OnPiece(bool failed, size_t size);

  Socket& socket_;
  Duration limit_;
  Alarm deadline_;
  std::weak_ptr<void> owner_;
  Events events_;
  std::deque<std::string> waiting_;
  size_t first_offset_ = 0;  // bytes of waiting_.front() that are in piece_ or sent
  std::string piece_;        // being sent
  size_t queued_ = 0;
  bool sending_ = false, closed_ = false;
};

}  // namespace howdah::web

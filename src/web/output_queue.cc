#include "output_queue.h"

#include <boost/asio/write.hpp>

namespace howdah::web {

namespace asio = boost::asio;

OutputQueue::OutputQueue(Socket& socket, Duration limit)
    : socket_(socket), limit_(limit), deadline_(socket.get_executor()) {}

void OutputQueue::Start(std::weak_ptr<void> owner, Events events) {
  owner_ = std::move(owner);
  events_ = std::move(events);
}

void OutputQueue::Push(std::string bytes) {
  if (closed_ || bytes.empty()) return;
  queued_ += bytes.size();
  waiting_.push_back(std::move(bytes));
  if (!sending_) SendPiece();
}

void OutputQueue::Close() {
  closed_ = true;
  waiting_.clear();
  queued_ = 0;
  deadline_.Cancel();
}

void OutputQueue::SendPiece() {
  piece_.clear();
  while (!waiting_.empty() && piece_.size() < kPieceBytes) {
    const std::string& first = waiting_.front();
    const size_t size = std::min(first.size() - first_offset_, kPieceBytes - piece_.size());
    piece_.append(first, first_offset_, size);
    first_offset_ += size;
    if (first_offset_ < first.size()) break;
    waiting_.pop_front();
    first_offset_ = 0;
  }
  sending_ = !piece_.empty();
  if (!sending_) return;
  const auto owner = owner_.lock();
  deadline_.Set(limit_, [this, owner] { events_.on_failed(); });
  asio::async_write(socket_, asio::buffer(piece_), [this, owner](const boost::system::error_code& failed, size_t size) {
    OnPiece(static_cast<bool>(failed), size);
  });
}

void OutputQueue::OnPiece(bool failed, size_t size) {
  if (closed_) return;
  deadline_.Cancel();
  if (failed) return events_.on_failed();
  queued_ -= size;
  SendPiece();
  events_.on_sent(size);
}

}  // namespace howdah::web

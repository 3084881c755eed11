#include "data_connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "howdah/os/net/connect.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {
namespace {

constexpr size_t kBuffer = 32 << 10;
constexpr size_t kMaxBuffers = 64;

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

std::string NameOf(const ::hadoop::hdfs::DatanodeInfoProto& node) {
  const auto& id = node.id();
  return id.hostname() + " (" + HostPort{id.ipaddr(), static_cast<uint16_t>(id.xferport())}.Text() + ")";
}

Result<DataConnection> DataConnection::Open(const ::hadoop::hdfs::DatanodeInfoProto& node,
                                            const TransferOptions& options) {
  if (!options.unsupported.empty()) return Error{ErrorCode::kUnavailable, options.unsupported};
  const auto& id = node.id();
  const HostPort where{options.use_hostname ? id.hostname() : id.ipaddr(), static_cast<uint16_t>(id.xferport())};
  HOWDAH_TRY(const auto fd, os::net::Connect(where, options.connect));
  return DataConnection(os::files::Fd(fd), NameOf(node));
}

Result<size_t> DataConnection::SendSome(const std::vector<std::string_view>& pieces) {
  std::vector<iovec> vectors;
  for (const std::string_view piece : pieces) {
    if (vectors.size() < kMaxBuffers) vectors.push_back({const_cast<char*>(piece.data()), piece.size()});
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = vectors.size();
  const ssize_t sent = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<size_t>(sent);
  if (WouldBlock()) return size_t{0};
  return os::files::SystemError("sending to " + peer_);
}

Status DataConnection::Send(std::string_view bytes, Duration limit) {
  while (!bytes.empty()) {
    HOWDAH_TRY(const auto sent, SendSome({bytes}));
    bytes.remove_prefix(sent);
    if (sent > 0) continue;
    if (const Status ready = os::net::AwaitWritable(fd_.get(), limit); !ready.ok()) {
      return ready.error().While("sending to " + peer_);
    }
  }
  return {};
}

Result<size_t> DataConnection::Take(char* out, size_t size) {
  const ssize_t got = ::recv(fd_.get(), out, size, MSG_DONTWAIT);
  if (got > 0) return static_cast<size_t>(got);
  if (got < 0 && WouldBlock()) return size_t{0};
  if (got < 0) return os::files::SystemError("receiving from " + peer_);
  return Failed("receiving from " + peer_ + ": it has closed the connection");
}

Result<size_t> DataConnection::Fill() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (buffer_.empty()) buffer_.resize(kBuffer);
  if (end_ == buffer_.size() && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const auto got = Take(buffer_.data() + end_, buffer_.size() - end_);
  if (got) end_ += *got;
  return got;
}

Status DataConnection::Receive(char* out, size_t size, Duration limit) {
  while (size > 0) {
    const size_t count = std::min(size, buffered().size());
    std::memcpy(out, buffered().data(), count);
    Drop(count);
    out += count;
    size -= count;
    if (size == 0) break;
    // Receive a large part directly into `out`, without copying it through the buffer.
    HOWDAH_TRY(const auto got, size > kBuffer ? Take(out, size) : Fill());
    if (size > kBuffer) {
      out += got;
      size -= got;
    }
    if (got > 0) continue;
    if (const Status ready = os::net::AwaitReadable(fd_.get(), limit); !ready.ok()) {
      return ready.error().While("receiving from " + peer_);
    }
  }
  return {};
}

Status DataConnection::ReceiveDelimited(google::protobuf::MessageLite& message, Duration limit) {
  for (;;) {
    const auto extent = DelimitedExtent(buffered());
    if (!extent) return extent.error().While("receiving from " + peer_);
    if (*extent && buffered().size() >= (*extent)->begin + (*extent)->size) {
      const bool read = ParseMessage(buffered().substr((*extent)->begin, (*extent)->size), message);
      Drop((*extent)->begin + (*extent)->size);
      return read ? Status() : Failed("receiving from " + peer_ + ": its answer is unreadable");
    }
    HOWDAH_TRY(const auto filled, Fill());
    if (filled > 0) continue;
    if (const Status ready = os::net::AwaitReadable(fd_.get(), limit); !ready.ok()) {
      return ready.error().While("receiving from " + peer_);
    }
  }
}

}  // namespace howdah::hadoop::hdfs

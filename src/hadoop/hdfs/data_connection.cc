#include "data_connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "howdah/os/net/connect.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {
namespace {

constexpr size_t kBuffer = 32 << 10;
constexpr size_t kDirect = 1 << 10;  // more than the head and the checksums of a packet have
constexpr size_t kMaxBuffers = 64;
constexpr size_t kProtectedBuffer = 256 << 10;

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

std::string NameOf(const ::hadoop::hdfs::DatanodeInfoProto& node) {
  const auto& id = node.id();
  return id.hostname() + " (" + HostPort{id.ipaddr(), static_cast<uint16_t>(id.xferport())}.Text() + ")";
}

Result<DataConnection> DataConnection::Open(const ::hadoop::hdfs::DatanodeInfoProto& node,
                                            const TransferOptions& options) {
  const auto& id = node.id();
  const HostPort where{options.use_hostname ? id.hostname() : id.ipaddr(), static_cast<uint16_t>(id.xferport())};
  HOWDAH_TRY(const auto fd, os::net::Connect(where, options.connect));
  return DataConnection(os::files::Fd(fd), NameOf(node));
}

Result<size_t> DataConnection::SendSome(const std::vector<std::string_view>& pieces) {
  return codec_ ? SendProtected(pieces) : SendPlain(pieces);
}

Result<size_t> DataConnection::SendProtected(const std::vector<std::string_view>& pieces) {
  HOWDAH_TRY_STATUS(SendUnsent());
  if (!unsent_.empty()) return size_t{0};
  size_t taken = 0;
  for (const std::string_view piece : pieces) {
    const std::string_view part = piece.substr(0, kProtectedBuffer - taken);
    HOWDAH_TRY_STATUS(codec_->Encode(part, unsent_));
    taken += part.size();
    if (taken == kProtectedBuffer) break;
  }
  HOWDAH_TRY_STATUS(SendUnsent());
  return taken;
}

Status DataConnection::SendUnsent() {
  size_t begin = 0;
  while (begin < unsent_.size()) {
    HOWDAH_TRY(const auto sent, SendPlain({std::string_view(unsent_).substr(begin)}));
    if (sent == 0) break;
    begin += sent;
  }
  unsent_.erase(0, begin);
  return {};
}

Result<size_t> DataConnection::SendPlain(const std::vector<std::string_view>& pieces) {
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
  while (!bytes.empty() || has_unsent()) {
    HOWDAH_TRY(const auto sent, SendSome({bytes}));
    bytes.remove_prefix(sent);
    if (sent > 0 && !has_unsent()) continue;
    if (const Status ready = os::net::AwaitWritable(fd_.get(), limit); !ready.ok()) {
      return ready.error().While("sending to " + peer_);
    }
  }
  return {};
}

Result<size_t> DataConnection::Take(char* out, size_t size) {
  return Taken(::recv(fd_.get(), out, size, MSG_DONTWAIT));
}

Result<size_t> DataConnection::TakeDirectly(char* out, size_t size) {
  if (buffer_.empty()) buffer_.resize(kBuffer);
  iovec vectors[] = {{out, size}, {buffer_.data(), kDirect}};
  msghdr message{};
  message.msg_iov = vectors;
  message.msg_iovlen = std::size(vectors);
  HOWDAH_TRY(const size_t got, Taken(::recvmsg(fd_.get(), &message, MSG_DONTWAIT)));
  const size_t direct = std::min(got, size);
  begin_ = 0;
  end_ = got - direct;
  return direct;
}

bool DataConnection::idle() const {
  char byte = 0;
  return buffered().empty() && ::recv(fd_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && WouldBlock();
}

Result<size_t> DataConnection::Taken(ssize_t got) const {
  if (got > 0) return static_cast<size_t>(got);
  if (got < 0 && WouldBlock()) return size_t{0};
  const std::string reason = close_reason_.empty() ? "" : "; " + close_reason_;
  if (got == 0) return Failed("receiving from " + peer_ + ": it has closed the connection" + reason);
  const Error error = os::files::SystemError("receiving from " + peer_);
  return errno == ECONNRESET ? Failed(error.message + reason) : error;
}

Result<size_t> DataConnection::Fill() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (codec_) return FillProtected();
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

Result<size_t> DataConnection::FillProtected() {
  wire_.resize(kProtectedBuffer);
  HOWDAH_TRY(const auto got, Take(wire_.data(), wire_.size()));
  buffer_.resize(end_);
  buffer_.erase(0, std::exchange(begin_, 0));
  if (const Status decoded = codec_->Decode(std::string_view(wire_).substr(0, got), buffer_); !decoded.ok()) {
    return decoded.error().While("receiving from " + peer_);
  }
  end_ = buffer_.size();
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
    // Receive a large part directly into `out`, and with it the head of the next packet.
    const bool direct = size > kDirect && !codec_;
    HOWDAH_TRY(const auto got, direct ? TakeDirectly(out, size) : Fill());
    if (direct) {
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

#include "reader_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "howdah/os/files/fd.h"
#include "howdah/os/net/peer_user.h"

namespace howdah::feed::server {
namespace {

using boost::asio::posix::stream_descriptor;
using os::files::Fd;
using os::files::SystemError;

constexpr int kBacklog = 128;
constexpr auto kPauseWithoutFiles = std::chrono::milliseconds(100);  // when this process has no descriptor left

Result<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return Failed("listening on " + path + ": the path of a unix socket has at most " +
                  std::to_string(sizeof address.sun_path - 1) + " bytes");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

// Sends one message. Returns 0 or an errno.
int SendMessage(int socket, const ReaderMessage& message) {
  iovec part{const_cast<char*>(message.text.data()), message.text.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFiles * sizeof(int))> control{};
  if (!message.files.empty()) {
    const size_t bytes = message.files.size() * sizeof(int);
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* const files = CMSG_FIRSTHDR(&header);
    files->cmsg_level = SOL_SOCKET;
    files->cmsg_type = SCM_RIGHTS;
    files->cmsg_len = CMSG_LEN(bytes);
    for (size_t i = 0; i < message.files.size(); ++i) {
      const int fd = message.files[i]->get();
      std::memcpy(CMSG_DATA(files) + i * sizeof fd, &fd, sizeof fd);
    }
  }
  for (;;) {
    if (::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return 0;
    if (errno != EINTR) return errno;
  }
}

// Receives one message, and its first descriptor. The kernel closes further descriptors, because there is no space for
// them. Returns the size of the message, also if it is larger than the text, or -1 with errno.
ssize_t ReceiveMessage(int socket, std::string& text, Fd& file) {
  iovec part{text.data(), text.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  header.msg_control = control.data();
  header.msg_controllen = CMSG_LEN(sizeof(int));
  const ssize_t size = ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);
  const cmsghdr* const files = size < 0 ? nullptr : CMSG_FIRSTHDR(&header);
  if (files != nullptr && files->cmsg_level == SOL_SOCKET && files->cmsg_type == SCM_RIGHTS &&
      files->cmsg_len >= CMSG_LEN(sizeof(int))) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(files), sizeof fd);
    file = Fd(fd);
  }
  return size;
}

}  // namespace

// One connection. Shared with the functions that reply, because a reply may come after the end of the connection.
class ReaderSocket::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ReaderSocket& owner, ConnectionId id, Fd socket) : owner_(&owner), id_(id), socket_(owner.loop_) {
    socket_.assign(socket.Release());
  }

  void Begin() {
    WaitForRequest();
    WaitForEnd();
  }
  void End() {
    owner_ = nullptr;
    socket_.close();
  }

 private:
  bool open() const { return owner_ != nullptr; }
  bool may_read() const { return unsent_.empty() && requests_ < kMostOpen; }

  void WaitForRequest() {
    if (reading_ || !open() || !may_read()) return;
    reading_ = true;
    socket_.async_wait(stream_descriptor::wait_read,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                         self->reading_ = false;
                         if (!error && self->open()) self->ReadRequests();
                       });
  }

  // Needed while the connection reads no further request. The requests that a process has sent before it ended count.
  void WaitForEnd() {
    socket_.async_wait(stream_descriptor::wait_error,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                         if (error || !self->open()) return;
                         self->ReadRequests();
                         if (self->open()) self->owner_->Close(self->id_);
                       });
  }

  void ReadRequests() {
    while (open() && may_read()) {
      std::string request(kMessageBytes, '\0');
      Fd file;
      const ssize_t size = ReceiveMessage(socket_.native_handle(), request, file);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
      if (size <= 0 || static_cast<size_t>(size) > request.size()) return owner_->Close(id_);
      request.resize(static_cast<size_t>(size));
      ++requests_;
      owner_->handlers_.on_request(id_, request, std::move(file),
                                   [self = shared_from_this()](ReaderReply reply) { self->Reply(std::move(reply)); });
    }
    WaitForRequest();
  }

  void Reply(ReaderReply reply) {
    if (!open()) return;
    --requests_;
    for (ReaderMessage& message : reply) unsent_.push_back(std::move(message));
    Send();
  }

  void Send() {
    while (!unsent_.empty() && !writing_) {
      const int error = SendMessage(socket_.native_handle(), unsent_.front());
      if (error == EAGAIN || error == EWOULDBLOCK) return WaitUntilWritable();
      if (error != 0) {
        // A process that has ended closes its connection, too. Other errors are reported.
        if (error != EPIPE && error != ECONNRESET) {
          owner_->handlers_.log("sending rows of a feed to a process: " + std::string(std::strerror(error)));
        }
        return owner_->Close(id_);
      }
      unsent_.pop_front();
    }
    WaitForRequest();
  }

  void WaitUntilWritable() {
    writing_ = true;
    socket_.async_wait(stream_descriptor::wait_write,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                         self->writing_ = false;
                         if (!error && self->open()) self->Send();
                       });
  }

  ReaderSocket* owner_;  // nullptr after End
  const ConnectionId id_;
  stream_descriptor socket_;
  bool reading_ = false, writing_ = false;  // a wait is pending
  size_t requests_ = 0;                     // without a reply
  std::deque<ReaderMessage> unsent_;
};

Result<std::unique_ptr<ReaderSocket>> ReaderSocket::Listen(boost::asio::io_context& loop, const std::string& path,
                                                           Handlers handlers) {
  HOWDAH_TRY(const sockaddr_un address, AddressOf(path));
  Fd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.valid() || ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), kBacklog) != 0) {
    return SystemError("listening on " + path);
  }
  return std::unique_ptr<ReaderSocket>(new ReaderSocket(loop, std::move(listener), std::move(handlers)));
}

ReaderSocket::ReaderSocket(boost::asio::io_context& loop, Fd listener, Handlers handlers)
    : loop_(loop), handlers_(std::move(handlers)), listener_(loop), pause_(loop) {
  listener_.assign(listener.Release());
  Accept();
}

ReaderSocket::~ReaderSocket() {
  for (const auto& [id, connection] : connections_) connection->End();
}

void ReaderSocket::CloseAll() {
  while (!connections_.empty()) Close(connections_.begin()->first);
}

void ReaderSocket::Close(ConnectionId id) {
  const auto at = connections_.find(id);
  if (at == connections_.end()) return;
  at->second->End();
  connections_.erase(at);
  handlers_.on_closed(id);
}

void ReaderSocket::Accept() {
  listener_.async_wait(stream_descriptor::wait_read,
                       [this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
                         if (!error && !alive.expired()) AcceptAll();
                       });
}

void ReaderSocket::AcceptAll() {
  for (;;) {
    Fd socket(::accept4(listener_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid() && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
      pause_.expires_after(kPauseWithoutFiles);
      return pause_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
        if (!error && !alive.expired()) Accept();
      });
    }
    if (!socket.valid() && (errno == EAGAIN || errno == EWOULDBLOCK)) return Accept();
    if (!socket.valid()) continue;  // the process has ended already
    if (os::net::UserOfUnixSocket(socket.get()) != ::getuid()) {
      handlers_.log("refused a connection of another user to the feed socket");
      continue;
    }
    if (connections_.size() >= kMostConnections) {
      handlers_.log("refused a connection to the feed socket: there are " + std::to_string(kMostConnections) +
                    " connections already");
      continue;
    }
    const ConnectionId id = ++last_;
    const auto connection = std::make_shared<Connection>(*this, id, std::move(socket));
    connections_.emplace(id, connection);
    connection->Begin();
  }
}

}  // namespace howdah::feed::server

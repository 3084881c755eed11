#include "link.h"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <utility>

namespace howdah::hadoop::rpc {
namespace asio = boost::asio;
namespace {

constexpr size_t kReadSize = 16 << 10;
// A connection is closed after this time without calls. The limit is longer than Hadoop's own
// (ipc.client.connection.maxidletime, 10 s), but there must be one, because an application master may have connections
// to a thousand nodes.
constexpr Duration kIdle = std::chrono::seconds(30);

boost::asio::ip::tcp::endpoint ToEndpoint(const os::net::SocketAddress& address) {
  asio::ip::tcp::endpoint endpoint;
  endpoint.resize(address.size);
  std::memcpy(endpoint.data(), address.get(), address.size);
  return endpoint;
}

// Calls the handler on the loop once the work is done.
template <typename Work, typename Handler>
void Wait(Awaited<Work>& awaited, std::unique_ptr<Work> work, Handler handler) {
  awaited.work = std::move(work);
  if (awaited.work->fd() < 0) return asio::post(awaited.done.get_executor(), handler);
  awaited.done.assign(dup(awaited.work->fd()));
  awaited.done.async_wait(asio::posix::stream_descriptor::wait_read, handler);
}

}  // namespace

// Wraps a handler so that it keeps the link alive and does nothing after Close.
template <typename Handler>
auto Link::Guarded(Handler handler) {
  return [self = shared_from_this(), handler = std::move(handler)](auto... arguments) {
    if (!self->closed_) handler(arguments...);
  };
}

Link::Link(asio::io_context& loop, HostPort where, size_t server, ConnectionOptions options, RetryLimits limits)
    : loop_(loop),
      where_(std::move(where)),
      server_(server),
      limits_(limits),
      connection_(std::move(options)),
      lookup_(loop),
      request_(loop),
      socket_(loop),
      open_timer_(loop),
      address_timer_(loop),
      silence_timer_(loop) {}

void Link::Open(Hooks hooks) {
  hooks_ = std::move(hooks);
  SetOpenTimer();
  Wait(lookup_, std::make_unique<os::net::Lookup>(where_, limits_.connect), Guarded([this](auto...) { LookedUp(); }));
}

void Link::SetOpenTimer() {
  deadline_ = Clock::now() + limits_.connect;
  open_timer_.expires_at(deadline_);
  open_timer_.async_wait(Guarded([this](Code code) {
    if (code || ready()) return;
    const std::string what = connected_ ? "it did not complete the authentication within " : "no answer within ";
    Fail({FailureKind::kUnreachable, {ErrorCode::kTimeout, what + FormatDuration(limits_.connect)}});
  }));
}

// The timer does not run while the handshake waits for a ticket: the request has limits of its own, and its error names
// the KDCs that did not answer.
void Link::RequestContext(Connection::WantedContext wanted) {
  open_timer_.cancel();
  kerberos::Server server{std::move(wanted.server), where_, addresses_[next_address_]};
  Wait(request_, std::make_unique<kerberos::ContextRequest>(wanted.login.login, wanted.login.server, std::move(server)),
       Guarded([this](auto...) {
         SetOpenTimer();
         connection_.UseContext(request_.work->Take());
         request_.work.reset();
         Process();
       }));
}

void Link::Close() {
  closed_ = true;
  Code ignored;
  lookup_.done.close(ignored);
  request_.done.close(ignored);
  request_.work.reset();
  socket_.close(ignored);
  open_timer_.cancel();
  address_timer_.cancel();
  silence_timer_.cancel();
  lookup_.work.reset();
}

void Link::LookedUp() {
  auto addresses = lookup_.work->Take();
  if (!addresses) return Fail({FailureKind::kUnreachable, addresses.error()});
  addresses_ = *std::move(addresses);
  TryNext();
}

void Link::TryNext() {
  if (next_address_ == addresses_.size()) {
    return Fail({FailureKind::kUnreachable, Failed(failures_.text())});
  }
  const auto endpoint = ToEndpoint(addresses_[next_address_]);
  Code code;
  socket_.close(code);
  socket_.open(endpoint.protocol(), code);
  if (code) return asio::post(loop_, Guarded([this, code] { OnConnectResult(code); }));
  os::net::PrepareSocket(socket_.native_handle());
  // Divide the remaining time among the remaining addresses, so that an address that drops packets leaves time for the
  // others.
  const auto share = (deadline_ - Clock::now()) / static_cast<int64_t>(addresses_.size() - next_address_);
  address_expired_ = false;
  socket_.async_connect(endpoint, Guarded([this](Code result) { OnConnectResult(result); }));
  if (next_address_ + 1 == addresses_.size()) return;  // the timer open_timer_ limits the attempt for the last address
  address_timer_.expires_after(share);
  address_timer_.async_wait(Guarded([this, tried = next_address_](Code result) {
    if (result || connected_ || tried != next_address_) return;
    address_expired_ = true;
    Code ignored;
    socket_.cancel(ignored);
  }));
}

void Link::OnConnectResult(Code code) {
  address_timer_.cancel();
  if (!code) return Connected();
  failures_.Add(addresses_[next_address_++], address_expired_ ? ETIMEDOUT : code.value());
  TryNext();
}

void Link::Connected() {
  connected_ = true;
  last_received_ = last_sent_ = Clock::now();
  incoming_.resize(kReadSize);
  Read();
  SetSilenceTimer();
  Process();
}

void Link::Read() {
  socket_.async_read_some(asio::buffer(incoming_), Guarded([this](Code code, size_t size) { Received(code, size); }));
}

void Link::Received(Code code, size_t size) {
  if (size > 0) last_received_ = Clock::now();
  connection_.Receive({incoming_.data(), size});
  if (code == asio::error::eof) {
    connection_.ReceiveEnd();
  } else if (code && !connection_.failure()) {
    return Fail({FailureKind::kLost, Failed("the connection broke: " + code.message())});
  }
  if (!code) Read();
  Process();
}

void Link::Process() {
  const auto self = shared_from_this();
  Flush();
  if (ready() && !std::exchange(was_ready_, true)) {
    open_timer_.cancel();
    hooks_.ready();
  }
  for (Answer& answer : connection_.TakeAnswers()) {
    if (closed_) return;
    hooks_.answer(std::move(answer));
  }
  if (closed_) return;
  if (connection_.failure()) return Fail(*connection_.failure());
  if (auto wanted = connection_.TakeContextRequest()) RequestContext(*std::move(wanted));
}

void Link::Call(int32_t id, int32_t retry_count, std::string_view method, std::string_view request) {
  connection_.Call(id, retry_count, method, request);
  if (connected_) Flush();
  if (connection_.failure()) asio::post(loop_, Guarded([this] { Process(); }));
}

void Link::Flush() {
  if (writing_ || !connected_) return;
  outgoing_ = connection_.TakeOutput();
  if (outgoing_.empty()) return;
  writing_ = true;
  last_sent_ = Clock::now();
  asio::async_write(socket_, asio::buffer(outgoing_), Guarded([this](Code code, size_t) {
                      // If the server has closed the connection, it has often sent the reason before. Ignore the write
                      // error: reading the reason closes the link.
                      if (code) return;
                      writing_ = false;
                      outgoing_ = {};
                      Flush();
                    }));
}

// Sets the timer that detects silence. During a call it sends a ping; otherwise it closes the idle connection.
void Link::SetSilenceTimer() {
  const Duration most = connection_.awaiting() ? limits_.ping : kIdle;
  silence_timer_.expires_at(std::max(last_received_, last_sent_) + most);
  silence_timer_.async_wait(Guarded([this](Code code) {
    if (!code) OnSilence();
  }));
}

void Link::OnSilence() {
  const auto quiet = Clock::now() - std::max(last_received_, last_sent_);
  if (connection_.awaiting() && quiet >= limits_.ping) {
    connection_.Ping();
    Flush();
    last_sent_ = Clock::now();
  } else if (!connection_.awaiting() && quiet >= kIdle) {
    return Fail({FailureKind::kLost, Failed("the connection was idle")});
  }
  SetSilenceTimer();
}

bool Link::Ended() {
  char byte = 0;
  const ssize_t got = recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

std::string Link::local_ip() const {
  Code code;
  const auto endpoint = socket_.local_endpoint(code);
  return code || !connected_ ? "" : endpoint.address().to_string();
}

void Link::Fail(Failure failure) {
  const auto self = shared_from_this();
  Close();
  hooks_.failure(std::move(failure));
}

}  // namespace howdah::hadoop::rpc

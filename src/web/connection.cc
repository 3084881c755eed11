#include "connection.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>

namespace howdah::web {
namespace {

using Failure = boost::system::error_code;

constexpr size_t kBlock = 8 << 10, kRelayBlock = 64 << 10;  // read at once
constexpr size_t kOnePiece = 64 << 10;                      // a smaller body is sent together with the header
constexpr size_t kReadAhead = 32 << 10;                     // of later requests, while a response is in progress
constexpr size_t kLingerBytes = 256 << 10;                  // of input that is discarded before closing
constexpr Duration kLinger = std::chrono::seconds(2);

Instant Now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

}  // namespace

Connection::Connection(Socket socket, Peer peer, bool stranger, std::shared_ptr<ServerState> server)
    : peer_(std::move(peer)),
      stranger_(stranger),
      server_(std::move(server)),
      socket_(std::move(socket)),
      alarm_(socket_.get_executor()),
      output_(socket_, server_->options.limits.write) {}

Connection::~Connection() {
  // The loop was destroyed first.
  if (exchange_.stream) exchange_.stream->Detach();
  if (exchange_.relay) exchange_.relay->Detach();
}

void Connection::Start(std::function<void()> on_closed) {
  on_closed_ = std::move(on_closed);
  ++server_->statistics.open;
  output_.Start(weak_from_this(), {[this](size_t size) { OnSent(size); }, [this] { Close(); }});
  BeginRequest();
  ReadMore();
}

void Connection::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  --server_->statistics.open;
  const auto self = shared_from_this();
  alarm_.Cancel();
  output_.Close();
  Failure ignored;
  socket_.close(ignored);
  if (const auto stream = std::exchange(exchange_.stream, nullptr)) {
    --server_->statistics.streams;
    stream->Detach();
  }
  if (const auto relay = std::exchange(exchange_.relay, nullptr)) relay->Detach();
  const auto on_closed = std::move(on_closed_);
  if (on_closed) on_closed();
}

void Connection::CloseWhenDone() {
  stopping_ = true;
  const bool busy = state_ == State::kHandling || (state_ == State::kSending && !exchange_.unbounded);
  if (!busy && state_ != State::kLingering) Close();
}

Connection::Activity Connection::activity() const {
  switch (state_) {
    case State::kReceiving:
      return input_.bytes.empty() && !reader_->begun() ? Activity::kIdle : Activity::kReceiving;
    case State::kHandling:
    case State::kSending:
    case State::kRelaying:
      return Activity::kBusy;
    case State::kLingering:
      return Activity::kIdle;
    case State::kClosed:
      break;
  }
  return Activity::kClosed;
}

void Connection::Arm(Duration limit) {
  alarm_.Set(limit, [self = shared_from_this()] { self->OnDeadline(); });
}

void Connection::OnDeadline() {
  switch (state_) {
    case State::kReceiving:
      if (activity() == Activity::kIdle) return Close();
      return Refuse(server_->PageOf(
          reader_->request(),
          {408, "the request did not arrive completely within " + FormatDuration(server_->options.limits.request),
           "send it again"}));
    case State::kHandling:
      return Refuse(
          server_->PageOf(reader_->request(),
                          {504, "the server found no answer within " + FormatDuration(server_->options.limits.answer),
                           "try again later"}));
    case State::kSending:
      if (!exchange_.unbounded) return Close();  // the producer writes nothing more
      // Reveals a client that has vanished without closing the connection.
      if (const auto stream = exchange_.stream) stream->Write(exchange_.heartbeat);
      return;
    case State::kLingering:
      return Close();
    case State::kRelaying:  // the relay has limits of its own
    case State::kClosed:
      return;
  }
}

// Reads also while a response is in progress, because this is how a closed connection is noticed.
void Connection::ReadMore() {
  if (input_.reading || input_.ended || state_ == State::kClosed) return;
  if (activity() == Activity::kBusy && input_.bytes.size() >= kReadAhead) return;
  input_.reading = true;
  input_.block.resize(state_ == State::kRelaying ? kRelayBlock : kBlock);
  socket_.async_read_some(boost::asio::buffer(input_.block),
                          [self = shared_from_this()](const Failure& failed, size_t size) {
                            self->input_.reading = false;
                            if (self->state_ == State::kClosed) return;
                            if (failed == boost::asio::error::eof) return self->OnEnd();
                            self->OnRead(static_cast<bool>(failed), size);
                          });
}

void Connection::OnRead(bool failed, size_t size) {
  if (failed) return Close();
  if (state_ == State::kLingering) {
    input_.discarded += size;
    return input_.discarded > kLingerBytes ? Close() : ReadMore();
  }
  const bool first = activity() == Activity::kIdle;
  input_.bytes.append(input_.block.data(), size);
  if (first) Arm(server_->options.limits.request);
  if (state_ == State::kRelaying) return PumpRelay();
  if (state_ == State::kReceiving) Advance();
  ReadMore();
}

void Connection::OnEnd() {
  input_.ended = true;
  if (const auto relay = exchange_.relay) return relay->OnInputEnd(input_.bytes);
  const bool answering = state_ == State::kHandling || (state_ == State::kSending && !exchange_.unbounded);
  if (!answering) Close();
}

void Connection::BeginRequest() {
  reader_.emplace(server_->options.limits);
  exchange_ = {.number = exchange_.number + 1};
  state_ = State::kReceiving;
  output_.SetLimit(server_->options.limits.write);
  Arm(input_.bytes.empty() ? server_->options.limits.idle : server_->options.limits.request);
}

void Connection::Advance() {
  while (state_ == State::kReceiving) {
    switch (reader_->Feed(input_.bytes)) {
      case RequestReader::State::kMore:
        if (input_.ended) Close();
        return;
      case RequestReader::State::kFailed:
        return Refuse(server_->PageOf(reader_->request(), reader_->problem()));
      case RequestReader::State::kHead:
        OnHead();
        break;
      case RequestReader::State::kWhole:
        return OnRequest();
    }
  }
}

// Refuses a request before its body is read, if its header is reason enough.
void Connection::OnHead() {
  Request& request = reader_->request();
  request.peer = peer_;
  const Server::Options& options = server_->options;
  RelayDecision decision = options.relay ? options.relay(request) : RelayDecision();
  if (auto* response = std::get_if<Response>(&decision)) return Refuse(std::move(*response));
  if (auto* target = std::get_if<RelayTarget>(&decision)) return BeginRelay(std::move(*target));
  if (reader_->unfit()) return;  // the next call of Feed fails
  auto problem = Refusal(options.policy, request);
  if (!problem && options.admit) problem = options.admit(request);
  if (problem) return Refuse(server_->PageOf(request, *problem));
  if (reader_->expects_continue()) output_.Push("HTTP/1.1 100 Continue\r\n\r\n");
}

void Connection::OnRequest() {
  state_ = State::kHandling;
  exchange_.keep_alive = reader_->keep_alive();
  Arm(server_->options.limits.answer);
  const auto server = server_;  // the handler may destroy this connection
  server->handler(reader_->request(), [weak = weak_from_this(), number = exchange_.number](Response response) {
    if (const auto self = weak.lock()) self->Answer(number, std::move(response));
  });
}

void Connection::BeginRelay(RelayTarget target) {
  const Limits& limits = server_->options.limits;
  auto relayed = RelayRequest(reader_->request(), reader_->framing(), target);
  if (const auto* problem = std::get_if<Problem>(&relayed))
    return Refuse(server_->PageOf(reader_->request(), *problem));
  state_ = State::kRelaying;
  alarm_.Cancel();
  output_.SetLimit(limits.relay_silence);
  Relay::Setup setup{.target = std::move(target),
                     .request = std::move(std::get<RelayedRequest>(relayed)),
                     .context = {reader_->request().method, reader_->http_1_0(), reader_->keep_alive() && !stopping_},
                     .line_limit = limits.header_bytes,
                     .silence = limits.relay_silence};
  setup.context.upgrade = setup.request.upgrade;
  const auto leave = [this] { exchange_.relay = nullptr; };
  const auto relay = std::make_shared<Relay>(
      socket_.get_executor(), std::move(setup),
      Relay::Client{.send = [this](std::string bytes) { output_.Push(std::move(bytes)); },
                    .queued = [this] { return output_.queued(); },
                    .end_output =
                        [this] {
                          exchange_.output_ends = true;
                          if (output_.queued() == 0) OnSent(0);
                        },
                    .pump = [this] { PumpRelay(); },
                    .refuse =
                        [this, leave](const Problem& problem) {
                          leave();
                          Refuse(server_->PageOf(reader_->request(), problem));
                        },
                    .done =
                        [this, leave](bool keep_alive) {
                          leave();
                          state_ = State::kSending;
                          exchange_.keep_alive = keep_alive;
                          ++server_->statistics.requests;
                          if (output_.queued() == 0) EndResponse();
                        },
                    .abort =
                        [this] {
                          Failure ignored;  // a reset, so that the client does not see an end
                          socket_.set_option(boost::asio::socket_base::linger(true, 0), ignored);
                          Close();
                        }});
  exchange_.relay = relay;
  relay->Start();
}

// Lets the relay consume what the client has sent, and reads more.
void Connection::PumpRelay() {
  const auto self = shared_from_this();
  if (const auto relay = exchange_.relay) relay->OnInput(input_.bytes);
  ReadMore();
}

// Another request can follow only if this one has ended: its body must not be read as a request.
void Connection::Refuse(Response response) {
  const bool whole = state_ == State::kReceiving && reader_->head_done() &&
                     reader_->Feed(input_.bytes) == RequestReader::State::kWhole;
  Send(std::move(response), whole && reader_->keep_alive());
}

void Connection::Answer(uint64_t number, Response response) {
  if (state_ != State::kHandling || number != exchange_.number) return;
  Send(std::move(response), reader_->keep_alive());
}

void Connection::Send(Response response, bool keep_alive) {
  alarm_.Cancel();
  state_ = State::kSending;
  const PlanContext context{keep_alive && !stopping_, reader_->http_1_0(), Now(), &server_->options.default_headers};
  ResponsePlan plan = PlanResponse(context, reader_->request(), response);
  exchange_.keep_alive = plan.keep_alive;
  Statistics& statistics = server_->statistics;
  ++statistics.requests;
  ++statistics.answers[std::clamp(plan.status / 100, 0, 5)];
  if (plan.framing != Framing::kText) return Produce(plan, std::move(response));
  if (plan.body.size() < kOnePiece) plan.head += std::exchange(plan.body, "");
  output_.Push(std::move(plan.head));
  output_.Push(std::move(plan.body));
}

void Connection::Produce(const ResponsePlan& plan, Response response) {
  const Limits& limits = server_->options.limits;
  const auto stream =
      std::make_shared<ResponseStream>(output_, plan, ResponseStream::Limits{limits.full_bytes, limits.queue_bytes},
                                       [this](bool complete) { OnStreamDone(complete); });
  exchange_.stream = stream;
  exchange_.unbounded = plan.framing != Framing::kSized;
  ++server_->statistics.streams;
  output_.Push(plan.head);
  auto* streamed = std::get_if<StreamedBody>(&response.body);
  if (streamed != nullptr) exchange_.heartbeat = streamed->heartbeat;
  ArmForProducer();
  if (streamed == nullptr) return std::get<RangedBody>(response.body).produce(plan.offset, plan.size, stream);
  if (input_.ended) return Close();
  streamed->produce(stream);
}

void Connection::ArmForProducer() {
  if (!exchange_.unbounded) return Arm(server_->options.limits.answer);
  if (!exchange_.heartbeat.empty()) Arm(server_->options.limits.heartbeat);
}

void Connection::OnSent(size_t size) {
  server_->statistics.bytes_sent += size;
  if (state_ == State::kRelaying) {
    Failure ignored;
    if (exchange_.output_ends && output_.queued() == 0) socket_.shutdown(Socket::shutdown_send, ignored);
    return exchange_.relay->OnSent();
  }
  if (state_ != State::kSending) return;
  if (const auto stream = exchange_.stream) {
    ArmForProducer();
    stream->OnSent();
  } else if (output_.queued() == 0) {
    EndResponse();
  }
}

void Connection::OnStreamDone(bool complete) {
  exchange_.stream = nullptr;
  --server_->statistics.streams;
  alarm_.Cancel();
  if (!complete) return Close();
  if (output_.queued() == 0) EndResponse();
}

void Connection::EndResponse() {
  if (!exchange_.keep_alive || stopping_) return Linger();
  BeginRequest();
  Advance();
  ReadMore();
}

// Discards unread input before closing. Otherwise the kernel may reset the connection, and the client may lose the
// response.
void Connection::Linger() {
  Failure ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  if (input_.ended || (stopping_ && input_.bytes.empty())) return Close();
  state_ = State::kLingering;
  Arm(kLinger);
  ReadMore();
}

}  // namespace howdah::web

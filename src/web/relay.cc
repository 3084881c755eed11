#include "relay.h"

#include <algorithm>
#include <utility>

namespace howdah::web {
namespace {

constexpr size_t kServerHeadBytes = 64 << 10;
constexpr size_t kMostToServer = 512 << 10;  // more than the step in which an upstream reports taken bytes
constexpr int kMostInterim = 100;            // responses before the final one
constexpr Duration kServerEnd = std::chrono::seconds(2);

Problem BadAnswer(const std::string& defect) {
  return {502, "the answer of the server cannot be relayed: " + defect, "look into the log of the server's task"};
}

}  // namespace

Relay::Relay(const boost::asio::any_io_executor& executor, Setup setup, Client client)
    : setup_(std::move(setup)),
      client_(std::move(client)),
      alarm_(executor),
      input_{.body = BodyReader(setup_.request.framing, setup_.line_limit)} {
  output_.reader.emplace(kServerHeadBytes);
}

void Relay::Start() {
  Watch();
  upstream_ = setup_.target.connect(Events());
}

Upstream::Events Relay::Events() {
  const auto call = [weak = weak_from_this()](auto method) {
    return [weak, method](auto... arguments) {
      if (const auto self = weak.lock()) (self.get()->*method)(std::move(arguments)...);
    };
  };
  return {.on_open =
              [weak = weak_from_this()] {
                const auto self = weak.lock();
                if (!self || self->state_ != State::kConnecting) return;
                self->state_ = State::kHead;
                self->Send(std::exchange(self->setup_.request.head, ""));
                self->client_.pump();
              },
          .on_bytes = call(&Relay::OnBytes),
          .on_end = call(&Relay::OnServerEnd),
          .on_taken =
              [weak = weak_from_this()](size_t bytes) {
                const auto self = weak.lock();
                if (!self) return;
                self->input_.in_flight -= std::min(self->input_.in_flight, bytes);
                if (self->state_ != State::kOver) self->client_.pump();
              },
          .on_failed =
              [weak = weak_from_this()](const Problem& problem) {
                if (const auto self = weak.lock()) self->Fail(problem);
              }};
}

void Relay::Send(std::string bytes) {
  active_ = true;
  input_.in_flight += bytes.size();
  upstream_->Send(std::move(bytes));
}

void Relay::OnInput(std::string& input) {
  if (state_ == State::kConnecting || state_ == State::kOver || input_.in_flight >= kMostToServer) return;
  if (state_ == State::kUpgraded) {
    if (!input.empty()) Send(std::exchange(input, ""));
  } else if (input_.body.state() == BodyReader::State::kMore) {
    std::string body;
    const auto state = input_.body.Feed(input, body);
    const bool chunked = setup_.request.framing.kind == BodyFraming::Kind::kChunked;
    if (!body.empty()) Send(chunked ? ChunkOf(body) : std::move(body));
    if (state == BodyReader::State::kMalformed)
      return Fail(
          {400, "the body of the request is not correctly divided into chunks", "send the header Content-Length"});
    if (state == BodyReader::State::kWhole && chunked) Send(kLastChunk);
  }
  if (input_.ended && input.empty()) EndInput();
}

void Relay::OnInputEnd(std::string& input) {
  input_.ended = true;
  OnInput(input);
}

void Relay::EndInput() {
  if (state_ != State::kUpgraded && input_.body.End() == BodyReader::State::kMalformed)
    return Fail({400, "the body of the request is shorter than its header says", "send the whole body"});
  if (!std::exchange(input_.end_sent, true)) upstream_->End();
  if (state_ == State::kUpgraded && output_.ended) Finish(/*keep_alive=*/false);
}

void Relay::OnBytes(std::string bytes) {
  active_ = true;
  if (state_ == State::kOver) return;
  output_.untaken += bytes.size();
  if (state_ == State::kHead) {
    output_.head += bytes;
    ReadHead();
  } else if (state_ == State::kUpgraded) {
    client_.send(std::move(bytes));
  } else {
    PassBody(std::move(bytes));
  }
  TakeAccepted();
}

void Relay::ReadHead() {
  while (state_ == State::kHead) {
    switch (output_.reader->Feed(output_.head)) {
      case ResponseReader::State::kMore:
        return;
      case ResponseReader::State::kFailed:
        return Fail(BadAnswer(output_.reader->defect()));
      case ResponseReader::State::kHead:
        BeginResponse();
    }
  }
}

void Relay::BeginResponse() {
  auto relayed = RelayResponse(output_.reader->head(), setup_.context, setup_.target);
  if (!relayed.ok()) return Fail(BadAnswer(relayed.error().message));
  if (relayed->interim) {
    if (++output_.interim > kMostInterim)
      return Fail(BadAnswer("more than " + std::to_string(kMostInterim) + " interim responses come before it"));
    if (!setup_.context.http_1_0) client_.send(std::move(relayed->head));
    output_.reader.emplace(kServerHeadBytes);
    return;
  }
  output_.response = std::move(*relayed);
  output_.body.emplace(output_.response.framing, kServerHeadBytes);
  state_ = output_.response.upgraded ? State::kUpgraded : State::kBody;
  client_.send(std::exchange(output_.response.head, ""));
  std::string rest = std::exchange(output_.head, "");
  if (state_ == State::kBody) return PassBody(std::move(rest));
  if (state_ != State::kUpgraded) return;
  if (!rest.empty()) client_.send(std::move(rest));
  client_.pump();
}

void Relay::PassBody(std::string bytes) {
  std::string body;
  const auto state = output_.body->Feed(bytes, body);
  if (!body.empty()) client_.send(output_.response.chunked ? ChunkOf(body) : std::move(body));
  if (state_ != State::kBody || state == BodyReader::State::kMore) return;
  if (state == BodyReader::State::kMalformed) return Fail(BadAnswer("its body is not correctly divided into chunks"));
  if (output_.response.chunked) client_.send(kLastChunk);
  Finish(output_.response.keep_alive && input_.body.state() == BodyReader::State::kWhole);
}

void Relay::OnServerEnd() {
  output_.ended = true;
  switch (state_) {
    case State::kConnecting:
    case State::kHead:
      return Fail({502, "the server closed the connection before it had answered", "look into the log of its task"});
    case State::kBody:
      if (output_.body->End() == BodyReader::State::kMalformed) return Fail(BadAnswer("it ends too early"));
      return PassBody("");
    case State::kUpgraded:
      client_.end_output();
      if (state_ == State::kUpgraded && input_.end_sent) Finish(/*keep_alive=*/false);
      return;
    case State::kOver:
      return Leave();
  }
}

void Relay::Fail(const Problem& problem) {
  const State before = std::exchange(state_, State::kOver);
  Leave();
  if (before == State::kOver) return;
  const Client client = std::exchange(client_, {});
  if (before == State::kConnecting || before == State::kHead) return client.refuse(problem);
  client.abort();
}

// The server was asked to close the connection. If the relay broke it at once, the server could report an error.
void Relay::Finish(bool keep_alive) {
  state_ = State::kOver;
  if (output_.ended) {
    Leave();
  } else {
    if (!std::exchange(input_.end_sent, true)) upstream_->End();
    alarm_.Set(kServerEnd, [self = shared_from_this()] { self->Leave(); });
  }
  const Client client = std::exchange(client_, {});
  client.done(keep_alive);
}

void Relay::Leave() {
  alarm_.Cancel();
  upstream_ = nullptr;
}

void Relay::OnSent() {
  active_ = true;
  TakeAccepted();
}

void Relay::Detach() {
  state_ = State::kOver;
  client_ = {};
  Leave();
}

void Relay::TakeAccepted() {
  if (state_ == State::kOver) return;
  const size_t queued = std::min(client_.queued(), output_.untaken);
  if (queued < output_.untaken) upstream_->Take(std::exchange(output_.untaken, queued) - queued);
}

void Relay::Watch() {
  alarm_.Set(setup_.silence, [self = shared_from_this()] {
    if (self->state_ == State::kOver) return;
    if (std::exchange(self->active_, false)) return self->Watch();
    self->Fail({504, "neither the server nor the browser has sent a byte for " + FormatDuration(self->setup_.silence),
                "load the page again"});
  });
}

}  // namespace howdah::web

// Relays one request to another server, and its response to the client.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "alarm.h"
#include "body_reader.h"
#include "howdah/base/time.h"
#include "howdah/web/relay.h"
#include "relay_rules.h"
#include "response_reader.h"

namespace howdah::web {

// Use only on the loop's thread. Each piece is passed on as it arrives. If one side accepts bytes more slowly than the
// other sends them, the relay stops accepting: it holds less than 2 MiB.
class Relay : public std::enable_shared_from_this<Relay> {
 public:
  // The client's connection. Every function may close it, and may be called within every method but Detach.
  struct Client {
    std::function<void(std::string bytes)> send;
    std::function<size_t()> queued;              // bytes that the client has yet to accept
    std::function<void()> end_output;            // the client sees the end after the queued bytes
    std::function<void()> pump;                  // calls OnInput with the bytes that the client has sent
    std::function<void(const Problem&)> refuse;  // the last call; nothing was sent before
    std::function<void(bool keep_alive)> done;   // the last call; the response was sent completely
    std::function<void()> abort;                 // the last call; the client must notice that bytes are missing
  };
  struct Setup {
    RelayTarget target;
    RelayedRequest request;
    RelayContext context;
    size_t line_limit;  // of chunks of the client
    Duration silence;   // the relay ends if no byte passes for this long, or for at most twice as long
  };
  Relay(const boost::asio::any_io_executor& executor, Setup setup, Client client);

  void Start();
  // Consumes the bytes at the front of `input` that can be passed on now.
  void OnInput(std::string& input);
  // The client sends no more than `input`.
  void OnInputEnd(std::string& input);
  // The client has accepted bytes.
  void OnSent();
  // The client's connection is closed.
  void Detach();

 private:
  enum class State {
    kConnecting,
    kHead,      // awaits the head of the response
    kBody,      // passes the body of the response on
    kUpgraded,  // passes all bytes on
    kOver,      // the client is served; waits briefly for the server to close the connection
  };

  Upstream::Events Events();
  void Send(std::string bytes);
  void EndInput();
  void OnBytes(std::string bytes);
  void ReadHead();
  void BeginResponse();
  void PassBody(std::string bytes);
  void OnServerEnd();
  void Fail(const Problem& problem);
  void Finish(bool keep_alive);
  void Leave();
  void TakeAccepted();
  void Watch();

  Setup setup_;
  Client client_;
  State state_ = State::kConnecting;
  Alarm alarm_;
  std::unique_ptr<Upstream> upstream_;
  struct Input {
    BodyReader body;
    size_t in_flight = 0;  // bytes that the server has not taken
    bool ended = false;    // the client sends no more
    bool end_sent = false;
  } input_;
  struct Output {
    std::string head;  // bytes before the end of the head
    std::optional<ResponseReader> reader;
    RelayedResponse response;
    std::optional<BodyReader> body;
    size_t untaken = 0;
    bool ended = false;  // the server sends no more
    int interim = 0;     // responses so far
  } output_;
  bool active_ = false;  // a byte has passed since the last look
};

}  // namespace howdah::web

// One connection of a client: reads requests one after another and sends the responses in the same order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "alarm.h"
#include "howdah/web/server.h"
#include "output_queue.h"
#include "relay.h"
#include "request_reader.h"
#include "response_stream.h"

namespace howdah::web {

// The part of the server that connections use. Stays as long as any of them.
struct ServerState {
  Server::Options options;
  Handler handler;
  Statistics statistics;

  Response PageOf(const Request& request, const Problem& problem) const {
    return options.error_page ? options.error_page(request, problem) : ToResponse(problem);
  }
};

// Use only on the loop's thread. Pending operations own the connection, so it may be dropped at any time after Close.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  enum class Activity {
    kIdle,       // waits for a request
    kReceiving,  // has received a part of a request
    kBusy,       // a request is being answered
    kClosed,
  };

  Connection(Socket socket, Peer peer, bool stranger, std::shared_ptr<ServerState> server);
  ~Connection();

  // on_closed: called once, also within Close.
  void Start(std::function<void()> on_closed);
  // Closes the connection at once.
  void Close();
  // Closes the connection after the response in progress, or at once if there is none or it has no known end.
  void CloseWhenDone();

  Activity activity() const;
  bool stranger() const { return stranger_; }

 private:
  enum class State { kReceiving, kHandling, kSending, kRelaying, kLingering, kClosed };

  void Arm(Duration limit);
  void OnDeadline();
  void ReadMore();
  void OnRead(bool failed, size_t size);
  void OnEnd();
  void BeginRequest();
  void Advance();
  void OnHead();
  void OnRequest();
  void Refuse(Response response);
  void BeginRelay(RelayTarget target);
  void PumpRelay();
  void Answer(uint64_t number, Response response);
  void Send(Response response, bool keep_alive);
  void Produce(const ResponsePlan& plan, Response response);
  void ArmForProducer();
  void OnSent(size_t size);
  void OnStreamDone(bool complete);
  void EndResponse();
  void Linger();

  const Peer peer_;
  const bool stranger_;
  const std::shared_ptr<ServerState> server_;
  Socket socket_;
  Alarm alarm_;
  OutputQueue output_;
  std::function<void()> on_closed_;

  struct Input {
    std::string block;     // for the pending read
    std::string bytes;     // received and not yet parsed
    bool reading = false;  // a read is pending
    bool ended = false;    // the client has closed its sending side
    size_t discarded = 0;  // in kLingering
  } input_;
  std::optional<RequestReader> reader_;

  // The response in progress
  struct Exchange {
    uint64_t number = 0;  // of the request on this connection
    bool keep_alive = false;
    bool unbounded = false;  // a streamed body of unknown size
    std::string heartbeat;
    std::shared_ptr<ResponseStream> stream;
    std::shared_ptr<Relay> relay;  // in kRelaying
    bool output_ends = false;      // the relayed server sends no more
  } exchange_;
  State state_ = State::kReceiving;
  bool stopping_ = false;
};

}  // namespace howdah::web

// The Arrow Flight server of an executor. Sources put blocks into it, ask for readers and announce themselves; other
// executors get blocks that have moved to one of their readers. Clients of a feed with answers exchange questions for
// answers.
//
// It implements DoAction, DoExchange, DoGet and DoPut of arrow.flight.protocol.FlightService. Every call needs the
// token of its feed in the header "authorization: Bearer TOKEN". Actions, descriptors, tickets and metadata are JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow_header.h"
#include "howdah/base/result.h"
#include "howdah/feed/row_ranges.h"
#include "howdah/rpc/identity.h"
#include "howdah/rpc/post.h"

namespace howdah::feed::server {

// Where a FlightServer listens. An empty path or port 0: it does not listen there.
struct FlightAddress {
  std::string unix_path;
  std::string host;  // an IP address; with TLS
  uint16_t port = 0;
};

// Whether the token is the expected one; false if none is expected. The time does not depend on the first different
// byte.
bool IsSameToken(const std::string& expected, std::string_view token);

// Used on the owner's loop. gRPC's thread decodes messages and posts; all handlers are called on the loop. Handlers
// other than authorize and is_token may destroy the server. A process that uses it must have an rpc::ExecutorLink, too,
// which prepares gRPC.
class FlightServer {
 public:
  // The limit of one message: a row of 256 MiB and its header.
  static constexpr int kMessageBytes = 257 << 20;
  // The sizes of HTTP/2 frames and of reads from a socket, of servers and clients. pyarrow's client sends blocks of 8
  // MiB over a unix socket at 1.7 GB/s with them, and at half of that with gRPC's own.
  static constexpr int kFrameBytes = 1 << 20, kReadBytes = 256 << 10;
  // The server begins to read a further block only while blocks of fewer bytes wait for their answers, in all calls
  // together. A call has at most one block. The blocks that were being received at that moment are added.
  static constexpr int64_t kUnansweredBytes = int64_t{64} << 20;
  // The same for plain calls, whose blocks may wait for a long time.
  static constexpr int64_t kPlainBytes = int64_t{32} << 20;

  // A status that is not ok ends a call with a gRPC status: UNAVAILABLE for kUnavailable, NOT_FOUND for kNotFound,
  // DEADLINE_EXCEEDED for kTimeout, INVALID_ARGUMENT for kUsage, RESOURCE_EXHAUSTED for kNoSpace, INTERNAL for kFailed.
  // All functions that handlers receive are called on the loop, at any time. They have no effect when the call has
  // ended or the server was destroyed.
  struct Handlers {
    struct Call {
      std::function<void(std::string json)> reply;
      std::function<void(Status)> finish;  // ends the call after the replies
    };
    // A call of a client that asks.
    struct Exchange {
      std::function<void()> read;  // receives the next question. One at a time: on_question or on_asked follows
      // Sends a message with this metadata: a line that ends with a newline, and then the payload.
      std::function<void(const std::string& line, std::string payload)> send;
      std::function<void(Status)> finish;  // ends the call after the messages
    };
    // DoExchange: a client sends blocks of rows, and gets an answer to each of them.
    struct Exchanges {
      // The caller has the token of the feed. The server receives questions when `read` is called.
      std::function<void(uint64_t id, const std::string& feed, Exchange)> on_exchange;
      // schema: the header of the schema message. first_row of the block is its number in the call.
      std::function<void(uint64_t id, const std::string& schema, ArrowBlock)> on_question;
      // No question follows. It may be that the client is gone: then on_cancelled follows.
      std::function<void(uint64_t id)> on_asked;
      // The client has received messages. unsent: the bytes of those that it has not.
      std::function<void(uint64_t id, int64_t unsent)> on_sent;
    };
    // DoPut of a client that numbers no rows: its descriptor is a path, the name of the feed.
    struct Plain {
      // client: its address, for messages. `finish` ends the call.
      std::function<void(uint64_t id, const std::string& feed, const std::string& client,
                         std::function<void(Status)> finish)>
          on_begin;
      // The rows are numbered by the server. It reads the next block after `answer`, which must be called exactly once:
      // with the number of rows of this call that the job has accepted. An error has no effect: use `finish`.
      std::function<void(uint64_t id, const std::string& schema, ArrowBlock,
                         std::function<void(Result<int64_t>)> answer)>
          on_block;
      // No block follows. It may be that the client is gone: then on_cancelled follows.
      std::function<void(uint64_t id)> on_end;
    };
    // A call of an executor that gets rows.
    struct Get {
      std::function<void(std::string schema, std::vector<ArrowBlock> blocks)> send;  // always with the same schema
      // Whether at most 4 MiB of the earlier messages are unsent. False if the client is gone.
      std::function<bool()> has_room;
      // Call it only while has_room() is false. The function is called once, when there is room again. It is dropped if
      // the client is gone.
      std::function<void(std::function<void()>)> when_room;
      std::function<void(Status)> finish;  // ends the call after the messages
    };

    // Whether the token is that of the feed. False for a feed that the job does not have.
    std::function<bool(const std::string& feed, std::string_view token)> authorize;
    // Whether the tokens of feeds are known. Calls before end with UNAVAILABLE. May be null: then they are.
    std::function<bool()> has_tokens;
    // Whether the token is that of any feed. The server receives messages of a call only if it is, so that strangers
    // cannot make the server hold large messages. May be null: then the server receives the first message of any call.
    std::function<bool(std::string_view token)> is_token;
    // A source has sent a block. schema: the header of the schema message. The server reads the next block of this call
    // after `answer`, which must be called exactly once, also for calls that have ended. An error ends the call.
    std::function<void(const PutTarget&, const std::string& schema, ArrowBlock, std::function<void(Result<PutAnswer>)>)>
        on_block;
    // DoAction. The body is a JSON object with a string "feed", whose token the caller has; other fields are not
    // checked. The handler ends the call with an error if it does not know the type.
    std::function<void(uint64_t id, const std::string& type, const std::string& body, Call)> on_action;
    // The client of an action, an exchange or a plain DoPut is gone. Called once, and only if the call was not finished
    // before.
    std::function<void(uint64_t id)> on_cancelled;
    // DoGet: the blocks that contain the rows.
    std::function<void(const GetTarget&, Get)> on_get;
    Exchanges exchanges;
    Plain plain;
  };

  // Listens on a unix socket, and with TLS on any free port of an IP address of this machine. tls_host: empty for no
  // TLS. A file at unix_path is replaced. Any user who may open unix_path can connect, so its folder must be closed to
  // others. The certificate of the identity must be valid for servers; clients need none.
  static Result<std::unique_ptr<FlightServer>> Start(const std::string& unix_path, const std::string& tls_host,
                                                     const rpc::Identity& identity, rpc::Post post, Handlers handlers);
  // Ends open calls with UNAVAILABLE. Replies that wait to be sent get 100 ms.
  virtual ~FlightServer() = default;

  // The port with TLS; 0 without.
  virtual uint16_t port() const = 0;
};

}  // namespace howdah::feed::server

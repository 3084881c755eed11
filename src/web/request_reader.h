// Turns the bytes of a connection into requests. Pure; the bytes come from an untrusted client.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "body_reader.h"
#include "chunk_decoder.h"
#include "howdah/web/message.h"
#include "howdah/web/server.h"

namespace howdah::web {

// Reads one request. A request that two servers could understand differently (request smuggling) is an error: both
// Content-Length and Transfer-Encoding, other encodings than "chunked", several Host headers.
class RequestReader {
 public:
  explicit RequestReader(const Limits& limits);
  ~RequestReader();

  enum class State {
    kMore,    // more bytes are needed
    kHead,    // the header is complete; returned once, also if the request has no body
    kWhole,   // the request is complete
    kFailed,  // problem() says why; the connection cannot be used for another request
  };
  // Consumes bytes from the front of `input`. Call again after kHead. Bytes after the end of the request stay.
  State Feed(std::string& input);

  bool begun() const { return begun_; }          // Feed has received a byte
  bool head_done() const { return head_done_; }  // kHead was returned
  // From kHead on, without the body before kWhole. After kFailed: what could be parsed. Between kHead and the next
  // call, the path may be missing because it is not safe; that call then fails.
  Request& request() { return request_; }
  // After kHead: the next call of Feed fails because no handler may see the request. A relay may.
  bool unfit() const { return unfit_.has_value(); }
  // From kHead on: the framing of the body, which a relay reads itself, whatever its length.
  const BodyFraming& framing() const { return framing_; }
  const Problem& problem() const { return problem_; }
  bool keep_alive() const { return keep_alive_; }              // the client permits another request on this connection
  bool http_1_0() const { return http_1_0_; }                  // the client does not understand chunked encoding
  bool expects_continue() const { return expects_continue_; }  // the client waits for "100 Continue"

 private:
  class Parser;
  State Fail(Problem problem);
  static Problem BodyTooLong(const Limits& limits);
  State FailParse(int code, const std::string& text);
  State FeedHead(std::string& input);
  State FeedBody(std::string& input);
  State TakeHead();
  std::optional<Problem> TakeTarget();
  std::optional<Problem> ProblemOfFraming() const;

  const Limits limits_;
  std::unique_ptr<Parser> parser_;  // of the header
  BodyFraming framing_;
  std::optional<Problem> unfit_;  // why no handler may see the request, although a relay may
  std::optional<ChunkDecoder> chunks_;
  uint64_t body_left_ = 0;  // bytes of a body with Content-Length
  Request request_;
  Problem problem_;
  size_t header_used_ = 0;  // bytes of the header that were consumed
  bool begun_ = false, head_done_ = false, keep_alive_ = false, http_1_0_ = false, expects_continue_ = false;
};

}  // namespace howdah::web

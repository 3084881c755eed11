// Turns the bytes of a server into the head of its response. Pure; the bytes come from an untrusted server.
#pragma once

#include <memory>
#include <string>

#include "body_reader.h"
#include "howdah/base/result.h"
#include "howdah/web/message.h"

namespace howdah::web {

struct ResponseHead {
  int status = 0;
  std::string reason;
  Headers headers;
};

// Reads the head of one response.
class ResponseReader {
 public:
  explicit ResponseReader(size_t limit_bytes);
  ~ResponseReader();

  enum class State { kMore, kHead, kFailed };
  // Consumes bytes from the front of `input`. Bytes after the head stay.
  State Feed(std::string& input);
  ResponseHead& head() { return head_; }                 // from kHead on
  const std::string& defect() const { return defect_; }  // after kFailed: "its header is longer than 65536 bytes"

 private:
  class Parser;
  State Fail(std::string defect);
  State TakeHead();

  const size_t limit_;
  std::unique_ptr<Parser> parser_;
  ResponseHead head_;
  size_t used_ = 0;
  std::string defect_;
};

// The framing of the body that follows the head (RFC 9112, section 6.3), for a request with this method. Returns the
// defect of a head whose framing two readers could understand differently.
Result<BodyFraming> FramingOf(const ResponseHead& head, const std::string& method);

}  // namespace howdah::web

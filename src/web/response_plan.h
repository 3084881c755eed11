// How a response is sent: status line, header, framing. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/base/time.h"
#include "howdah/web/message.h"

namespace howdah::web {

struct PlanContext {
  bool keep_alive = false;  // the connection may serve another request
  bool http_1_0 = false;    // the client does not understand chunked encoding
  Instant now;
  const Headers* defaults = nullptr;
};

enum class Framing {
  kText,        // `body` follows the header; it may be empty
  kSized,       // a producer writes `size` bytes
  kChunked,     // a producer writes chunks
  kUntilClose,  // a producer writes; the end of the connection is the end of the body
};

struct ResponsePlan {
  int status = 200;
  std::string head;  // up to and including the empty line
  std::string body;  // of kText; empty in the answer to a HEAD
  Framing framing = Framing::kText;
  int64_t offset = 0, size = 0;  // the part to produce, of kSized
  bool keep_alive = false;
};

// Takes the text out of response.body. A produced body stays there.
ResponsePlan PlanResponse(const PlanContext& context, const Request& request, Response& response);

// "Tue, 15 Nov 1994 08:12:31 GMT"
std::string HttpDate(Instant time);

}  // namespace howdah::web

// Server-sent events (text/event-stream) over a streamed body. Pure, except for the producer that the caller passes in.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "howdah/web/message.h"

namespace howdah::web {

struct Event {
  std::string id;    // the browser sends the last one as Last-Event-ID when it reconnects; "" for none
  std::string name;  // the type of the event; "" for "message"
  std::string data;  // any text; each line becomes a data field, so that no text can forge another event
};

// The bytes of one event, for BodyWriter::Write. Line breaks and NULs in id and name become spaces.
std::string FormatEvent(const Event& event);

// A response that stays open. The server sends a comment as heartbeat. A browser reconnects when the stream ends,
// unless the answer is a 204.
Response EventStream(std::function<void(std::shared_ptr<BodyWriter>)> produce);

}  // namespace howdah::web

// How a relay changes the heads of requests and responses. Pure; both come from untrusted peers.
#pragma once

#include <string>
#include <variant>

#include "body_reader.h"
#include "howdah/base/result.h"
#include "howdah/web/relay.h"
#include "response_reader.h"

namespace howdah::web {

struct RelayedRequest {
  std::string head;      // for the server, up to and including the empty line
  BodyFraming framing;   // of the body, on both connections
  bool upgrade = false;  // the client asks for a WebSocket
};

// framing: of the request's body. Each request has a connection of its own, so the server is asked to close it; no
// request can then be taken for a part of another one. The server receives its own Host, Origin and Referer. It
// receives no cookies of the relay, no hidden fields, and no other upgrade than to a WebSocket.
std::variant<RelayedRequest, Problem> RelayRequest(const Request& request, const BodyFraming& framing,
                                                   const RelayTarget& target);

// The facts about a request that the relay of its response needs.
struct RelayContext {
  std::string method;
  bool http_1_0 = false;    // the client does not understand chunked encoding
  bool keep_alive = false;  // the client's connection may serve another request
  bool upgrade = false;     // as RelayedRequest
};

struct RelayedResponse {
  std::string head;       // for the client, up to and including the empty line
  BodyFraming framing;    // of the server's body
  bool interim = false;   // another response follows: 100, 103
  bool upgraded = false;  // all further bytes pass unchanged, in both directions
  bool chunked = false;   // the client receives the body in chunks
  bool keep_alive = false;
};

// Redirections to the server's own address lead to the origin that the browser knows. A cookie belongs to that origin
// alone. Returns the defect of a response that cannot be relayed: "it has both ...".
Result<RelayedResponse> RelayResponse(const ResponseHead& head, const RelayContext& context, const RelayTarget& target);

}  // namespace howdah::web

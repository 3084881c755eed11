// The rules that a request must obey before any handler sees it. Neither browsers nor the pages they show are trusted:
// a page of another origin may cause requests, and its name may resolve to this machine (DNS rebinding). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/web/message.h"

namespace howdah::web {

struct Policy {
  // The names under which the server is reached, in lower case, with the port unless it is 80:
  // "localhost:8190", "127.0.0.1:8190", "[::1]:8190". A request for another host is answered with 421. Empty: any host,
  // for unix sockets and servers without secrets.
  std::vector<std::string> hosts;
  // A request that changes something must have this header with the value "1". Pages of other origins cannot set it
  // without the server's consent (CORS), which it never gives.
  std::string request_header = "Howdah-Request";
};

// Returns the refusal, or nullopt if the request obeys the rules. Needs only the header of the request. The rules, in
// this order:
// - 421: Host is not one of `hosts`.
// - 405: the method is not GET, HEAD or POST.
// - 403: Origin is present and not an origin of the server's own; or Sec-Fetch-Site says that the request was caused by
//   another site. Navigation to a page by a GET is allowed from anywhere, because it is what following a link does.
// - 415: a POST is not application/json. 403: a POST without the header `request_header`.
std::optional<Problem> Refusal(const Policy& policy, const Request& request);

// Only the third of these rules: the refusal of a request that a page of another origin has caused.
std::optional<Problem> RefusalOfSite(const Policy& policy, const Request& request);

// The hosts of a server that listens on a loopback address: localhost, 127.0.0.1 and [::1] with the port.
std::vector<std::string> LoopbackHosts(uint16_t port);

}  // namespace howdah::web

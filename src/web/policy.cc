#include "howdah/web/policy.h"

#include <algorithm>

#include "header_list.h"
#include "howdah/base/text.h"

namespace howdah::web {
namespace {

bool IsRead(const Request& request) { return request.method == "GET" || request.method == "HEAD"; }

// Following a link or typing an address, in a tab of its own: not a frame, script or form of another page.
bool IsNavigation(const Request& request) {
  return IsRead(request) && request.headers.Get("Sec-Fetch-Mode") == "navigate" &&
         request.headers.Get("Sec-Fetch-Dest") == "document";
}

bool IsOwnOrigin(const Policy& policy, const Request& request) {
  const std::string origin = LowerCase(request.headers.Get("Origin"));
  if (policy.hosts.empty()) return origin == "http://" + request.host;
  return std::any_of(policy.hosts.begin(), policy.hosts.end(),
                     [&](const std::string& host) { return origin == "http://" + host; });
}

std::optional<Problem> RefusalOfPost(const Policy& policy, const Request& request) {
  const std::string_view type = request.headers.Get("Content-Type");
  if (NameOf(type) != "application/json") {
    return Problem{415, "the body of a POST must be JSON, but Content-Type is '" + OneLine(type, 100) + "'",
                   "send the header `Content-Type: application/json`"};
  }
  if (request.headers.Get(policy.request_header) != "1") {
    return Problem{403, "a POST needs the header " + policy.request_header,
                   "send the header `" + policy.request_header + ": 1`"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> RefusalOfSite(const Policy& policy, const Request& request) {
  const std::string advice = "open the address in a tab of its own, or send the request from outside a browser";
  if (request.headers.Has("Origin") && !IsOwnOrigin(policy, request)) {
    return Problem{403,
                   "a page of another origin, " + OneLine(request.headers.Get("Origin"), 200) +
                       ", may not send requests to this server",
                   advice};
  }
  const std::string_view site = request.headers.Get("Sec-Fetch-Site");
  if (site.empty() || site == "same-origin" || site == "none" || IsNavigation(request)) return std::nullopt;
  return Problem{403, "a page of another site may not send requests to this server", advice};
}

std::optional<Problem> Refusal(const Policy& policy, const Request& request) {
  if (!policy.hosts.empty() &&
      std::find(policy.hosts.begin(), policy.hosts.end(), request.host) == policy.hosts.end()) {
    return Problem{421, "this server is not '" + OneLine(request.host, 200) + "'",
                   "use http://" + policy.hosts.front() + "/"};
  }
  const bool post = request.method == "POST";
  if (!IsRead(request) && !post) {
    return Problem{405,
                   "the method " + OneLine(request.method, 20) + " is not supported",
                   "use GET or POST",
                   {{"Allow", "GET, HEAD, POST"}}};
  }
  if (auto refusal = RefusalOfSite(policy, request)) return refusal;
  return post ? RefusalOfPost(policy, request) : std::nullopt;
}

std::vector<std::string> LoopbackHosts(uint16_t port) {
  const std::string end = port == 80 ? "" : ":" + std::to_string(port);
  return {"localhost" + end, "127.0.0.1" + end, "[::1]" + end};
}

}  // namespace howdah::web

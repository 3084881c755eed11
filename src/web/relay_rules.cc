#include "relay_rules.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "header_list.h"
#include "howdah/base/text.h"

namespace howdah::web {
namespace {

using Kind = BodyFraming::Kind;

// Fields that concern one connection (RFC 9110, section 7.6.1), or that the relay writes itself.
constexpr std::array<std::string_view, 11> kOfConnection = {"connection",
                                                            "keep-alive",
                                                            "proxy-connection",
                                                            "proxy-authenticate",
                                                            "proxy-authorization",
                                                            "te",
                                                            "trailer",
                                                            "transfer-encoding",
                                                            "upgrade",
                                                            "http2-settings",
                                                            "alt-svc"};
constexpr size_t kMostFields = 200;  // of one head
constexpr std::array<std::string_view, 5> kOfRequest = {"host", "origin", "referer", "cookie", "content-length"};

template <typename Names>
bool Contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The names that the fields Connection list, in lower case.
std::set<std::string> ConnectionNames(const Headers& headers) {
  std::set<std::string> names;
  for (const auto& [name, value] : headers.fields()) {
    if (LowerCase(name) != "connection") continue;
    AnyElement(value, ',', [&](std::string_view element) {
      names.insert(LowerCase(element));
      return false;
    });
  }
  return names;
}

bool IsWebSocket(const Headers& headers) {
  return headers.Count("Upgrade") == 1 && LowerCase(headers.Get("Upgrade")) == "websocket" &&
         ConnectionNames(headers).contains("upgrade");
}

std::string Line(std::string_view name, std::string_view value) {
  return std::string(name) + ": " + std::string(value) + "\r\n";
}

// The cookies that the server may see; "" if there are none.
std::string CookiesFor(const Headers& headers, std::string_view hidden_prefix) {
  std::string cookies;
  for (const auto& [name, value] : headers.fields()) {
    if (LowerCase(name) != "cookie") continue;
    AnyElement(value, ';', [&](std::string_view pair) {
      if (!pair.empty() && !pair.starts_with(hidden_prefix))
        cookies += (cookies.empty() ? "" : "; ") + std::string(pair);
      return false;
    });
  }
  return cookies;
}

// The rest of the address after the origin, if it is an address of that origin: "/lab?a=b". An origin alone is "/".
std::optional<std::string> PathBelow(std::string_view origin, std::string_view address) {
  if (!LowerCase(address.substr(0, origin.size())).starts_with(LowerCase(origin))) return std::nullopt;
  address.remove_prefix(origin.size());
  if (address.empty()) return "/";
  if (address.front() == '/') return std::string(address);
  if (address.front() == '?' || address.front() == '#') return "/" + std::string(address);
  return std::nullopt;
}

std::string Relocated(const std::string& address, const RelayTarget& target) {
  const std::string port = target.authority.substr(std::min(target.authority.rfind(':'), target.authority.size()));
  for (const std::string& own : {"http://" + target.authority, "http://localhost" + port, "//" + target.authority}) {
    if (auto path = PathBelow(own, address)) return *path;
  }
  return address;
}

// The cookie without the attribute Domain, with which it would be sent to other hosts.
std::string HostOnly(const std::string& cookie) {
  std::string kept;
  AnyElement(cookie, ';', [&](std::string_view part) {
    if (LowerCase(Trim(part.substr(0, part.find('=')))) != "domain")
      kept += (kept.empty() ? "" : "; ") + std::string(part);
    return false;
  });
  return kept;
}

std::string FramingLine(const BodyFraming& framing) {
  if (framing.kind == Kind::kSized) return Line("Content-Length", std::to_string(framing.size));
  return framing.kind == Kind::kChunked ? Line("Transfer-Encoding", "chunked") : "";
}

std::optional<Problem> ProblemOf(const Request& request, const BodyFraming& framing, bool upgrade) {
  if (request.method == "CONNECT" || request.method == "TRACE")
    return Problem{405, "the method " + request.method + " is not relayed to servers in jobs", "use another method"};
  const bool is_path = request.target.starts_with('/') || (request.method == "OPTIONS" && request.target == "*");
  if (!is_path)
    return Problem{400, "the target of the request does not begin with a slash", "send only path and query"};
  if (upgrade && (framing.kind != Kind::kNone || request.method != "GET"))
    return Problem{400, "a request for a WebSocket is a GET without a body", "send it so (RFC 6455)"};
  if (request.headers.fields().size() > kMostFields)
    return Problem{431, "the header of the request has more than " + std::to_string(kMostFields) + " fields",
                   "send fewer"};
  return std::nullopt;
}

}  // namespace

std::variant<RelayedRequest, Problem> RelayRequest(const Request& request, const BodyFraming& framing,
                                                   const RelayTarget& target) {
  const Headers& headers = request.headers;
  RelayedRequest relayed{.framing = framing, .upgrade = IsWebSocket(headers)};
  if (auto problem = ProblemOf(request, framing, relayed.upgrade)) return std::move(*problem);
  std::string& head = relayed.head;
  head = request.method + " " + request.target + " HTTP/1.1\r\n" + Line("Host", target.authority);
  head += relayed.upgrade ? Line("Connection", "Upgrade") + Line("Upgrade", "websocket") : Line("Connection", "close");
  head += FramingLine(framing);
  const std::string own = "http://" + target.authority;
  if (headers.Has("Origin")) head += Line("Origin", own);
  if (const auto path = PathBelow(target.origin, headers.Get("Referer"))) head += Line("Referer", own + *path);
  if (const std::string cookies = CookiesFor(headers, target.cookie_prefix); !cookies.empty())
    head += Line("Cookie", cookies);
  const std::set<std::string> listed = ConnectionNames(headers);
  for (const Headers::Field& field : headers.fields()) {
    const std::string name = LowerCase(field.first);
    if (Contains(kOfConnection, name) || Contains(kOfRequest, name) || listed.contains(name)) continue;
    if (!target.hides || !target.hides(field)) head += Line(field.first, field.second);
  }
  head += "\r\n";
  return relayed;
}

Result<RelayedResponse> RelayResponse(const ResponseHead& head, const RelayContext& context,
                                      const RelayTarget& target) {
  if (head.headers.fields().size() > kMostFields)
    return Failed("its header has more than " + std::to_string(kMostFields) + " fields");
  RelayedResponse relayed{.upgraded = head.status == 101};
  relayed.interim = head.status < 200 && !relayed.upgraded;
  if (relayed.upgraded && !(context.upgrade && IsWebSocket(head.headers)))
    return Failed("it changes the protocol, which the browser did not ask for");
  HOWDAH_TRY(relayed.framing, FramingOf(head, context.method));
  const bool unknown_end = relayed.framing.kind == Kind::kChunked || relayed.framing.kind == Kind::kUntilEnd;
  relayed.chunked = unknown_end && !context.http_1_0;
  relayed.keep_alive = context.keep_alive && !relayed.upgraded && (!unknown_end || relayed.chunked);
  std::string& text = relayed.head;
  text = "HTTP/1.1 " + std::to_string(head.status) + " " + head.reason + "\r\n";
  if (relayed.upgraded) text += Line("Connection", "Upgrade") + Line("Upgrade", "websocket");
  if (relayed.chunked) text += Line("Transfer-Encoding", "chunked");
  if (!relayed.keep_alive && !relayed.upgraded && !relayed.interim) text += Line("Connection", "close");
  const std::set<std::string> listed = ConnectionNames(head.headers);
  for (const auto& [name, value] : head.headers.fields()) {
    const std::string lower = LowerCase(name);
    if (Contains(kOfConnection, lower) || listed.contains(lower)) continue;
    if (lower == "content-length" && (head.status < 200 || head.status == 204)) continue;
    if (lower == "set-cookie" && value.starts_with(target.cookie_prefix)) continue;
    const bool is_address = lower == "location" || lower == "content-location";
    text += Line(name, is_address ? Relocated(value, target) : lower == "set-cookie" ? HostOnly(value) : value);
  }
  text += "\r\n";
  return relayed;
}

}  // namespace howdah::web

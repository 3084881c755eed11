#include "app_policy.h"

#include <openssl/crypto.h>

#include <algorithm>

#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/web/policy.h"
#include "tokens.h"

namespace howdah::portal {
namespace {

constexpr std::string_view kLocalhost = ".localhost", kTicketPath = "/.howdah/open";
constexpr size_t kLabelSize = 32;
constexpr char kOpenAgain[] = "open it from the page of its job";

std::string PortText(uint16_t port) { return port == 80 ? "" : ":" + std::to_string(port); }

// Apps on ports of their own share the cookies of one host, so each app has a cookie of its own name.
std::string CookieName(const App& app) { return std::string(kCookiePrefix) + app.label.substr(0, 8); }

bool HasCookie(const App& app, const web::Request& request) {
  const std::string_view value = request.Cookie(CookieName(app));
  return value.size() == app.secret.size() && CRYPTO_memcmp(value.data(), app.secret.data(), value.size()) == 0;
}

std::optional<web::Problem> RefusalOfUser(const App& app, const web::Peer& peer, uid_t owner) {
  if (peer.user && (*peer.user == app.opener.user || *peer.user == owner || *peer.user == 0)) return std::nullopt;
  return web::Problem{401,
                      peer.user ? "another user has opened " + Describe(app.server) + "; this request came from the " +
                                      "user with id " + std::to_string(*peer.user)
                                : "the kernel does not say which user has opened this connection",
                      "start a portal of your own with `howdah portal`"};
}

std::variant<std::monostate, web::Response, web::Problem> RedeemTicket(AppTable& table, const App& app,
                                                                       const AppRequest& arrived) {
  const std::string* const ticket = arrived.request.Find("ticket");
  if (arrived.request.method != "GET") return web::Problem{405, "a ticket is used with GET", "", {{"Allow", "GET"}}};
  const auto landing = ticket ? table.Redeem(app.label, *ticket, arrived.now) : std::nullopt;
  if (!landing)
    return web::Problem{
        403,
        "this address was used before or has expired: it is valid once, for " + FormatDuration(AppTable::kTicketLife),
        kOpenAgain};
  web::Response response = web::Redirect(*landing);
  response.headers.Set("Set-Cookie", CookieName(app) + "=" + app.secret + "; Path=/; HttpOnly; SameSite=Lax");
  response.headers.Set("Referrer-Policy", "no-referrer");
  return response;
}

}  // namespace

std::optional<std::string> LabelOfHost(std::string_view host, uint16_t port) {
  const std::string end = std::string(kLocalhost) + PortText(port);
  if (host.size() != kLabelSize + end.size() || !host.ends_with(end)) return std::nullopt;
  const std::string_view label = host.substr(0, kLabelSize);
  if (label.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  return std::string(label);
}

std::string OriginOfLabel(const std::string& label, uint16_t port) {
  return "http://" + label + std::string(kLocalhost) + PortText(port);
}

std::string TicketUrl(const std::string& origin, const std::string& ticket) {
  return origin + std::string(kTicketPath) + "?ticket=" + ticket;
}

bool HidesFromServer(const web::Headers::Field& field) {
  const std::string name = LowerCase(field.first);
  if (name == "authorization") return BearerOf(field.second).value_or("").starts_with(kTokenPrefix);
  return name.starts_with("howdah-");
}

std::variant<std::monostate, web::Response, web::Problem> JudgeAppRequest(AppTable& table, const App& app,
                                                                          const AppRequest& arrived) {
  const web::Request& request = arrived.request;
  if (auto refusal = RefusalOfUser(app, request.peer, arrived.owner)) return std::move(*refusal);
  constexpr size_t kScheme = 7;  // "http://"
  if (auto refusal = web::RefusalOfSite({.hosts = {arrived.origin.substr(kScheme)}}, request))
    return std::move(*refusal);
  if (request.path == kTicketPath) return RedeemTicket(table, app, arrived);
  if (HasCookie(app, request)) return {};
  return web::Problem{403, "this browser has not opened " + Describe(app.server), kOpenAgain};
}

std::string Describe(const AppServer& server) {
  if (!server.tensorboard.empty()) return "the portal's TensorBoard " + server.tensorboard;
  if (server.role.empty()) return "TensorBoard of " + server.job;
  return "port " + std::to_string(server.port) + " of " + TaskText(server.role, server.index) + " in " + server.job;
}

}  // namespace howdah::portal

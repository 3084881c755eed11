// Decides which requests reach a server in a job. Neither browsers nor the content of these servers are trusted. Pure.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "app_table.h"
#include "howdah/web/message.h"

namespace howdah::portal {

// The label in "LABEL.localhost:PORT", which is the host name of an app. nullopt for other hosts.
std::optional<std::string> LabelOfHost(std::string_view host, uint16_t port);
// The scheme, that host name and the port.
std::string OriginOfLabel(const std::string& label, uint16_t port);

// The address that redeems a ticket.
std::string TicketUrl(const std::string& origin, const std::string& ticket);
inline constexpr std::string_view kCookiePrefix = "howdah-app-";

// Whether the server must not see this field of a request: a token of the portal, and the portal's own fields.
bool HidesFromServer(const web::Headers::Field& field);

struct AppRequest {
  const web::Request& request;
  std::string origin;  // of the app, as the browser knows it
  uid_t owner = 0;     // the user of the portal
  Instant now;
};
// std::monostate: the request may pass to the server. The rules, in this order:
// - 401: the process was started by another user than the one who opened the app, the owner of the portal, and root.
// - 403: a page of another origin has caused the request, except for navigation in a tab of its own.
// - The address of a ticket leads to the server's page and sets the cookie of the app; 403 for an invalid ticket.
// - 403: the request has no cookie of the app.
std::variant<std::monostate, web::Response, web::Problem> JudgeAppRequest(AppTable& table, const App& app,
                                                                          const AppRequest& arrived);

// "TensorBoard of JOB", "port 8888 of worker:0 in JOB"
std::string Describe(const AppServer& server);

}  // namespace howdah::portal

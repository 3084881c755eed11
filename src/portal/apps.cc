#include "apps.h"

#include <openssl/rand.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "app_policy.h"
#include "howdah/base/text.h"
#include "howdah/core/states.h"
#include "local_connection.h"
#include "page_routes.h"
#include "tensorboards.h"

namespace howdah::portal {
namespace {

std::string RandomLabel() {
  unsigned char random[16];
  if (RAND_bytes(random, sizeof random) != 1) std::abort();  // no secret can be made without randomness
  return Hex({reinterpret_cast<const char*>(random), sizeof random});
}

web::RelayTarget TargetOf(uint16_t port, const std::string& origin, decltype(web::RelayTarget::connect) connect) {
  return {.authority = "127.0.0.1:" + std::to_string(port),
          .origin = origin,
          .cookie_prefix = std::string(kCookiePrefix),
          .hides = HidesFromServer,
          .connect = std::move(connect)};
}

}  // namespace

Apps::Apps(Services& services) : services_(services), table_(RandomLabel), connections_(services) {}

void Apps::SetPortal(const web::Endpoint& endpoint, std::string address) {
  endpoint_ = endpoint;
  address_ = std::move(address);
}

Result<std::string> Apps::Open(const AppServer& server, const AppOpener& opener, std::string landing,
                               AppAddress address) {
  const AppTable::Ticket ticket = table_.Open(server, opener, std::move(landing), services_.clock.Now());
  std::erase_if(servers_, [&](const auto& entry) { return table_.Find(entry.first) == nullptr; });
  const bool has_names = endpoint_.host == "127.0.0.1" || endpoint_.host == "::1";
  if (address == AppAddress::kName && has_names)
    return TicketUrl(OriginOfLabel(ticket.label, endpoint_.port), ticket.text);
  HOWDAH_TRY(const std::string origin, OriginWithPort(ticket.label));
  return TicketUrl(origin, ticket.text);
}

Result<std::string> Apps::OriginWithPort(const std::string& label) {
  const auto origin_of = [](uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); };
  if (const auto found = servers_.find(label); found != servers_.end())
    return origin_of(found->second->endpoints().front().port);
  const auto port = std::make_shared<uint16_t>();
  web::Server::Options options{
      .endpoints = {{.host = "127.0.0.1"}},
      .known = [owner = geteuid()](const web::Peer& peer) { return !RefuseStranger(peer, owner); },
      .relay = [this, label, port, origin_of](const web::Request& request) -> web::RelayDecision {
        if (origin_of(*port) != "http://" + request.host) return {};
        return DecideFor(label, origin_of(*port), request);
      },
      .error_page = ErrorPage,
  };
  // Every request for the host of the app is decided above, and the policy refuses all others.
  HOWDAH_TRY(auto server, web::Server::Start(services_.loop, std::move(options), [](const auto&, auto respond) {
               respond(web::ToResponse({.status = 404}));
             }));
  *port = server->endpoints().front().port;
  server->SetPolicy({.hosts = {"127.0.0.1:" + std::to_string(*port)}});
  servers_[label] = std::move(server);
  return origin_of(*port);
}

web::RelayDecision Apps::Decide(const web::Request& request) {
  if (!endpoint_.unix_path.empty()) return {};
  const auto label = LabelOfHost(request.host, endpoint_.port);
  if (!label) return {};
  return DecideFor(*label, OriginOfLabel(*label, endpoint_.port), request);
}

web::RelayDecision Apps::DecideFor(const std::string& label, const std::string& origin, const web::Request& request) {
  const auto refuse = [&](const web::Problem& problem) { return ErrorPage(request, problem); };
  const App* const app = table_.Find(label);
  if (app == nullptr)
    return refuse({410, "this address has ended: an earlier portal has made it, or many others were opened since",
                   "open it again from the page of its job, at " + address_});
  const std::string& token = app->opener.token;
  const auto tokens = services_.tokens->Read();
  if (!token.empty() && !(tokens.ok() && IsValidToken(**tokens, app->opener.token_hash, services_.clock.Now())))
    return refuse({401, "the token '" + token + "', with which this address was opened, is not valid any more", ""});
  auto judged = JudgeAppRequest(table_, *app, {request, origin, geteuid(), services_.clock.Now()});
  if (const auto* problem = std::get_if<web::Problem>(&judged)) return refuse(*problem);
  if (auto* response = std::get_if<web::Response>(&judged)) return std::move(*response);
  if (!app->server.tensorboard.empty()) {
    const auto port = services_.tensorboards->Use(app->server.tensorboard);
    if (!port)
      return refuse({410, Describe(app->server) + " has ended",
                     "open it again from the page of a job or from " + address_ + "notebooks"});
    return TargetOf(*port, origin, [this, port = *port](web::Upstream::Events events) {
      return ConnectLocally(services_.loop, port, std::move(events));
    });
  }
  const auto job = FindJob(services_, app->server.job);
  if (!job.ok()) return refuse(ToProblem(job.error()));
  if (const RowPointer row = services_.jobs->Get(job->key()); row && core::IsFinal(row->state)) {
    return refuse({410,
                   job->id.text + " has ended (" + std::string(core::ToText(row->state)) + "), and " +
                       Describe(app->server) + " with it",
                   "see " + address_ + "jobs/" + job->id.text});
  }
  const AppServer& server = app->server;
  return TargetOf(server.port, origin,
                  [this, job = *job, target = rpc::streams::Target{server.role, server.index, server.port}](
                      web::Upstream::Events events) { return connections_.Connect(job, target, std::move(events)); });
}

}  // namespace howdah::portal

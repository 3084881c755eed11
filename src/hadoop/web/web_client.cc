#include "howdah/hadoop/web/web_client.h"

#include "howdah/base/text.h"
#include "howdah/hadoop/sasl/digest.h"

namespace howdah::hadoop::web {
namespace {

constexpr int kUnauthorized = 401;

}  // namespace

Result<WebReply> WebClient::Get(const std::string& url, const os::http::GetLimits& limits,
                                const os::http::OnBody& on_body) {
  return Send({.url = url}, limits, on_body);
}

Result<WebReply> WebClient::Send(os::http::Outgoing request, const os::http::GetLimits& limits,
                                 const os::http::OnBody& on_body) {
  const bool secure = request.url.starts_with("https://");
  if (secure && !trust_.ok()) return trust_.error().While("reading " + request.url);
  const os::http::Trust* trust = secure ? trust_->get() : nullptr;
  HOWDAH_TRY(auto reply, os::http::Send(request, limits, on_body, trust));
  if (reply.status != kUnauthorized || !login_ || !reply.authenticate.starts_with("Negotiate")) {
    return WebReply{std::move(reply), ""};
  }
  auto authorized = Authorize(request.url);
  if (!authorized) return authorized.error().While("reading " + request.url);
  request.headers.emplace_back("Authorization", std::move(authorized->header));
  HOWDAH_TRY(reply, os::http::Send(request, limits, on_body, trust));
  return WebReply{std::move(reply), std::move(authorized->principal)};
}

Result<WebClient::Authorized> WebClient::Authorize(const std::string& url) {
  HOWDAH_TRY(const auto server, os::http::ServerOf(url));
  const std::string host = LowerCase(server.host);
  HOWDAH_TRY(const auto realm, login_->RealmOf(host));
  HOWDAH_TRY(const auto context, login_->OpenContext({"HTTP", host, realm}));
  return Authorized{"HTTP/" + host + "@" + realm, "Negotiate " + sasl::Base64(context->first_token())};
}

}  // namespace howdah::hadoop::web

#include "howdah/hadoop/web/web_client.h"

#include "howdah/base/text.h"
#include "howdah/hadoop/sasl/digest.h"

namespace howdah::hadoop::web {
namespace {

constexpr int kUnauthorized = 401;

}  // namespace

Result<os::http::GetReply> WebClient::Get(const std::string& url, const os::http::GetLimits& limits,
                                          const os::http::OnBody& on_body) {
  const bool secure = url.starts_with("https://");
  if (secure && !trust_.ok()) return trust_.error().While("reading " + url);
  const os::http::Trust* trust = secure ? trust_->get() : nullptr;
  auto reply = os::http::Get(url, limits, on_body, {}, trust);
  if (!reply || reply->status != kUnauthorized || !login_ || !reply->authenticate.starts_with("Negotiate"))
    return reply;
  const auto authorization = Authorization(url);
  if (!authorization) return authorization.error().While("reading " + url);
  return os::http::Get(url, limits, on_body, {{"Authorization", *authorization}}, trust);
}

Result<std::string> WebClient::Authorization(const std::string& url) {
  HOWDAH_TRY(const auto server, os::http::ServerOf(url));
  const std::string host = LowerCase(server.host);
  HOWDAH_TRY(const auto realm, login_->RealmOf(host));
  HOWDAH_TRY(const auto context, login_->OpenContext({"HTTP", host, realm}));
  return "Negotiate " + sasl::Base64(context->first_token());
}

}  // namespace howdah::hadoop::web

#include "howdah/hadoop/kms/kms_client.h"

#include <nlohmann/json.hpp>

#include "base64.h"
#include "howdah/base/epoch.h"
#include "howdah/base/text.h"
#include "howdah/hadoop/rpc/impersonation.h"
#include "howdah/hadoop/rpc/token_identifier.h"
#include "howdah/hadoop/rpc/writable.h"

namespace howdah::hadoop::kms {
namespace {

using nlohmann::json;

constexpr int kOk = 200, kUnauthorized = 401, kForbidden = 403;
constexpr size_t kMaxAnswer = size_t{1} << 20, kShown = 300;

// Encodes all bytes except unreserved characters (RFC 3986).
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    constexpr const char* kDigits = "0123456789ABCDEF";
    if (plain) {
      escaped += c;
    } else {
      escaped += {'%', kDigits[static_cast<unsigned char>(c) >> 4], kDigits[static_cast<unsigned char>(c) & 15]};
    }
  }
  return escaped;
}

// The member of an object as a text; "" if there is none.
std::string Member(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The message of an answer that reports an exception.
std::string ExceptionIn(const std::string& body) {
  const json answer = json::parse(body, nullptr, false);
  const std::string message =
      answer.is_object() && answer.contains("RemoteException") ? Member(answer["RemoteException"], "message") : "";
  return OneLine(message.empty() ? body : message, kShown);
}

std::string Described(const std::string& root, const web::WebReply& reply) {
  std::string facts = reply.certificate.empty() ? "" : "the certificate " + reply.certificate;
  if (!reply.principal.empty()) facts += (facts.empty() ? "" : "; ") + reply.principal;
  return root + (facts.empty() ? "" : " (" + facts + ")");
}

}  // namespace

Result<Provider> ParseProvider(const std::string& uri) {
  const Error wrong{ErrorCode::kUsage,
                    "'" + OneLine(uri, kShown) + "' is not the URI of a KMS, as kms://http@HOST:9600/kms"};
  constexpr std::string_view kScheme = "kms://";
  if (!uri.starts_with(kScheme)) return wrong;
  const std::string_view rest = std::string_view(uri).substr(kScheme.size());
  const size_t at = rest.find('@'), slash = rest.find('/');
  if (at == std::string_view::npos || slash == std::string_view::npos || at > slash) return wrong;
  const std::string scheme(rest.substr(0, at)), path(rest.substr(slash));
  if (scheme != "http" && scheme != "https") return wrong;
  std::string_view hosts = rest.substr(at + 1, slash - at - 1);
  const size_t colon = hosts.rfind(':');
  if (colon == std::string_view::npos) return wrong;
  const std::string port(hosts.substr(colon));
  hosts = hosts.substr(0, colon);
  Provider provider{uri, {}, {}};
  while (!hosts.empty()) {
    const size_t end = hosts.find(';');
    const std::string server = std::string(hosts.substr(0, end)) + port;
    const auto parsed = ParseHostPort(server);
    if (!parsed) return wrong;
    if (provider.roots.empty()) provider.first = *parsed;
    provider.roots.push_back(scheme + "://" + server + path);
    hosts = end == std::string_view::npos ? std::string_view() : hosts.substr(end + 1);
  }
  return provider.roots.empty() ? Result<Provider>(wrong) : Result<Provider>(std::move(provider));
}

std::string ToUrlText(const rpc::Token& token) {
  std::string bytes;
  for (const std::string* text : {&token.identifier, &token.password, &token.kind, &token.service}) {
    rpc::AppendText(bytes, *text);
  }
  return EncodeUrlBase64(bytes);
}

std::optional<rpc::Token> TokenOfUrlText(std::string_view text) {
  const auto bytes = DecodeBase64(text);
  if (!bytes) return std::nullopt;
  rpc::WritableReader reader(*bytes);
  auto identifier = reader.Text(), password = reader.Text(), kind = reader.Text(), service = reader.Text();
  if (!service) return std::nullopt;
  return rpc::Token{*std::move(identifier), *std::move(password), *std::move(kind), *std::move(service)};
}

KmsClient::KmsClient(Provider provider, std::shared_ptr<web::WebClient> web, Caller caller, os::http::GetLimits limits)
    : provider_(std::move(provider)), web_(std::move(web)), caller_(std::move(caller)), limits_(limits) {}

Result<std::string> KmsClient::Call(const std::string& method, const std::string& path, const std::string& body,
                                    const std::string& doing) {
  os::http::Outgoing request{method, "", {}, body};
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  std::string query;
  if (caller_.token) {
    request.headers.emplace_back("X-Hadoop-Delegation-Token", ToUrlText(*caller_.token));
  } else {
    query = "&user.name=" + Escaped(caller_.user);
    if (!caller_.on_behalf_of.empty()) query += "&doAs=" + Escaped(caller_.on_behalf_of);
  }
  std::string failures;
  for (const std::string& root : provider_.roots) {
    request.url = root + path + query;
    std::string answer;
    const auto reply = web_->Send(request, limits_, [&](std::string_view bytes) {
      answer += bytes;
      return answer.size() <= kMaxAnswer;
    });
    if (reply && reply->status == kOk) {
      server_ = Described(root, *reply);
      return answer;
    }
    if (!reply) {
      failures += "; " + reply.error().message;
      continue;
    }
    const std::string said = ExceptionIn(reply->error_text);
    if (reply->status == kUnauthorized || reply->status == kForbidden) {
      return Error{ErrorCode::kUnavailable, doing + ": the KMS " + root + " refused it: " + said +
                                                rpc::ImpersonationRemedy(said, "hadoop.kms.proxyuser", "kms-site.xml") +
                                                (caller_.token ? "; " + rpc::DescribeToken(*caller_.token) : "")};
    }
    failures += "; the KMS " + root + " answered with status " + std::to_string(reply->status) + ": " + said;
  }
  return Error{ErrorCode::kUnavailable, doing + failures};
}

Result<std::string> KmsClient::Decrypt(const EncryptedKey& key) {
  const std::string doing = "decrypting a key of the encryption zone's key '" + key.zone_key + "'";
  const json body = {
      {"name", key.zone_key}, {"iv", EncodeUrlBase64(key.iv)}, {"material", EncodeUrlBase64(key.material)}};
  HOWDAH_TRY(const auto answer, Call("POST", "/v1/keyversion/" + Escaped(key.version) + "/_eek?eek_op=decrypt",
                                     body.dump(-1, ' ', false, json::error_handler_t::replace), doing));
  const auto material = DecodeBase64(Member(json::parse(answer, nullptr, false), "material"));
  if (!material || material->empty()) return Failed(doing + ": the KMS's answer is unreadable");
  return *material;
}

Result<rpc::Token> KmsClient::FetchToken(const std::string& renewer) {
  const std::string doing = "asking the KMS for a delegation token";
  HOWDAH_TRY(const auto text, Call("GET", "/v1/?op=GETDELEGATIONTOKEN&renewer=" + Escaped(renewer), "", doing));
  const json answer = json::parse(text, nullptr, false);
  const bool found = answer.is_object() && answer.contains("Token");
  auto token = found ? TokenOfUrlText(Member(answer["Token"], "urlString")) : std::nullopt;
  if (!token) return Failed(doing + ": the answer is unreadable");
  if (token->kind.empty()) token->kind = rpc::kKmsToken;
  token->service = provider_.uri;
  return *std::move(token);
}

Result<Instant> KmsClient::Renew(const rpc::Token& token) {
  const std::string doing = "renewing a delegation token of the KMS";
  HOWDAH_TRY(const auto text, Call("PUT", "/v1/?op=RENEWDELEGATIONTOKEN&token=" + ToUrlText(token), "", doing));
  const json answer = json::parse(text, nullptr, false);
  if (!answer.is_object() || !answer.contains("long") || !answer["long"].is_number_integer()) {
    return Failed(doing + ": the answer is unreadable");
  }
  return FromMillis(answer["long"].get<int64_t>());
}

Status KmsClient::Cancel(const rpc::Token& token) {
  const auto done = Call("PUT", "/v1/?op=CANCELDELEGATIONTOKEN&token=" + ToUrlText(token), "",
                         "cancelling a delegation token of the KMS");
  return done ? Status() : Status(done.error());
}

}  // namespace howdah::hadoop::kms

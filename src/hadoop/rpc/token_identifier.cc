#include "howdah/hadoop/rpc/token_identifier.h"

#include "howdah/base/epoch.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/hadoop/rpc/writable.h"

namespace howdah::hadoop::rpc {
namespace {

constexpr char kVersion = 0;

std::optional<TokenIdentifier> ParseWritableIdentifier(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != kVersion) return std::nullopt;
  WritableReader reader(bytes.substr(1));
  auto owner = reader.Text(), renewer = reader.Text(), real_user = reader.Text();
  const auto issued = reader.VLong(), expires = reader.VLong();
  if (!expires) return std::nullopt;
  return TokenIdentifier{*owner, *renewer, *real_user, FromMillis(*issued), FromMillis(*expires)};
}

std::optional<TokenIdentifier> ParseRmIdentifier(const std::string& bytes) {
  ::hadoop::yarn::YARNDelegationTokenIdentifierProto message;
  if (!message.ParseFromString(bytes) || !message.has_maxdate()) return std::nullopt;
  return TokenIdentifier{message.owner(), message.renewer(), message.realuser(), FromMillis(message.issuedate()),
                         FromMillis(message.maxdate())};
}

}  // namespace

std::optional<TokenIdentifier> ParseTokenIdentifier(const Token& token) {
  if (token.kind == kRmToken) return ParseRmIdentifier(token.identifier);
  if (token.kind == kHdfsToken || token.kind == kKmsToken) return ParseWritableIdentifier(token.identifier);
  return std::nullopt;
}

std::string DescribeToken(const Token& token) {
  const std::string text = "the token " + token.kind + (token.service.empty() ? "" : " of " + token.service);
  const auto identifier = ParseTokenIdentifier(token);
  if (!identifier) return text;
  return text + " (owner " + identifier->owner + ", " +
         (identifier->renewer.empty() ? "no renewer" : "renewer " + identifier->renewer) + ", issued " +
         FormatInstant(identifier->issued) + ", ends " + FormatInstant(identifier->expires) + ")";
}

}  // namespace howdah::hadoop::rpc

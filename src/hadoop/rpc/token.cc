#include "howdah/hadoop/rpc/token.h"

#include <google/protobuf/io/coded_stream.h>

#include "howdah/hadoop/messages/security.pb.h"
#include "howdah/hadoop/rpc/writable.h"

namespace howdah::hadoop::rpc {
namespace {

constexpr std::string_view kMagic = "HDTS";

Error Unreadable(size_t position, const std::string& why) {
  return Failed("reading Hadoop tokens: at byte " + std::to_string(position) + ": " + why);
}

Error Truncated(const WritableReader& reader, const char* what) {
  return Unreadable(kMagic.size() + 1 + reader.position(), std::string("the bytes end within ") + what);
}

Result<Credentials> ParseWritable(std::string_view body) {
  Credentials credentials;
  WritableReader reader(body);
  const auto tokens = reader.VInt();
  if (!tokens || *tokens < 0) return Truncated(reader, "the number of tokens");
  for (int32_t i = 0; i < *tokens; ++i) {
    auto alias = reader.Text(), identifier = reader.Text(), password = reader.Text(), kind = reader.Text(),
         service = reader.Text();
    if (!service) return Truncated(reader, "a token");
    credentials.tokens[*alias] = {*identifier, *password, *kind, *service};
  }
  const auto secrets = reader.VInt();
  if (!secrets || *secrets < 0) return Truncated(reader, "the number of secrets");
  for (int32_t i = 0; i < *secrets; ++i) {
    auto alias = reader.Text(), secret = reader.Text();
    if (!secret) return Truncated(reader, "a secret");
    credentials.secrets[*alias] = *secret;
  }
  return credentials;
}

Result<Credentials> ParseProtobuf(std::string_view body) {
  const auto* data = reinterpret_cast<const uint8_t*>(body.data());
  google::protobuf::io::CodedInputStream input(data, static_cast<int>(body.size()));
  uint32_t size = 0;
  const size_t start = kMagic.size() + 1;
  if (!input.ReadVarint32(&size)) return Unreadable(start, "the message has no length");
  const auto used = static_cast<size_t>(input.CurrentPosition());
  if (size > body.size() - used) return Unreadable(start, "the bytes end within the message");
  ::hadoop::common::CredentialsProto message;
  if (!message.ParsePartialFromArray(data + used, static_cast<int>(size))) {
    return Unreadable(start, "the message is not a CredentialsProto");
  }
  Credentials credentials;
  for (const auto& entry : message.tokens()) {
    const auto& token = entry.token();
    credentials.tokens[entry.alias()] = {token.identifier(), token.password(), token.kind(), token.service()};
  }
  for (const auto& entry : message.secrets()) credentials.secrets[entry.alias()] = entry.secret();
  return credentials;
}

}  // namespace

const Token* Credentials::Find(std::string_view kind, std::string_view service) const {
  for (const auto& [alias, token] : tokens) {
    if (token.kind == kind && (service.empty() || token.service == service)) return &token;
  }
  return nullptr;
}

Result<Credentials> ParseCredentials(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return Unreadable(0, "not a token file, which begins with HDTS");
  bytes.remove_prefix(kMagic.size());
  if (bytes.empty()) return Unreadable(kMagic.size(), "the bytes end before the version");
  const auto version = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  if (version == 0) return ParseWritable(bytes);
  if (version == 1) return ParseProtobuf(bytes);
  return Unreadable(kMagic.size(), "version " + std::to_string(version) + " is unknown; 0 and 1 are supported");
}

std::string WriteCredentials(const Credentials& credentials) {
  std::string out(kMagic);
  out += '\0';
  AppendVLong(out, static_cast<int64_t>(credentials.tokens.size()));
  for (const auto& [alias, token] : credentials.tokens) {
    for (const std::string* text : {&alias, &token.identifier, &token.password, &token.kind, &token.service}) {
      AppendText(out, *text);
    }
  }
  AppendVLong(out, static_cast<int64_t>(credentials.secrets.size()));
  for (const auto& [alias, secret] : credentials.secrets) {
    AppendText(out, alias);
    AppendText(out, secret);
  }
  return out;
}

}  // namespace howdah::hadoop::rpc

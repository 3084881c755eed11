#include "howdah/backend/yarn/job_credentials.h"

#include <nlohmann/json.hpp>

#include "howdah/os/files/files.h"

namespace howdah::backend::yarn {
namespace {

constexpr std::string_view kOwnPrefix = "howdah.";
constexpr char kCa[] = "howdah.ca";
constexpr std::string_view kAmFilePrefix = "howdah.am.file.", kFilePrefix = "howdah.file.";

std::string Alias(const std::string& name, const char* part) { return "howdah." + name + part; }

}  // namespace

hadoop::rpc::Credentials WithoutOwnSecrets(hadoop::rpc::Credentials credentials) {
  std::erase_if(credentials.secrets, [](const auto& entry) { return entry.first.starts_with(kOwnPrefix); });
  return credentials;
}

void AddIdentity(hadoop::rpc::Credentials& credentials, const std::string& name, const rpc::Identity& identity) {
  credentials.secrets[kCa] = identity.ca_certificate;
  credentials.secrets[Alias(name, ".pem")] = identity.certificate;
  credentials.secrets[Alias(name, ".key")] = identity.private_key;
}

Result<rpc::Identity> FindIdentity(const hadoop::rpc::Credentials& credentials, const std::string& name) {
  rpc::Identity identity;
  const std::pair<std::string, std::string*> parts[] = {{kCa, &identity.ca_certificate},
                                                        {Alias(name, ".pem"), &identity.certificate},
                                                        {Alias(name, ".key"), &identity.private_key}};
  for (const auto& [alias, part] : parts) {
    const auto found = credentials.secrets.find(alias);
    if (found == credentials.secrets.end()) return Failed("the container's credentials lack the secret " + alias);
    *part = found->second;
  }
  return identity;
}

std::string EncodeIdentity(const rpc::Identity& identity) {
  return nlohmann::json{
      {"ca", identity.ca_certificate}, {"certificate", identity.certificate}, {"key", identity.private_key}}
      .dump();
}

Result<rpc::Identity> DecodeIdentity(const std::string& json) {
  const auto parsed = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  rpc::Identity identity;
  const std::pair<const char*, std::string*> parts[] = {
      {"ca", &identity.ca_certificate}, {"certificate", &identity.certificate}, {"key", &identity.private_key}};
  for (const auto& [name, part] : parts) {
    if (!parsed.is_object() || !parsed.contains(name) || !parsed[name].is_string()) {
      return Failed(std::string("invalid identity: ") + name + " is missing");
    }
    *part = parsed[name].get<std::string>();
  }
  return identity;
}

void EmbedFile(hadoop::rpc::Credentials& credentials, EmbedFor recipient, const std::string& name,
               std::string_view bytes) {
  credentials.secrets[std::string(recipient == EmbedFor::kAm ? kAmFilePrefix : kFilePrefix) + name] = bytes;
}

Status ExtractEmbeddedFiles(const hadoop::rpc::Credentials& credentials) {
  for (const auto& [alias, bytes] : credentials.secrets) {
    const std::string_view prefix = alias.starts_with(kAmFilePrefix) ? kAmFilePrefix : kFilePrefix;
    if (!alias.starts_with(prefix)) continue;
    const std::string name = alias.substr(prefix.size());
    if (const size_t slash = name.rfind('/'); slash != std::string::npos) {
      HOWDAH_TRY_STATUS(os::files::MakeDirectories(name.substr(0, slash)));
    }
    HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(name, bytes, 0600));
  }
  return {};
}

}  // namespace howdah::backend::yarn
